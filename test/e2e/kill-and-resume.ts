import { Client } from '#apps/demo/client.js';
import { newApiKey } from '#primitives/secrets/index.js';
import type { Deploy } from '#test/deployments/deployment.js';
import { whereabouts } from './whereabouts.js';
import { facts } from '#test/support/facts.js';
import { trips } from '#test/support/trips.js';

/** So many that the job is not over before it was stopped twice: a stop that waits for the trainer lasts a dozen epochs. */
const EPOCHS = 60;

/** A training job of every head goes on from its last checkpoint and makes the same file. */
export function whenAllIsKilled(deploy: Deploy): void {
  it('a job continues when all processes are killed, started, stopped, and started again', async () => {
    const deployment = await deploy();
    const key = newApiKey();
    const settings = { ANNEAL_BOOTSTRAP_API_KEY: key };
    let system = await deployment.start(settings);
    try {
      let api = new Client(system.url, key);
      await upload(api, 'trips', trips(300) + facts(100));
      const request = {
        base_model: 'anneal/encoder-base-v1',
        datasets: [{ name: 'trips' }],
        nr_epochs: EPOCHS,
        early_stopping_patience: 0,
      };
      const whole = await api.post<Job>('/felix/training-jobs', request);
      await untilJob(api, whole.id, ended);

      const killed = await api.post<Job>('/felix/training-jobs', request);
      let stored = 2;
      for (const signal of ['SIGKILL', 'SIGTERM'] as const) {
        // Checkpoints are stored while training goes on, some epochs behind it where the store is slow.
        await untilJob<Stored>(api, killed.id, (list) => newest(list) > stored, '/checkpoints');
        await system.end(signal);
        system = await deployment.start(settings);
        api = new Client(system.url, key);
        stored = newest(await api.get<Stored>(`/felix/training-jobs/${killed.id}/checkpoints`));
      }
      const job = await untilJob(api, killed.id, ended);
      expect(job).toMatchObject({ status: 'complete', current_epoch: EPOCHS });
      expect(await artifact(api, killed.id)).toEqual(await artifact(api, whole.id));
      const { logs } = await api.get<Logs>(`/felix/training-jobs/${killed.id}/logs`);
      expect(logs.filter(({ message }) => /^Going on from epoch [1-9]/.test(message))).toHaveLength(2);
    } finally {
      await system.end('SIGKILL');
      await deployment.remove();
    }
  });
}

interface Job {
  readonly id: string;
  readonly status: string;
  readonly current_epoch: number;
  readonly is_terminal_status: boolean;
}

interface Logs {
  readonly logs: readonly { readonly message: string }[];
}

interface Stored {
  readonly checkpoints: readonly { readonly epoch: number }[];
}

const ended = (job: Job): boolean => job.is_terminal_status;

/** The epoch of the newest checkpoint; 0 where there is none. */
const newest = ({ checkpoints }: Stored): number => Math.max(0, ...checkpoints.map(({ epoch }) => epoch));

/** @throws Error when it hangs: with where the job stands, since that may be seldom */
async function untilJob<Answer = Job>(
  api: Client,
  id: string,
  holds: (answer: Answer) => boolean,
  path = '',
): Promise<Answer> {
  try {
    return await api.until<Answer>(`/felix/training-jobs/${id}${path}`, holds, 300);
  } catch (cause) {
    throw new Error(`the job hangs\n${await whereabouts(api, id)}`, { cause });
  }
}

async function upload(api: Client, name: string, content: string): Promise<void> {
  const { presigned_url, dataset_id } = await api.post<{ presigned_url: string; dataset_id: string }>(
    '/felix/datasets/upload/url',
    { dataset_name: name, filename: 'rows.jsonl' },
  );
  await fetch(presigned_url, { method: 'PUT', body: content });
  await api.post('/felix/datasets/upload/process', { dataset_id });
  await api.until<Job>(`/felix/datasets/${name}/latest`, ({ status }) => status === 'ready', 300);
}

/** The files of a finished job, with their hashes. */
async function artifact(api: Client, jobId: string): Promise<unknown> {
  interface Page {
    readonly events: readonly { type: string; data: { artifact: { files: unknown[] } } }[];
  }
  const { events } = await api.get<Page>(`/events?stream=job-${jobId}&limit=1000`);
  return events.find(({ type }) => type === 'training-job-completed.v1')!.data.artifact.files;
}
