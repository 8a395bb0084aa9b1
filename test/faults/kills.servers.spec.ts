import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from '#apps/demo/client.js';
import type { RecordedEvent } from '#event-store/port.js';
import { newApiKey } from '#secrets/index.js';
import type { Distributed } from '#test/deployments/distributed.js';
import { deployDistributed, describeDistributed } from '#test/deployments/with-servers.js';
import { trips } from '#test/support/trips.js';
import { Fleet, type Member, type Role } from './support/fleet.js';
import { creating, inferring, uploading, type Told } from './support/loads.js';
import { flaws, ofType, readLog, repeated } from './support/log.js';
import { ask, type Answered, type Outcome } from './support/requests.js';
import { faultSeed, seeded } from './support/seed.js';
import { everyAnswer } from './support/snapshot.js';
import { artifactOf, claims, ended, ends, eventsOf, upload, type Job } from './support/training.js';
import { until } from './support/until.js';

const SEED = faultSeed();
const EPOCHS = 40;
/** Workers among the first: whoever follows one begins anew to wait for the runner that says nothing. */
const KILLS = [
  ['worker', 'worker', 'api', 'gpu-runner'],
  ['api', 'api', 'gpu-runner', 'api'],
] as const;

describeDistributed(`processes that are killed (SIGKILL), ANNEAL_FAULT_SEED=${SEED}`, () => {
  const random = seeded(SEED);
  const key = newApiKey();
  let deployment: Distributed;
  let fleet: Fleet;
  let whole: readonly RecordedEvent[];

  const anyApi = () => new Client(fleet.urls()[0]!, key);
  const log = () => readLog(deployment.environment['ANNEAL_EVENT_STORE']!);
  const jobEvents = async (id: string) => eventsOf(await log(), id);
  const request = { base_model: 'anneal/encoder-base-v1', datasets: [{ name: 'trips' }], nr_epochs: EPOCHS };
  const train = () => anyApi().post<Job>('/felix/training-jobs', { ...request, early_stopping_patience: 0 });
  const ofJob = ({ id }: Job) => anyApi().get<Job>(`/felix/training-jobs/${id}`);
  /** The runner that has the job under way, once it has stored checkpoints. */
  const trainer = (job: Job): Promise<Member> =>
    until('the job is half way', 60, async () => {
      const events = await jobEvents(job.id);
      const claimed = events.findLast(({ type }) => type === 'training-attempt-claimed.v1');
      const saved = events.filter(({ type }) => type === 'training-checkpoint-saved.v1').length;
      if (ends(events).length > 0) throw new Error('the job is over already');
      return saved >= 3 && fleet.runner((claimed!.data['runnerId'] as string).split('/')[0]!);
    });

  beforeAll(async () => {
    deployment = await deployDistributed({ apis: 0, workers: 0, runners: 0 });
    fleet = new Fleet(deployment, { ANNEAL_BOOTSTRAP_API_KEY: key, ANNEAL_RATE_LIMITS: 'off' });
    await Promise.all([fleet.add('api', 2), fleet.add('worker', 2), fleet.add('gpu-runner', 2)]);
    await upload(anyApi(), 'trips', trips(400));
    const job = await train();
    await until('the undisturbed job ends', 60, async () => ended(await ofJob(job)));
    whole = await jobEvents(job.id);
  }, 90_000);
  afterAll(async () => {
    await fleet.end('SIGKILL');
    await deployment.remove();
  }, 60_000);

  test('a runner that is killed half way through a job and started again goes on from the checkpoint', async () => {
    const job = await train();
    const member = await trainer(job);
    await fleet.kill(member);
    await fleet.start(member);
    await until('the job ends', 60, async () => ended(await ofJob(job)));
    const events = await jobEvents(job.id);
    expect({ ends: ends(events), claims: claims(events) }).toEqual({
      ends: ['training-job-completed.v1'],
      claims: [1, 2],
    });
    expect(artifactOf(events)).toEqual(artifactOf(whole));
    expect(epochsOf(events)).toEqual(Array.from({ length: EPOCHS }, (_, epoch) => epoch + 1));
    const { logs } = await anyApi().get<{ logs: { message: string }[] }>(`/felix/training-jobs/${job.id}/logs`);
    expect(logs.filter(({ message }) => /^Going on from epoch [1-9]/.test(message))).toHaveLength(1);
    await fleet.orphansEnded(20);
  }, 120_000);

  describe('while calls are in flight on runners', () => {
    const text = Array.from({ length: 500 }, (_, at) => `Anna Smith flies to Paris with Boris on day ${at}`).join('. ');
    const slow = (name: string) =>
      ask(fleet.urls()[0]!, key, 'POST', '/inference', {
        model_id: 'anneal/encoder-base-v1',
        text: [`${name}: ${text}`, text, text],
        schema: { entities: ['person', 'city'] },
      });
    const kinds = (outcomes: readonly Outcome[]) =>
      outcomes.map((each) => (each.kind === 'answered' ? each.status : each));

    test('of which one is killed, the other answers all of them', async () => {
      const calls = Promise.all(Array.from({ length: 8 }, (_, call) => slow(`first ${call}`)));
      await sleep(150 + random.below(200));
      const [member] = fleet.of('gpu-runner');
      await fleet.kill(member!);
      const outcomes = await calls;
      await fleet.start(member!);
      expect(kinds(outcomes)).toEqual(outcomes.map(() => 200));
    }, 120_000);

    test('that are all killed, each is answered within its deadline: 200 or 503', async () => {
      const calls = Promise.all(Array.from({ length: 8 }, (_, call) => slow(`second ${call}`)));
      await sleep(150 + random.below(200));
      await Promise.all(fleet.of('gpu-runner').map((member) => fleet.kill(member)));
      const outcomes = await calls;
      await fleet.startAll();
      expect(kinds(outcomes).filter((status) => status !== 200 && status !== 503)).toEqual([]);
      expect(kinds(outcomes)).toContain(503);
      expect(Math.max(...outcomes.map(({ seconds }) => seconds))).toBeLessThan(61);
      await until('calls are answered again', 20, async () => {
        const outcome = await slow('third');
        return outcome.kind === 'answered' && outcome.status === 200;
      });
    }, 120_000);
  });

  describe(`again and again under load, ${KILLS.flat().length} times`, () => {
    let projects: ReturnType<typeof creating>;
    let calls: ReturnType<typeof inferring>;
    let uploads: ReturnType<typeof uploading>;
    let job: Job;
    let events: readonly RecordedEvent[];

    beforeAll(async () => {
      const target = { urls: () => fleet.urls(), key, random: seeded(SEED + 1) };
      job = await train();
      const lost = await trainer(job);
      projects = creating(target, 3);
      calls = inferring(target, 3);
      uploads = uploading(target, 2);
      // It does not come back: another runner has to go on.
      await fleet.kill(lost);
      await killAllInTurn([lost]);
      await Promise.all([projects, calls, uploads].map((load) => load.stop()));
      await until('the job ends on another runner', 90, async () => ended(await ofJob(job)));
      await fleet.startAll();
      await until('all datasets and evaluations end', 60, settled);
      events = await log();
    }, 300_000);

    /** Each kill at a random moment, and the process started again at another. */
    async function killAllInTurn(except: readonly Member[]): Promise<void> {
      for (const role of KILLS.flatMap((roles) => random.shuffled<Role>(roles))) {
        await sleep(random.below(1_500));
        const living = fleet.members.filter(
          (member) => member.role === role && !except.includes(member) && member.process,
        );
        const member = living[random.below(living.length)]!;
        await fleet.kill(member);
        await sleep(random.below(1_000));
        await fleet.start(member);
      }
    }

    async function settled(): Promise<boolean> {
      interface Records {
        readonly datasets: readonly { readonly status: string }[];
        readonly evaluations: readonly { readonly status: string }[];
      }
      const [{ datasets }, { evaluations }] = await Promise.all([
        anyApi().get<Records>('/felix/datasets?include_failed=true&limit=1000'),
        anyApi().get<Records>('/felix/evaluations'),
      ]);
      const known = uploads.processed.size + uploads.left.size;
      const open = datasets.filter(({ status }) => !['initialized', 'ready', 'failed'].includes(status));
      const running = evaluations.filter(({ status }) => status !== 'complete' && status !== 'failed');
      return datasets.length > known && open.length === 0 && running.length === 0;
    }

    const answered = (told: Told, status: number) =>
      [...told].filter(
        (entry): entry is [string, Answered] => entry[1].kind === 'answered' && entry[1].status === status,
      );
    const statuses = (told: Told) =>
      new Set([...told.values()].map((each) => (each.kind === 'answered' ? each.status : 0)));

    test('clients were told enough to mean something, and nothing but yes, not now, or nothing at all', () => {
      for (const { told } of [projects, calls]) {
        expect(answered(told, 200).length).toBeGreaterThan(50);
        expect([...statuses(told).difference(new Set([200, 503, 0]))]).toEqual([]);
      }
      expect(uploads.processed.size).toBeGreaterThan(5);
      expect(Math.max(...[...calls.told.values()].map(({ seconds }) => seconds))).toBeLessThan(61);
    });

    test('no process ended that was not killed, and no child outlived its own', async () => {
      expect(fleet.crashed()).toEqual([]);
      await fleet.orphansEnded(20);
    });

    test('the log has no gap, nothing twice, and one order', () => {
      expect(flaws(events)).toEqual([]);
    });

    test('every project that was acknowledged is there once, every other at most once', async () => {
      const created = ofType(events, 'project-created.v1').map(({ data }) => data['name'] as string);
      expect(repeated(created)).toEqual([]);
      const acknowledged = answered(projects.told, 200);
      expect(acknowledged.filter(([name]) => !created.includes(name))).toEqual([]);
      interface Listed {
        readonly projects: readonly { readonly id: string; readonly name: string }[];
      }
      const listed = await until('all projects are listed', 30, async () => {
        const list = (await anyApi().get<Listed>('/projects')).projects;
        return list.length === created.length && list;
      });
      expect(listed.map(({ name }) => name).toSorted()).toEqual(created.toSorted());
      const ids = new Map(listed.map(({ id, name }) => [name, id]));
      expect(acknowledged.filter(([name, { body }]) => ids.get(name) !== body.id)).toEqual([]);
    });

    test('every call that was answered is on the log and in the history once, every other at most once', async () => {
      const metered = ofType(events, 'call-metered.v1').map(({ data }) => data['inferenceId'] as string);
      const contents = ofType(events, 'call-content.v1');
      const withContent = contents.map(({ data }) => data['inferenceId'] as string);
      const texts = contents.map(({ data }) => String((data['content'] as { input?: { text: unknown } }).input?.text));
      expect(repeated(metered)).toEqual([]);
      expect(repeated(withContent)).toEqual([]);
      expect(repeated(texts.filter((text) => calls.told.has(text)))).toEqual([]);
      const given = answered(calls.told, 200).map(([, { body }]) => String(body.inference_id));
      expect(given.filter((id) => !metered.includes(id) || !withContent.includes(id))).toEqual([]);
      const listed = await until('all calls are in the history', 30, async () => {
        const all = await history();
        return all.length === metered.length && all;
      });
      expect(repeated(listed)).toEqual([]);
      expect(listed.toSorted()).toEqual(metered.toSorted());
    });

    async function history(): Promise<string[]> {
      interface Page {
        readonly inferences: readonly { readonly id: string }[];
        readonly total: number;
      }
      const ids: string[] = [];
      for (;;) {
        const { inferences, total } = await anyApi().get<Page>(`/inferences?limit=100&offset=${ids.length}`);
        ids.push(...inferences.map(({ id }) => id));
        if (inferences.length === 0 || ids.length >= total) return ids;
      }
    }

    test('every dataset whose processing was acknowledged is ready once, with all its rows', async () => {
      const ready = ofType(events, 'dataset-version-ready.v1');
      expect(repeated(ready.map(({ data }) => data['versionId']))).toEqual([]);
      expect(ofType(events, 'dataset-version-failed.v1').map(({ data }) => data['reason'])).toEqual([]);
      for (const [name, { rows, id }] of uploads.processed) {
        const { versions } = await anyApi().get<{ versions: object[] }>(`/felix/datasets/${name}`);
        expect(versions).toEqual([expect.objectContaining({ id, name, status: 'ready', sample_size: rows })]);
        const download = await fetch(`${fleet.urls()[0]}/felix/datasets/${name}/latest/download`, {
          headers: { 'x-api-key': key },
        });
        expect((await download.text()).trim().split('\n')).toHaveLength(rows);
      }
    });

    test('an upload whose client never came back waits as it was, and counts for nothing', async () => {
      for (const name of uploads.left) {
        const { versions } = await anyApi().get<{ versions: object[] }>(`/felix/datasets/${name}`);
        expect(versions).toEqual([expect.objectContaining({ name, status: 'initialized' })]);
      }
    });

    test('a job whose runner never came back is completed by another, once, with the same files', async () => {
      const own = eventsOf(events, job.id);
      expect(ends(own)).toEqual(['training-job-completed.v1']);
      expect(repeated(claims(own))).toEqual([]);
      expect(claims(own).length).toBeGreaterThan(1);
      expect(epochsOf(own)).toEqual(Array.from({ length: EPOCHS }, (_, epoch) => epoch + 1));
      expect(artifactOf(own)).toEqual(artifactOf(whole));
    });

    test('read models are what a rebuild from the log gives', async () => {
      const before = await everyAnswer(anyApi());
      await fleet.end();
      await deployment.dropReadModels();
      await fleet.startAll();
      const complete = Object.keys(before).length;
      await until(
        'the read models are rebuilt',
        60,
        async () => Object.keys(await everyAnswer(anyApi())).length === complete,
      );
      await until('all projects are there again', 30, async () => {
        const { count } = await anyApi().get<{ count: number }>('/projects');
        return count === (before['/projects'] as { count: number }).count;
      });
      expect(await everyAnswer(anyApi())).toEqual(before);
    }, 150_000);
  });
});

/** The epochs whose end was told, each counted as often as it was. */
const epochsOf = (events: readonly RecordedEvent[]): unknown[] =>
  events.filter(({ type }) => type === 'training-epoch-completed.v1').map(({ data }) => data['epoch']);
