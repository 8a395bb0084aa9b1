import type { TestApi } from '#test/support/api.js';
import { uploadDataset } from '#test/support/datasets.js';
import { QUICK_ENGINES } from '#test/support/quick-engines.js';
import { sharedTestApi } from '#test/support/shared-api.js';
import { TrainingClient } from '#test/support/training-client.js';
import { trips } from '#test/support/trips.js';

const BASE = 'anneal/encoder-base-v1';

describe('the estimate of a training job', () => {
  let api: TestApi;
  const estimate = (body: object, headers?: Record<string, string>) =>
    api.call(
      'POST',
      '/felix/training-jobs/estimate',
      { base_model: BASE, datasets: [{ name: 'trips' }], ...body },
      headers,
    );
  beforeAll(async () => {
    api = await sharedTestApi({ engines: QUICK_ENGINES });
    await uploadDataset(api, { dataset_name: 'trips', filename: 'trips.jsonl' }, trips(60));
  });
  afterAll(() => api.close());

  it('has no times before a job on that base model has completed, and starts nothing', async () => {
    const { status, body } = await estimate({ nr_epochs: 3 });
    const none = { seconds: null, seconds_low: null, seconds_high: null, word_vector_bytes: null };
    expect([status, body]).toEqual([200, { base_model: BASE, rows: 60, epochs: 3, jobs: 0, ...none }]);
    expect((await api.call('GET', '/felix/training-jobs')).body.total).toBe(0);
  });

  it('is computed from the time per row and epoch of past jobs', async () => {
    const training = new TrainingClient(api);
    const { id } = await training.start({ base_model: BASE, datasets: [{ name: 'trips' }], nr_epochs: 2 });
    const { started_at, completed_at } = await training.ended(id);
    const took = (Date.parse(completed_at!) - Date.parse(started_at!)) / 1_000;
    const { body } = await estimate({});
    expect(body).toMatchObject({ jobs: 1, epochs: 2 });
    expect(body.seconds).toBeCloseTo(took, 0);
    const { body: longer } = await estimate({ nr_epochs: 200 });
    expect(longer.seconds).toBeCloseTo(100 * took, 0);
    expect((await estimate({ training_type: 'full' })).body).toMatchObject({ jobs: 0, seconds: null });
  });

  it('is refused as the job would be, and uses no datasets and jobs of other workspaces', async () => {
    expect((await estimate({ base_model: 'nothing' })).status).toBe(404);
    expect((await estimate({ nr_epochs: 0 })).status).toBe(422);
    expect((await estimate({}, { 'x-api-key': (await api.colleague()).key })).status).toBe(404);
  });
});
