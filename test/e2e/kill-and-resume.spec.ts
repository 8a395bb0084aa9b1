import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '#apps/demo/client.js';
import { spawnSystem } from '#apps/demo/system.js';
import { newApiKey } from '#secrets/index.js';
import { builtin, openRunnerBench } from '#test/support/runner-bench.js';
import { trips } from '#test/support/trips.js';

const EPOCHS = 40;

describe('a training job that is killed half way goes on from its last checkpoint and makes the same file', () => {
  test('when its own process is killed', async () => {
    const bench = await openRunnerBench(await builtin());
    try {
      const runner = bench.startRunner();
      const files = async (id: string) =>
        ((await bench.until('training-job-completed.v1', id)).data['artifact'] as { files: object[] }).files;
      await bench.requestJobOn('whole', trips(60), EPOCHS);
      await bench.offer('training', 'whole', 1);
      const expected = await files('whole');

      await bench.requestJobOn('killed', trips(60), EPOCHS);
      await bench.offer('training', 'killed', 1);
      await bench.until('training-checkpoint-saved.v1', 'killed');
      process.kill(runner.processes().get('killed')!, 'SIGKILL');
      await bench.until('training-attempt-lost.v1', 'killed');
      await bench.offer('training', 'killed', 2);
      expect(await files('killed')).toEqual(expected);
      const epochs = (await bench.events('job', 'killed')).filter(({ type }) => type === 'training-epoch-completed.v1');
      expect(epochs.map(({ data }) => data['epoch'])).toEqual(Array.from({ length: EPOCHS }, (_, index) => index + 1));
      expect(new Set(epochs.map(({ data }) => data['attempt']))).toEqual(new Set([1, 2]));
    } finally {
      await bench.close();
    }
  }, 60_000);

  test('when the whole server is stopped, started, killed, and started again', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'anneal-kill-'));
    const key = newApiKey();
    const settings = { ANNEAL_BOOTSTRAP_API_KEY: key };
    let system = await spawnSystem(directory, settings);
    try {
      let api = new Client(system.url, key);
      await upload(api, 'trips', trips(400));
      const request = {
        base_model: 'anneal/encoder-base-v1',
        datasets: [{ name: 'trips' }],
        nr_epochs: EPOCHS,
        early_stopping_patience: 0,
      };
      const whole = await api.post<Job>('/felix/training-jobs', request);
      await api.until<Job>(`/felix/training-jobs/${whole.id}`, ended, 60);

      const killed = await api.post<Job>('/felix/training-jobs', request);
      let reached = 2;
      for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
        await api.until<Job>(`/felix/training-jobs/${killed.id}`, ({ current_epoch }) => current_epoch > reached, 60);
        await system.end(signal);
        system = await spawnSystem(directory, settings);
        api = new Client(system.url, key);
        reached = (await api.get<Job>(`/felix/training-jobs/${killed.id}`)).current_epoch;
      }
      const job = await api.until<Job>(`/felix/training-jobs/${killed.id}`, ended, 60);
      expect(job).toMatchObject({ status: 'complete', current_epoch: EPOCHS });
      expect(await artifact(directory, killed.id, 3)).toEqual(await artifact(directory, whole.id, 1));
      const { logs } = await api.get<Logs>(`/felix/training-jobs/${killed.id}/logs`);
      expect(logs.filter(({ message }) => /^Going on from epoch [1-9]/.test(message))).toHaveLength(2);
    } finally {
      await system.end('SIGKILL');
      await rm(directory, { recursive: true, force: true });
    }
  }, 120_000);
});

interface Job {
  readonly id: string;
  readonly status: string;
  readonly current_epoch: number;
  readonly is_terminal_status: boolean;
}

interface Logs {
  readonly logs: readonly { readonly message: string }[];
}

const ended = (job: Job): boolean => job.is_terminal_status;

async function upload(api: Client, name: string, content: string): Promise<void> {
  const { presigned_url, dataset_id } = await api.post<{ presigned_url: string; dataset_id: string }>(
    '/felix/datasets/upload/url',
    { dataset_name: name, filename: 'rows.jsonl' },
  );
  await fetch(presigned_url, { method: 'PUT', body: content });
  await api.post('/felix/datasets/upload/process', { dataset_id });
  await api.until<Job>(`/felix/datasets/${name}/latest`, ({ status }) => status === 'ready', 30);
}

/** Hashes of the files of a finished attempt, by name. */
async function artifact(dataDir: string, jobId: string, attempt: number): Promise<Readonly<Record<string, string>>> {
  const folder = join(dataDir, 'objects', 'objects', 'jobs', jobId, String(attempt), 'artifact');
  const names = (await readdir(folder)).toSorted();
  const hash = async (name: string) =>
    createHash('sha256')
      .update(await readFile(join(folder, name)))
      .digest('hex');
  return Object.fromEntries(await Promise.all(names.map(async (name) => [name, await hash(name)] as const)));
}
