import type { TestApi } from '#test/support/api.js';
import { uploadDataset } from '#test/support/datasets.js';
import { sharedTestApi } from '#test/support/shared-api.js';
import { TrainingClient } from '#test/support/training-client.js';
import { trips } from '#test/support/trips.js';
import type { TrainingJobRecord } from './reading/responses.js';

const BASE = 'anneal/encoder-base-v1';
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Records of trainings by the built-in engine: checkpoints, held-out rows, saved steps. */
describe('trainings of the built-in engine', () => {
  let api: TestApi;
  let client: TrainingClient;
  beforeAll(async () => {
    api = await sharedTestApi();
    client = new TrainingClient(api);
    await uploadDataset(api, { dataset_name: 'trips', filename: 'trips.jsonl' }, trips(60));
    const tagged = JSON.stringify({ text: 'Ada left', entities: [['Ada', 'person']] });
    await uploadDataset(api, { dataset_name: 'entities', filename: 'e.jsonl' }, tagged);
  });
  afterAll(() => api.close());

  const start = (more: object = {}) =>
    client.start({ base_model: BASE, datasets: [{ name: 'trips' }], nr_epochs: 3, ...more });

  describe('a training job that completes', () => {
    let job: TrainingJobRecord;
    beforeAll(async () => {
      job = await client.ended((await start()).id);
    });

    it('has a checkpoint for each epoch, one of them the best, the last one final', async () => {
      const { body } = await api.call('GET', `/felix/training-jobs/${job.id}/checkpoints`);
      expect(body).toEqual({ success: true, count: 3, checkpoints: await client.checkpoints(job.id) });
      const checkpoints = await client.checkpoints(job.id);
      expect(checkpoints.map(({ epoch }) => epoch)).toEqual([1, 2, 3]);
      expect(checkpoints.filter(({ is_best }) => is_best)).toHaveLength(1);
      expect(checkpoints.map(({ is_final }) => is_final)).toEqual([false, false, true]);
      expect(checkpoints.find(({ is_best }) => is_best)!.f1).toBe(job.metrics!.f1);
      expect(job.metrics!.f1).toBeGreaterThan(0.5);
      expect(checkpoints[0]).toEqual({
        id: expect.stringMatching(UUID),
        job_id: job.id,
        epoch: 1,
        step: expect.any(Number),
        training_loss: expect.any(Number),
        validation_loss: expect.any(Number),
        f1: expect.any(Number),
        learning_rate: expect.any(Number),
        is_best: expect.any(Boolean),
        is_final: false,
        created_at: expect.stringMatching(/Z$/),
      });
    });
  });

  it('say how far their confidences can be relied on, also by the name of the model', async () => {
    const job = await client.ended((await start()).id);
    const { confidence, ...figures } = job.metrics!.heads['entities']!;
    const share = expect.any(Number);
    expect(figures).toEqual({ f1: share, precision: share, recall: share, accuracy: share });
    expect(confidence).toEqual({
      rows: 6,
      threshold: expect.any(Number),
      calibration_error: expect.any(Number),
      candidate_calibration_error: expect.any(Number),
      thresholds: expect.arrayContaining([
        { threshold: 0.5, answers: expect.any(Number), precision: expect.any(Number), recall: expect.any(Number) },
      ]),
    });
    await api.call('POST', '/models', { name: 'sure' });
    await api.call('POST', '/models/sure/versions', { training_job_id: job.id });
    await api.call('PUT', '/models/sure/versions/1/promote', { reason: 'the first' });
    const get = async (query = '') => (await api.call('GET', `/models/sure${query}`)).body.confidence;
    expect((await get()).entities).toEqual(confidence);
    const reached = confidence!.thresholds.find(({ precision }) => precision !== null && precision >= 0.5)!;
    expect((await get('?precision=0.5')).entities.threshold_for_precision).toBe(reached.threshold);
    expect((await get('?precision=0')).entities.threshold_for_precision).toBe(0.05);
    expect((await api.call('GET', '/models/sure?precision=2')).status).toBe(422);
  });

  it('learn what classes mean, also one that no row has', async () => {
    const rows = ['where is my parcel', 'my parcel is late', 'the parcel never came', 'track my parcel'];
    const more = ['I want my money back', 'give me my money', 'pay me back', 'refund my money'];
    const lines = [...rows.map((text) => `${text},K1`), ...more.map((text) => `${text},K2`)];
    const file = `text,label\n${lines.join('\n')}\n`;
    await uploadDataset(api, { dataset_name: 'coded', dataset_type: 'classification' }, file);
    const label_descriptions = { K1: 'a parcel', K2: 'money back', K3: 'the opening hours of a shop' };
    const asked = { base_model: BASE, datasets: [{ name: 'coded' }], label_descriptions };
    const job = await client.ended((await client.start(asked)).id);
    expect(job).toMatchObject({ status: 'complete', labels: ['K1', 'K2', 'K3'], label_descriptions });
    const text = 'opening hours of your shop';
    const { body } = await api.call('POST', '/inference', { model_id: job.id, text });
    expect(body.result.classification.label).toBe('K3');
    const refused = async (changes: object) => {
      const { status, body } = await api.call('POST', '/felix/training-jobs', {
        model_name: 'm',
        ...asked,
        ...changes,
      });
      return [status, body.errors[0].loc, body.errors[0].msg];
    };
    const loc = ['body', 'label_descriptions'];
    const classless = { datasets: [{ name: 'entities' }] };
    expect(await refused(classless)).toEqual([422, loc, expect.stringMatching(/for classes/)]);
    const estimate = await api.call('POST', '/felix/training-jobs/estimate', { ...asked, ...classless });
    expect([estimate.status, estimate.body.errors[0].loc]).toEqual([422, loc]);
    for (const wrong of [
      [],
      'K1',
      {},
      { K1: 7 },
      { ' ': 'a' },
      { ['K'.repeat(201)]: 'a' },
      { K1: '' },
      { K1: 'a'.repeat(501) },
    ])
      expect(await refused({ label_descriptions: wrong })).toEqual([422, loc, expect.stringMatching(/must/)]);
  });

  it('learn from all rows if there is one per class, and have no figures', async () => {
    const file = 'text,label\nwhen does it open,question\nsend it back,order\n';
    await uploadDataset(api, { dataset_name: 'two rows', dataset_type: 'classification' }, file);
    const { id } = await start({ datasets: [{ name: 'two rows' }] });
    const job = await client.ended(id);
    expect(job).toMatchObject({ status: 'complete', labels: ['order', 'question'] });
    const none = { f1: null, precision: null, recall: null, macro_f1: null, accuracy: null };
    expect(job.metrics).toMatchObject({
      ...none,
      eval_f1_score: null,
      per_entity: {},
      heads: { classification: { f1: null, precision: null, recall: null, accuracy: null } },
      judged_on: null,
      judged_rows: 0,
      rows_with_vectors: null,
      figures_note: expect.stringMatching(/could be held out/),
    });
    expect((await client.checkpoints(id)).map(({ f1 }) => f1)).toEqual([null, null, null]);
    const { body } = await api.call('GET', `/felix/training-jobs/${id}/logs`);
    expect(JSON.stringify(body.logs)).toMatch(/f1 not measured/);
    expect(await client.automaticEvaluation(id)).toMatchObject({ ...none, status: 'complete', sample_count: 0 });
  });

  it('save checkpoints between the epochs with save_steps, thinned if there would be too many', async () => {
    const { id, save_steps } = await start({ save_steps: 5, nr_epochs: 1 });
    expect(save_steps).toBe(5);
    await client.ended(id);
    expect((await client.checkpoints(id)).length).toBeGreaterThan(1);
    const many = await start({ save_steps: 1, nr_epochs: 200 });
    await api.call('DELETE', `/felix/training-jobs/${many.id}`);
    expect(many.save_steps).toBeGreaterThan(1);
  });
});
