import { uploadDataset } from '#test/support/datasets.js';
import type { TestApi } from '#test/support/api.js';
import { QUICK_ENGINES } from '#test/support/quick-engines.js';
import { sharedTestApi } from '#test/support/shared-api.js';
import { TrainingClient } from '#test/support/training-client.js';
import { trips } from '#test/support/trips.js';
import type { TrainingJobRecord } from '../training-jobs/reading/responses.js';

const BASE = 'anneal/encoder-base-v1';

let api: TestApi;
let client: TrainingClient;
let job: TrainingJobRecord;
beforeAll(async () => {
  api = await sharedTestApi({ engines: QUICK_ENGINES });
  await uploadDataset(api, { dataset_name: 'folded trips', filename: 'trips.jsonl' }, trips(60));
  client = new TrainingClient(api);
  const { id } = await client.start({ base_model: BASE, datasets: [{ name: 'folded trips' }], nr_epochs: 2 });
  job = await client.ended(id);
});
afterAll(() => api.close());

describe('a cross-validation', () => {
  const start = (body: object) => api.call('POST', '/felix/evaluations', body);

  it('answers every row of a job by a model that did not see it, with the certainty of each answer', async () => {
    const evaluation = await client.evaluate({ cross_validation_of: job.id, folds: 3 });
    expect(evaluation).toMatchObject({
      ...{ status: 'complete', error_message: null, folds: 3, sample_count: 60, overlapping_rows: null },
      ...{ model_id: job.id, training_job_id: job.id, base_model: BASE, dataset_name: 'folded trips' },
    });
    expect(evaluation.f1).toBeGreaterThan(0.5);
    const predictions = evaluation.predictions!;
    expect(predictions).toHaveLength(60);
    expect(predictions.map(({ text }) => text)).toEqual(
      trips(60)
        .trim()
        .split('\n')
        .map((line) => (JSON.parse(line) as { text: string }).text),
    );
    const certainties = predictions.map(({ certainty }) => certainty!);
    expect(certainties.every((certainty) => certainty >= 0 && certainty <= 1)).toBe(true);
    expect(new Set(certainties).size).toBeGreaterThan(10);
  });

  it('is the same each time, and is compared with another one of the same rows', async () => {
    const [one, two] = [
      await client.evaluate({ cross_validation_of: job.id, folds: 2 }),
      await client.evaluate({ cross_validation_of: job.id, folds: 2 }),
    ];
    expect(two.predictions).toEqual(one.predictions);
    const { status, body } = await api.call('GET', `/felix/evaluations/${one.id}/comparison?with=${two.id}`);
    expect({ status, body }).toMatchObject({
      status: 200,
      body: { figures: { correct: { difference: { value: 0 } } } },
    });
  });

  it('begins once its job has ended, though the read model has not heard of that', async () => {
    const { readStore } = api.application.ports;
    const get = readStore.get.bind(readStore) as (collection: string, id: string) => Promise<object | null>;
    const behind = async (collection: string, id: string) => {
      const document = await get(collection, id);
      return id === job.id && document ? { ...document, status: 'running', artifact: null } : document;
    };
    Object.assign(readStore, { get: behind });
    try {
      expect(await start({ cross_validation_of: job.id, folds: 2 })).toMatchObject({ status: 200 });
    } finally {
      Object.assign(readStore, { get });
    }
  });

  it.each([
    [{ base_model: BASE }, 'base_model', 'does not go with cross_validation_of'],
    [{ dataset_name: 'folded trips' }, 'dataset_name', 'does not go with cross_validation_of'],
    [{ held_out_of: 'x' }, 'held_out_of', 'does not go with cross_validation_of'],
    [{ folds: 1 }, 'folds', '2'],
  ])('refuses %j beside it', async (beside, field, message) => {
    const { status, body } = await start({ cross_validation_of: job.id, ...beside });
    expect(status).toBe(422);
    expect(JSON.stringify(body)).toContain(field);
    expect(JSON.stringify(body)).toContain(message);
  });

  it('refuses jobs of others, jobs that went on from another one, and folds of nothing', async () => {
    expect(await start({ cross_validation_of: crypto.randomUUID() })).toMatchObject({ status: 404 });
    const { id } = await client.start({ base_model: job.id, datasets: [{ name: 'folded trips' }], nr_epochs: 1 });
    await client.ended(id);
    expect(JSON.stringify(await start({ cross_validation_of: id }))).toContain('went on from another one');
    const folds = await start({ base_model: job.id, dataset_name: 'folded trips', folds: 3 });
    expect(folds).toMatchObject({ status: 422 });
    expect(JSON.stringify(folds)).toContain('goes with cross_validation_of alone');
  });
});
