import { AccountBook, type Account } from '#application/accounts/index.js';
import type { Application } from '#application/application.js';
import type { LimitName } from '#domain/team/index.js';
import { startTestApi, type TestSystem } from '#test/support/api.js';
import { uploadDataset } from '#test/support/datasets.js';
import { operate } from '#test/support/operate.js';
import { WorkQueues } from './work-queues.js';

const ROWS = '{"text":"Ada is in Paris","entities":[["Ada","person"]]}\n'.repeat(20);
const BASE = 'anneal/encoder-base-v1';

describe('queues of a workspace', () => {
  let api: TestSystem;
  let uploaded: string;
  beforeAll(async () => {
    api = await startTestApi({ rateLimits: false });
    await uploadDataset(api, { dataset_name: 'rows' }, ROWS);
    const { body } = await api.call('POST', '/felix/datasets/upload/url', { dataset_name: 'more' });
    await fetch(body.presigned_url as string, { method: 'PUT', body: ROWS });
    uploaded = body.dataset_id as string;
  });
  afterAll(async () => {
    await api.close();
  });

  const setLimit = async (limit: LimitName, value: number | null) => {
    await operate(api, 'team.limit', { limit, value });
    const { team_id: teamId } = (await api.call('GET', '/account')).body;
    api.app.get(AccountBook).drop(teamId as string);
  };

  const train = () => ({ base_model: BASE, datasets: [{ name: 'rows' }], nr_epochs: 1 });
  it.each([
    ['evaluations', 'evaluations', '/felix/evaluations', () => ({ base_model: BASE, dataset_name: 'rows' })],
    ['generation', 'generation_jobs', '/generate', () => ({ task_type: 'ner', labels: ['city'], num_examples: 1 })],
    ['dataset-processing', 'processing_versions', '/felix/datasets/upload/process', () => ({ dataset_id: uploaded })],
    [
      'dataset-processing',
      'processing_versions',
      '/felix/datasets/merge',
      () => ({ sources: [{ dataset_name: 'rows' }, { dataset_name: 'rows' }], output_name: 'merged' }),
    ],
    // Runs last, because an evaluation follows it automatically.
    ['training-jobs', 'training_jobs', '/felix/training-jobs', train],
  ] as const)(
    "refuse work that exceeds %s (%s) with 429 and the queue's length: POST %s",
    async (scope, limit, path, body) => {
      await setLimit(limit, 0);
      const refused = await api.call('POST', path, body());
      expect(refused.body).toEqual({
        detail: expect.stringMatching(/^this workspace has \d+ [a-z ]+ waiting or running, and may have 0; wait until/),
        ...{ code: 'queue_full', scope, queue_length: expect.any(Number) },
      });
      expect(refused.status).toBe(429);
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
      expect(refused.headers.get('x-ratelimit-limit')).toBe('0');
      await setLimit(limit, null);
      const taken = await api.call('POST', path, body());
      expect(Math.floor(taken.status / 100)).toBe(2);
    },
  );

  it("refuse a batch that does not fit with 429 in OpenAI's shape, and accept it once the limit is raised", async () => {
    const line = { custom_id: 'a', method: 'POST', url: '/v1/embeddings', body: { model: 'x', input: 'x' } };
    const form = new FormData();
    form.append('purpose', 'batch');
    form.append('file', new Blob([`${JSON.stringify(line)}\n`]), 'batch.jsonl');
    const headers = { authorization: `Bearer ${api.key}` };
    const file = await fetch(`${api.url}/v1/files`, { method: 'POST', headers, body: form });
    const { id } = (await file.json()) as { id: string };
    const batch = { input_file_id: id, endpoint: '/v1/embeddings', completion_window: '24h' };
    await setLimit('batches', 0);
    const refused = await api.call('POST', '/v1/batches', batch);
    expect([refused.status, refused.headers.get('x-ratelimit-scope'), refused.body.error]).toEqual([
      429,
      'batches',
      expect.objectContaining({ code: 'queue_full', message: expect.stringContaining('may have 0') }),
    ]);
    await setLimit('batches', 1);
    expect((await api.call('POST', '/v1/batches', batch)).status).toBe(200);
    await setLimit('batches', null);
  });

  it('accept a repeat with the same Idempotency-Key although they are full', async () => {
    const headers = { 'x-api-key': api.key, 'idempotency-key': 'once' };
    const body = { task_type: 'ner', labels: ['city'], num_examples: 1 };
    const first = await api.call('POST', '/generate', body, headers);
    await setLimit('generation_jobs', 0);
    const again = await api.call('POST', '/generate', body, headers);
    expect([again.status, again.body]).toEqual([first.status, first.body]);
    await setLimit('generation_jobs', null);
  });
});

describe('a queue', () => {
  const caller = { kind: 'key', userId: 'u', teamId: 't', workspaceId: 'w1', keyId: 'k' } as const;
  let counted: number;
  const queues = () => {
    const readStore = { count: async () => counted };
    const accounts = { of: async () => ({ limits: new Map([['training_jobs', 3]]) }) as unknown as Account };
    return new WorkQueues({ ports: { readStore } } as unknown as Application, accounts as unknown as AccountBook);
  };

  it('counts entries made at the same time, which no read model counts yet', async () => {
    counted = 1;
    const queue = queues();
    const gate = Promise.withResolvers<void>();
    const entered = Array.from({ length: 5 }, () => queue.enter('training-jobs', caller, () => gate.promise));
    gate.resolve();
    const outcomes = await Promise.allSettled(entered);
    expect(outcomes.map(({ status }) => status)).toEqual([
      'fulfilled',
      'fulfilled',
      'rejected',
      'rejected',
      'rejected',
    ]);
    expect((outcomes[4] as PromiseRejectedResult).reason).toMatchObject({ queue: { length: 3, limit: 3 } });
    await expect(queue.enter('training-jobs', { ...caller, workspaceId: 'w2' }, async () => 'in')).resolves.toBe('in');
  });

  it('has room again when an entry was refused', async () => {
    counted = 2;
    const queue = queues();
    const refuse = () => queue.enter('training-jobs', caller, () => Promise.reject(new Error('refused')));
    await expect(refuse()).rejects.toThrow('refused');
    await expect(refuse()).rejects.toThrow('refused');
  });
});
