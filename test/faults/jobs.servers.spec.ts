import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from '#apps/demo/client.js';
import { newApiKey } from '#primitives/secrets/index.js';
import type { Distributed } from '#test/deployments/distributed.js';
import { describeDistributed } from '#test/deployments/with-servers.js';
import { distributed } from '#test/deployments/distributed.js';
import { startEventStoreServer, type EventStoreServer } from '#test/event-store-server/index.js';
import { nats } from '#test/servers/nats.js';
import type { RunningServer } from '#test/servers/running.js';
import { trips } from '#test/support/trips.js';
import { FakeRunner, trained } from './support/fake-runner.js';
import { Fleet } from './support/fleet.js';
import { flaws, readLog, repeated } from './support/log.js';
import { ask } from './support/requests.js';
import { faultSeed, seeded } from './support/seed.js';
import { claims, ended, ends, eventsOf, upload, type Job } from './support/training.js';
import { eventually } from '#test/support/eventually.js';

const SEED = faultSeed();
const RACES = 30;

describeDistributed(`jobs on several workers, with their own NATS, ANNEAL_FAULT_SEED=${SEED}`, () => {
  const random = seeded(SEED);
  const key = newApiKey();
  const settings = { ANNEAL_BOOTSTRAP_API_KEY: key, ANNEAL_RATE_LIMITS: 'off' };
  let folder: string;
  let bus: RunningServer;
  let eventStore: EventStoreServer;
  let deployment: Distributed;
  let fleet: Fleet;
  const fakes: FakeRunner[] = [];

  const api = (at = 0) => new Client(fleet.urls()[at]!, key);
  const log = () => readLog(eventStore.address);
  const jobEvents = async (id: string) => eventsOf(await log(), id);
  const train = (epochs: number) =>
    api().post<Job>('/felix/training-jobs', {
      base_model: 'anneal/encoder-base-v1',
      datasets: [{ name: 'trips' }],
      nr_epochs: epochs,
      early_stopping_patience: 0,
    });
  const statusOf = async ({ id }: Job, at = 0) => (await api(at).get<Job>(`/felix/training-jobs/${id}`)).status;
  const joined = async (name: string) => {
    const fake = await FakeRunner.join(deployment.environment['ANNEAL_BUS']!, name);
    fakes.push(fake);
    return fake;
  };

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'anneal-jobs-'));
    bus = await nats.start({ directory: join(folder, 'nats') });
    eventStore = await startEventStoreServer({ directory: join(folder, 'log') });
    const addresses = { eventStore: eventStore.address, nats: bus.address };
    deployment = await distributed({ apis: 0, workers: 0, runners: 0 }, addresses);
    fleet = new Fleet(deployment, settings);
    await Promise.all([fleet.add('api', 2), fleet.add('worker', 2)]);
    await fleet.ready();
    await upload(api(), 'trips', trips(200));
  }, 900_000);
  afterAll(async () => {
    await Promise.all(fakes.map((fake) => fake.close()));
    await fleet.end('SIGKILL');
    await deployment.remove();
    await eventStore.close();
    await bus.stop();
    await rm(folder, { recursive: true, force: true });
  }, 900_000);

  it(`give an attempt to one of two runners that claim it concurrently: ${RACES} times`, async () => {
    const pair = [await joined('one'), await joined('two')];
    const winners = new Set<string>();
    for (let race = 0; race < RACES; race += 1) {
      const { id } = await train(1);
      const ref = { id, attempt: 1 };
      const claimed = await Promise.all(
        // Each comes first as often as the other, even where timers are late.
        (race % 2 === 0 ? pair : pair.toReversed()).map(async (runner) => {
          await sleep(random.below(3));
          // A claim whose answer was lost is made again: now and then both at once.
          const replies = await Promise.all([runner.claim(ref), ...(random.below(3) === 0 ? [runner.claim(ref)] : [])]);
          expect(new Set(replies.map(({ granted }) => granted)).size).toBe(1);
          return replies[0].granted ? [runner.runnerId] : [];
        }),
      );
      const events = await jobEvents(id);
      expect(claims(events)).toEqual([1]);
      const owner = events.find(({ type }) => type === 'training-attempt-claimed.v1')!.data['runnerId'];
      expect(claimed.flat()).toEqual([owner]);
      winners.add(claimed.flat()[0]!);
      // Both report completion; only the owner's report counts, and only once.
      await Promise.all(
        [...pair, ...pair].map((runner) => runner.report(ref, trained(ref), `${id}/${runner.runnerId}`)),
      );
      expect(ends(await jobEvents(id))).toEqual(['training-job-completed.v1']);
    }
    expect(winners.size).toBe(2);
  }, 900_000);

  it(`end by a stop or a completion, whichever is first, and every client sees the same: ${RACES} times`, async () => {
    const runner = await joined('racer');
    const seen = new Set<string>();
    for (let race = 0; race < RACES; race += 1) {
      const job = await train(1);
      const ref = { id: job.id, attempt: 1 };
      expect(await runner.claim(ref)).toMatchObject({ granted: true });
      const [stopAfter, completeAfter] = [random.below(12), random.below(12)];
      const stop = async () => {
        await sleep(stopAfter);
        return ask(fleet.urls()[random.below(2)]!, key, 'POST', `/felix/training-jobs/${job.id}/stop`);
      };
      const complete = async () => {
        await sleep(completeAfter);
        return runner.report(ref, trained(ref));
      };
      // Each wins once, however busy the machine is; then they race.
      if (race === 0) await complete();
      const stopping = stop();
      if (race === 1) await stopping;
      const [stopped] = await Promise.all([stopping, race === 0 ? undefined : complete()]);
      const [end, ...others] = ends(await jobEvents(job.id));
      expect(others).toEqual([]);
      const status = end === 'training-job-completed.v1' ? 'complete' : 'cancelled';
      expect([end, stopped]).toEqual([end, expect.objectContaining({ status: status === 'complete' ? 409 : 200 })]);
      for (const at of [0, 1]) await eventually(async () => (await statusOf(job, at)) === status);
      expect(await runner.report(ref, trained(ref))).toBe(false);
      seen.add(status);
    }
    expect([...seen].toSorted()).toEqual(['cancelled', 'complete']);
  }, 900_000);

  describe('NATS after losing its data', () => {
    let running: Job;
    let waiting: readonly Job[];

    beforeAll(async () => {
      await Promise.all(fakes.map((fake) => fake.close()));
      fakes.length = 0;
      await fleet.add('gpu-runner', 1);
      running = await train(60);
      await eventually(async () =>
        (await jobEvents(running.id)).some(({ type }) => type === 'training-checkpoint-saved.v1'),
      );
      // Room that nobody uses, so that offers wait in NATS; some of them twice.
      const idle = await joined('idle');
      waiting = await Promise.all([3, 4, 5].map((epochs) => train(epochs)));
      idle.present(waiting.length);
      for (const { id } of waiting) await idle.offer({ id, attempt: 1 });
      idle.absent();
      await bus.kill();
      await rm(join(folder, 'nats'), { recursive: true });
      bus = await nats.start({ directory: join(folder, 'nats'), port: bus.port });
      await fleet.add('gpu-runner', 1);
    }, 900_000);

    it('lets each job, running or waiting, complete once and in the first attempt', async () => {
      const jobs = [running, ...waiting];
      await eventually(async () => {
        const all = await Promise.all(jobs.map(({ id }) => api().get<Job>(`/felix/training-jobs/${id}`)));
        return all.every(ended);
      });
      const events = await log();
      for (const { id } of jobs) {
        const own = eventsOf(events, id);
        expect([ends(own), claims(own)]).toEqual([['training-job-completed.v1'], [1]]);
      }
    }, 900_000);

    it('changes nothing when it then delivers a dispatch repeatedly', async () => {
      const again = await joined('again');
      const job = await train(2);
      await Promise.all(Array.from({ length: 4 }, () => again.offer({ id: job.id, attempt: 1 })));
      await eventually(async () => ended(await api().get<Job>(`/felix/training-jobs/${job.id}`)));
      await Promise.all(Array.from({ length: 2 }, () => again.offer({ id: job.id, attempt: 1 })));
      // Behind those in the queue, so that they have been taken when it is done.
      const next = await train(2);
      await again.offer({ id: next.id, attempt: 1 });
      await eventually(async () => ended(await api().get<Job>(`/felix/training-jobs/${next.id}`)));
      const events = await log();
      for (const { id } of [job, next]) {
        const own = eventsOf(events, id);
        expect([ends(own), claims(own)]).toEqual([['training-job-completed.v1'], [1]]);
      }
    }, 900_000);

    it('lets calls succeed, and no process has ended', async () => {
      const body = {
        model_id: 'anneal/encoder-base-v1',
        text: 'Anna flies to Paris',
        schema: { entities: ['person'] },
      };
      for (const url of fleet.urls())
        expect(await ask(url, key, 'POST', '/inference', body)).toMatchObject({ status: 200 });
      expect(fleet.crashed()).toEqual([]);
    });

    it('leaves one claim per attempt and one end per job on an undamaged log', async () => {
      const events = await log();
      expect(flaws(events)).toEqual([]);
      const jobs = [...Map.groupBy(events, ({ stream }) => stream)].filter(([stream]) => stream.startsWith('job-'));
      expect(jobs.length).toBeGreaterThan(2 * RACES);
      for (const [, own] of jobs) expect([ends(own).length, repeated(claims(own))]).toEqual([1, []]);
    });
  });
});
