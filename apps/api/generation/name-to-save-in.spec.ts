import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startTestApi, type TestApi } from '#test/support/api.js';
import { operate } from '#test/support/operate.js';

describe('rows that are to be saved under the name of a benchmark', () => {
  let api: TestApi;
  let folder: string;
  beforeAll(async () => {
    api = await startTestApi({ rateLimits: false });
    folder = await mkdtemp(join(tmpdir(), 'benchmark-'));
    const path = join(folder, 'rows.jsonl');
    await writeFile(path, '{"text":"Ada is in Paris","entities":[["Paris","city"]]}\n');
    await operate(api, 'datasets.add-benchmark', { path, name: 'held-out', type: 'ner' });
  });
  afterAll(async () => {
    await api.close();
    await rm(folder, { recursive: true });
  });

  test.each([
    ['/generate', { task_type: 'ner', labels: ['city'], num_examples: 3 }],
    ['/generate/ner/label-existing', { inputs: ['Paris'], labels: ['city'] }],
    ['/generate/classification/label-existing', { inputs: ['Paris'], labels: ['good', 'bad'] }],
  ])('are refused by POST %s, which they would hide from their workspace', async (path, body) => {
    const { status, body: answer } = await api.call('POST', path, { ...body, dataset_name: 'held-out' });
    expect([status, answer.errors?.[0].loc]).toEqual([422, ['body', 'dataset_name']]);
    expect((await api.call('GET', '/felix/datasets/held-out/latest')).body.type).toBe('benchmark');
    expect((await api.call('POST', path, { ...body, dataset_name: 'held-out', save_dataset: false })).status).toBe(
      path === '/generate' ? 202 : 200,
    );
  });
});
