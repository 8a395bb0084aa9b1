import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readCatalog } from '#models/catalog/read.js';
import { startTestApi, type TestApi } from '#test/support/api.js';
import { uploadDataset } from '#test/support/datasets.js';
import { operate } from '#test/support/operate.js';
import { trips } from '#test/support/trips.js';

const BASE = 'anneal/encoder-base-v1';

/**
 * Wire details, section 2: 401, 429, 400, 422, 404, 451, 402 or 403, 409 or 425. If two errors apply, the earlier is
 * reported.
 */
describe('errors are checked in one order, which has', () => {
  let directory: string;
  let api: TestApi;
  let cancelledJob: string;
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'anneal-order-'));
    const modelCatalog = join(directory, 'models.json');
    await writeFile(
      modelCatalog,
      JSON.stringify({ models: [{ ...readCatalog().entries[0], blocked_regions: ['KP'] }] }),
    );
    api = await startTestApi({ modelCatalog, bodyMaxBytes: 10_000 });
    await uploadDataset(api, { dataset_name: 'trips', filename: 'trips.jsonl' }, trips(60));
    const job = { model_name: 'm', base_model: BASE, datasets: [{ name: 'trips' }], nr_epochs: 50 };
    cancelledJob = (await api.call('POST', '/felix/training-jobs', job)).body.id;
    await api.call('POST', `/felix/training-jobs/${cancelledJob}/stop`);
  });
  afterAll(async () => {
    await api.close();
    await rm(directory, { recursive: true });
  });

  /** @param enforced whether the credits, of which there are none, are asked for */
  async function account(region: string, enforced: boolean): Promise<void> {
    await operate(api, 'team.set', { region });
    await operate(api, 'billing.enforce', { enforced });
  }

  const infer = (more: object) =>
    api.call('POST', '/inference', { model_id: BASE, text: 'Ada', schema: ['person'], ...more });
  const start = (body: unknown, headers?: Record<string, string>) =>
    api.call('POST', '/felix/training-jobs', body, headers);
  const unknownProject = { project_id: '0190f3c4-0000-7000-8000-000000000000' };

  it('400 before 413, 422 and 404', async () => {
    expect((await api.call('POST', '/inferences/none/feedback', '{')).status).toBe(400);
    expect((await api.call('GET', '/inferences?limit=ten&offset=-1')).status).toBe(400);
    expect((await api.call('GET', '/inferences?limit=ten&project_id=none')).status).toBe(400);
    const headers = { 'x-api-key': api.key, 'content-type': 'text/plain' };
    expect((await api.call('POST', '/projects', 'x'.repeat(20_000), headers)).status).toBe(400);
  });

  it('422 before 404', async () => {
    expect((await infer({ model_id: 'none', text: 5 })).status).toBe(422);
    expect((await infer({ threshold: 2, ...unknownProject })).status).toBe(422);
    expect((await start({ base_model: 'none', datasets: [{ name: 'none' }], nr_epochs: -1 })).status).toBe(422);
    const evaluation = { base_model: 'none', dataset_name: 'none', max_examples: 0 };
    expect((await api.call('POST', '/felix/evaluations', evaluation)).status).toBe(422);
    expect((await api.call('GET', '/felix/training-jobs?limit=0&project_id=none')).status).toBe(422);
  });

  it('404 before 451, and 451 before 402', async () => {
    await account('KP', true);
    expect((await infer(unknownProject)).status).toBe(404);
    expect((await infer({ model_id: 'none' })).status).toBe(404);
    expect((await infer({})).status).toBe(451);
  });

  it('402 before 409', async () => {
    await account('DE', true);
    expect((await infer({ model_id: cancelledJob })).status).toBe(402);
    await account('DE', false);
    expect((await infer({ model_id: cancelledJob })).status).toBe(409);
    expect((await infer({})).status).toBe(200);
  });

  // Runs last, because it blocks further starts for a minute.
  it('401 before 429, and 429 before 400, 422 and 404', async () => {
    for (let n = 0; n < 20; n += 1) await start({});
    expect((await start('{', {})).status).toBe(401);
    expect((await start('{')).status).toBe(429);
    expect((await start({})).status).toBe(429);
    expect((await start({ base_model: 'none', datasets: [{ name: 'none' }] })).status).toBe(429);
  });
});
