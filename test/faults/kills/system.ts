import { Client } from '#apps/demo/client.js';
import type { RecordedEvent } from '#ports/event-store/port.js';
import { newApiKey } from '#primitives/secrets/index.js';
import type { Distributed } from '#test/deployments/distributed.js';
import { deployDistributed } from '#test/deployments/with-servers.js';
import { trips } from '#test/support/trips.js';
import { Fleet, type Member } from '../support/fleet.js';
import { readLog } from '../support/log.js';
import { faultSeed, seeded, type Random } from '../support/seed.js';
import { ended, ends, eventsOf, upload, type Job } from '../support/training.js';
import { eventually } from '#test/support/eventually.js';

const EPOCHS = 40;
export const JOB = {
  base_model: 'anneal/encoder-base-v1',
  datasets: [{ name: 'trips' }],
  nr_epochs: EPOCHS,
  early_stopping_patience: 0,
};

/** Two processes of each role, a dataset, and a job that nothing disturbed. */
export class SystemUnderKills {
  readonly seed = faultSeed();
  readonly random: Random = seeded(this.seed);
  readonly key = newApiKey();
  fleet!: Fleet;
  /** The events of the undisturbed job. */
  whole!: readonly RecordedEvent[];
  deployment!: Distributed;

  async start(): Promise<void> {
    this.deployment = await deployDistributed({ apis: 0, workers: 0, runners: 0 });
    this.fleet = new Fleet(this.deployment, { ANNEAL_BOOTSTRAP_API_KEY: this.key, ANNEAL_RATE_LIMITS: 'off' });
    const { fleet } = this;
    await Promise.all([fleet.add('api', 2), fleet.add('worker', 2), fleet.add('gpu-runner', 2)]);
    await fleet.ready();
    await upload(this.api(), 'trips', trips(400));
    const job = await this.train();
    await this.untilEnded(job);
    this.whole = await this.jobEvents(job.id);
  }

  async remove(): Promise<void> {
    await this.fleet.end('SIGKILL');
    await this.deployment.remove();
  }

  /** The first API that runs. */
  api(): Client {
    return new Client(this.fleet.urls()[0]!, this.key);
  }

  log(): Promise<readonly RecordedEvent[]> {
    return readLog(this.deployment.environment['ANNEAL_EVENT_STORE']!);
  }

  async jobEvents(id: string): Promise<readonly RecordedEvent[]> {
    return eventsOf(await this.log(), id);
  }

  /** Ids of all calls in the history, newest first. */
  async history(): Promise<string[]> {
    interface Page {
      readonly inferences: readonly { readonly id: string }[];
      readonly total: number;
    }
    const ids: string[] = [];
    for (;;) {
      const { inferences, total } = await this.api().get<Page>(`/inferences?limit=100&offset=${ids.length}`);
      ids.push(...inferences.map(({ id }) => id));
      if (inferences.length === 0 || ids.length >= total) return ids;
    }
  }

  /** Begins a job, the same each time. */
  train(): Promise<Job> {
    return this.api().post<Job>('/felix/training-jobs', JOB);
  }

  async untilEnded({ id }: Job): Promise<void> {
    await eventually(async () => ended(await this.api().get<Job>(`/felix/training-jobs/${id}`)));
  }

  /** The runner that has the job under way, once it has stored checkpoints. */
  trainer({ id }: Job): Promise<Member> {
    return eventually(async () => {
      const events = await this.jobEvents(id);
      const claimed = events.findLast(({ type }) => type === 'training-attempt-claimed.v1');
      const saved = events.filter(({ type }) => type === 'training-checkpoint-saved.v1').length;
      if (ends(events).length > 0) throw new Error('the job is over already');
      return saved >= 3 && this.fleet.runner((claimed!.data['runnerId'] as string).split('/')[0]!);
    });
  }
}

/** The epochs whose end was told, each as often as it was. */
export const epochsOf = (events: readonly RecordedEvent[]): unknown[] =>
  events.filter(({ type }) => type === 'training-epoch-completed.v1').map(({ data }) => data['epoch']);

export const ALL_EPOCHS: readonly number[] = Array.from({ length: EPOCHS }, (_, epoch) => epoch + 1);
