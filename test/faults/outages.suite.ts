import { appendFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from '#apps/demo/client.js';
import { newApiKey } from '#primitives/secrets/index.js';
import { distributed, type Distributed } from '#test/deployments/distributed.js';
import { trips } from '#test/support/trips.js';
import { isOdd, isYes, SteadyLoad, summary, type Sample } from './outages-load.js';
import { MemoryWatch } from './outages-memory.js';
import { nothingLostOrDoubled } from './outages-outcome.js';
import { OwnServers, type Outage, type ServerName } from './outages-servers.js';
import { Fleet } from './support/fleet.js';
import { ask, type Answered } from './support/requests.js';
import { upload, type Job } from './support/training.js';
import { eventually } from '#test/support/eventually.js';

/** The requests of the steady clients; uploads are separate. */
const ASKED = {
  'create project': ['POST', '/projects', (name: string) => ({ name })],
  call: ['POST', '/inference', (name: string) => callOf('anneal/encoder-base-v1', name)],
  projects: ['GET', '/projects'],
  history: ['GET', '/inferences?limit=10'],
  models: ['GET', '/v1/models'],
  preview: ['GET', '/felix/datasets/trips/latest/preview'],
  live: ['GET', '/health/live'],
} as const satisfies Record<string, readonly [string, string, ((name: string) => unknown)?]>;

type Asked = keyof typeof ASKED | 'log' | 'adapter call' | 'projects by session' | 'upload url' | 'prepared process';

/** The parts of the API that an outage of a server leaves and takes. Parts in neither list may fail or not. */
interface Effect {
  /** Names of the server's parts in `/health`. */
  readonly down: readonly string[];
  readonly serves: readonly Asked[];
  readonly refuses: readonly Asked[];
}

const READS = ['projects', 'history', 'models', 'preview', 'projects by session'] as const;

const EFFECTS: Readonly<Record<ServerName, Effect>> = {
  // Keys and sessions are checked against the log, and a call that cannot be recorded is not answered.
  'event store': {
    down: ['event-store'],
    serves: ['live'],
    refuses: ['create project', 'call', 'adapter call', ...READS, 'log', 'prepared process'],
  },
  // Limits are counted there: what a replica has taken of a window is all that it gives out.
  MongoDB: {
    down: ['read-store', 'coordination'],
    serves: ['live'],
    refuses: [...READS, 'prepared process'],
  },
  NATS: {
    down: ['bus'],
    serves: ['live', 'create project', ...READS, 'log'],
    refuses: ['call', 'adapter call'],
  },
  S3: {
    down: ['object-store'],
    serves: [
      ...(['live', 'create project', 'call', 'adapter call', 'projects', 'history'] as const),
      ...(['models', 'log', 'projects by session'] as const),
    ],
    refuses: ['preview', 'prepared process'],
  },
};

/** Seconds. The longest deadline of a request to a server is 20 s; a machine may be overloaded. */
const HANGING_S = 60;

export interface OutagesOptions {
  readonly name: string;
  /** How each server fails. */
  readonly outage: Readonly<Record<ServerName, Outage>>;
  readonly seconds: number;
  /** Parts that an outage of MongoDB leaves, besides those of `EFFECTS`. */
  readonly servedWithoutMongodb?: readonly Asked[];
  readonly settings: Readonly<Record<string, string>>;
}

/** A part of `/health`. */
interface Part {
  readonly status: string;
  readonly degraded?: boolean;
}

const ACCOUNT = { email: 'ada@example.org', password: 'correct horse battery' };
const EPOCHS = 60;
/** By then an API's caches about a lost server have expired. */
const SETTLED_MS = 3_000;
/**
 * Below Node's default, so that a leak ends the process. The young generation is bounded too: otherwise V8 collects the
 * whole heap whenever old and young together could exceed the old limit.
 */
const HEAP = { NODE_OPTIONS: '--max-old-space-size=128 --max-semi-space-size=16' };
/**
 * Permitted growth of a process after an outage over the busy minute before it: what its heap may take before V8 must collect it (128
 * and three times 16), and as much as a process has in buffers outside of it.
 */
const GROWTH_MEBIBYTES = 256;

const callOf = (model: string, name: string) => ({
  model_id: model,
  text: `${name}: Anna Smith flies to Paris`,
  ...(model.includes('/') && { schema: { entities: ['person', 'city'] } }),
});

/** Two APIs, two workers and two runners under a steady load, from under which servers are taken one after another. */
export function outages({ name, outage, seconds, servedWithoutMongodb = [], settings }: OutagesOptions): void {
  const cases = (Object.keys(EFFECTS) as ServerName[]).map((server) => {
    const { serves, ...effect } = EFFECTS[server];
    const more = server === 'MongoDB' ? servedWithoutMongodb : [];
    return { server, outage: outage[server], ...effect, serves: [...serves, ...more] };
  });
  describe(name, () => {
    const key = newApiKey();
    let servers: OwnServers;
    let deployment: Distributed;
    let fleet: Fleet;
    let load: SteadyLoad;
    let memory: MemoryWatch;
    const jobs: Job[] = [];
    const closing: (() => Promise<void> | void)[] = [];

    const api = (index = 0) => new Client(fleet.urls()[index]!, key);
    const train = async (nr_epochs: number) => {
      const base = { base_model: 'anneal/encoder-base-v1', datasets: [{ name: 'trips' }] };
      return api().post<Job>('/felix/training-jobs', { ...base, nr_epochs, early_stopping_patience: 0 });
    };
    const ofJob = ({ id }: Job) => api().get<Job>(`/felix/training-jobs/${id}`);

    beforeAll(async () => {
      servers = await OwnServers.start();
      closing.push(() => servers.close());
      deployment = await distributed({ apis: 0, workers: 0, runners: 0 }, servers.addresses);
      closing.push(() => deployment.remove());
      const admin = { ANNEAL_ADMIN_EMAIL: ACCOUNT.email, ANNEAL_ADMIN_PASSWORD: ACCOUNT.password };
      fleet = new Fleet(deployment, { ANNEAL_BOOTSTRAP_API_KEY: key, ...admin, ...HEAP, ...settings });
      closing.push(() => fleet.end('SIGKILL'));
      await Promise.all([fleet.add('api', 2), fleet.add('worker', 2), fleet.add('gpu-runner', 2)]);
      await fleet.ready();
      await upload(api(), 'trips', trips(200));
      const adapter = await train(5);
      await eventually(async () => (await ofJob(adapter)).status === 'complete');
      const { session_token: session } = await api().post<{ session_token: string }>('/auth/sign-in', ACCOUNT);
      load = new SteadyLoad(
        fleet.urls().map((url) => ({ url, key })),
        'steady',
      );
      closing.push(() => load.stop());
      for (const [asked, [method, path, body]] of Object.entries(ASKED) as [string, [string, string, never]][])
        load.repeat(asked, method, path, body);
      load.repeat('log', 'GET', `/events?stream=job-${adapter.id}&limit=10`);
      load.repeat('adapter call', 'POST', '/inference', (text) => callOf(adapter.id, text));
      load.repeat('projects by session', 'GET', '/projects', undefined, session);
      load.upload();
      memory = new MemoryWatch(() => fleet.members.flatMap(({ process }) => (process ? [process.pid] : [])));
      closing.push(() => memory.stop());
      await sleep(5_000);
    });

    afterAll(async () => {
      for (const close of closing.reverse()) await close();
    });

    describe.each(cases)('$server is $outage', ({ server, outage: kind, down, serves, refuses }) => {
      let away: number;
      let back: number;
      let recovered: number;
      let stillMissing: string[];
      const health: Record<string, Part>[] = [];
      /** Requests during the outage, once it is known. */
      const during = () => load.within(away + SETTLED_MS, back);

      beforeAll(async () => {
        const job = await train(EPOCHS);
        jobs.push(job);
        await eventually(async () => (await ofJob(job)).status !== 'requested');
        const askToProcess = await load.prepareUpload(`prepared-${server}`.replace(' ', '-'));
        const bringBack = await servers.takeAway(server, kind);
        away = performance.now();
        await sleep(seconds * 500);
        const asking = askToProcess();
        for (const url of fleet.urls()) {
          const told = await ask(url, key, 'GET', '/health');
          health.push((told as Answered).body.details);
        }
        await asking;
        await sleep(away + seconds * 1_000 - performance.now());
        await eventually(askedEnough);
        back = performance.now();
        await bringBack();
        const asked = new Set(load.samples.map((sample) => sample.asked)).difference(new Set(['prepared process']));
        const missing = () => {
          const since = load.samples.filter((sample) => sample.from > back && isYes(sample));
          return [...asked.difference(new Set(since.map((sample) => sample.asked)))];
        };
        await eventually(() => missing().length === 0).catch(() => undefined);
        recovered = performance.now();
        stillMissing = missing();
        report(server, kind);
      });

      /** Whether each steady request was answered during the outage, and there were many in all. */
      function askedEnough(): boolean {
        const settled = new Set(load.within(away + SETTLED_MS, performance.now()).map(({ asked }) => asked));
        const all = load.samples.filter(({ to }) => to >= away);
        return all.length > 100 && [...serves, ...refuses].every((asked) => settled.has(asked));
      }

      /** Appends to the file named by ANNEAL_FAULT_REPORT, for finding what became slow. */
      function report(...what: string[]): void {
        const file = process.env['ANNEAL_FAULT_REPORT'];
        if (!file) return;
        const all = load.samples.filter(({ from, to }) => to >= away && from <= back);
        const rows = Object.entries(Object.groupBy(all, ({ asked }) => asked)).map(([asked, list = []]) => {
          const counts = Object.entries(Object.groupBy(list, ({ outcome }) => statusOf(outcome)));
          const slowest = Math.max(...list.map(({ outcome }) => outcome.seconds)).toFixed(1);
          const settled = new Set(
            during()
              .filter((each) => each.asked === asked)
              .map(({ outcome }) => statusOf(outcome)),
          );
          return `${asked}: ${counts.map(([status, some]) => `${some!.length} x ${status}`).join(', ')}; slowest ${slowest} s; settled ${[...settled].join()}`;
        });
        const grown = [...memory.most(0, away)].map(
          ([pid, before]) => `${pid}: ${before.toFixed()} -> ${memory.most(away, recovered).get(pid)?.toFixed()}`,
        );
        const lines = [what.join(' '), ...rows, `back in ${((recovered - back) / 1000).toFixed(1)} s`, ...grown];
        appendFileSync(file, `${lines.join('\n')}\n${JSON.stringify(health)}\n\n`);
      }

      it('answers 503 to dependent requests, while others succeed', () => {
        const told = new Map<string, Set<unknown>>();
        for (const { asked, outcome } of during())
          told.set(asked, (told.get(asked) ?? new Set()).add(statusOf(outcome)));
        const of = (asked: readonly string[]) => asked.map((each) => [each, [...(told.get(each) ?? [])]]);
        expect(of(serves)).toEqual(serves.map((each) => [each, [200]]));
        expect(of(refuses)).toEqual(refuses.map((each) => [each, [503]]));
      });

      it('lets no client hang or get anything but success and a retryable refusal', () => {
        const asked = load.samples.filter(({ from, to }) => to >= away && from <= recovered);
        expect(asked.filter(({ outcome }) => outcome.seconds > HANGING_S).map(summary)).toEqual([]);
        expect(asked.filter(isOdd).map(summary)).toEqual([]);
      });

      it('leaves every process alive, with the fault in its health', () => {
        for (const details of health)
          for (const part of down) expect([part, isWell(details[part])]).toEqual([part, false]);
        expect(fleet.crashed()).toEqual([]);
      });

      it(`lets no process grow by ${GROWTH_MEBIBYTES} MiB`, () => {
        const before = memory.most(0, away);
        const after = memory.most(away, recovered);
        expect(after.size).toBe(6);
        const grown = [...after].map(([pid, most]) => most - before.get(pid)!);
        expect(grown.filter((mebibytes) => mebibytes >= GROWTH_MEBIBYTES)).toEqual([]);
      });

      it('ends with all requests succeeding again', () => {
        expect(stillMissing).toEqual([]);
      });

      it('ends with healthy processes', async () => {
        for (const index of [0, 1])
          await eventually(async () => {
            const { details } = await api(index).get<{ details: Record<string, Part> }>('/health');
            return Object.values(details).every(isWell);
          });
      });
    });

    nothingLostOrDoubled(() => ({ load, fleet, deployment, api: () => api(), jobs, epochs: EPOCHS }));
  });
}

const statusOf = (outcome: Sample['outcome']) => (outcome.kind === 'answered' ? outcome.status : outcome.reason);

const isWell = (part: Part | undefined): boolean => part?.status === 'up' && !part.degraded;
