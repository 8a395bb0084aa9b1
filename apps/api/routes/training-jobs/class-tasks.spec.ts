import type { TestApi } from '#test/support/api.js';
import { uploadDataset } from '#test/support/datasets.js';
import { sharedTestApi } from '#test/support/shared-api.js';
import { asLines, taskRows } from '#test/support/task-rows.js';
import { TrainingClient } from '#test/support/training-client.js';
import type { TrainingJobRecord } from './reading/responses.js';

const BASE = 'anneal/encoder-base-v1';

describe('several classification tasks in one model', () => {
  let api: TestApi;
  let client: TrainingClient;
  let job: TrainingJobRecord;
  const upload = (dataset_name: string, rows: readonly object[], more: object = {}) =>
    uploadDataset(api, { dataset_name, dataset_type: 'classification', filename: 'r.jsonl', ...more }, asLines(rows));
  const infer = async (body: object) => (await api.call('POST', '/inference', { model_id: job.id, ...body })).body;

  beforeAll(async () => {
    api = await sharedTestApi();
    client = new TrainingClient(api);
    const version = await upload('letters', taskRows());
    expect(version).toMatchObject({ status: 'ready', labels: expect.arrayContaining(['food', 'urgent']) });
    const started = await client.start({ base_model: BASE, datasets: [{ name: 'letters' }], nr_epochs: 3, seed: 1 });
    job = await client.ended(started.id);
  });
  afterAll(() => api.close());

  it('are each a head of its own, with figures under its name', () => {
    expect(job.error_message).toBeNull();
    const { heads } = job.metrics!;
    expect(Object.keys(heads).toSorted()).toEqual(['tone', 'topic']);
    expect(heads['topic']!.f1).toBeGreaterThan(0.5);
    expect(heads['topic']!.confidence).toMatchObject({ threshold: null });
    expect(heads['tone']!.confidence).toMatchObject({ threshold: expect.any(Number) });
  });

  it('are all answered under their names if no schema is sent', async () => {
    const { result } = await infer({ text: 'the pizza is awful and due at once' });
    expect(result).toEqual({
      topic: { label: 'food', confidence: expect.any(Number) },
      tone: expect.any(Array),
    });
    const labels = result.tone.map(({ label }: { readonly label: string }) => label);
    expect(labels.toSorted()).toEqual(['angry', 'urgent']);
    const plain = await infer({ text: 'the ferry is lovely and great', include_confidence: false });
    expect(plain.result).toEqual({ topic: 'travel', tone: ['glad'] });
  });

  it('are answered as far as the schema asks for them, among its labels', async () => {
    const schema = {
      classifications: [
        { task: 'tone', labels: ['angry', 'glad'] },
        { task: 'field', labels: ['food', 'work'] },
      ],
    };
    const { result, warnings } = await infer({ text: 'the pizza is awful and due at once', schema });
    expect(result).toEqual({
      tone: { label: 'angry', confidence: expect.any(Number) },
      field: { label: 'food', confidence: expect.any(Number) },
    });
    expect(warnings ?? []).toEqual([]);
  });

  it('are evaluated one by one', async () => {
    const rows = [
      { text: 'the soup is awful and broken', labels: { topic: 'food', tone: ['angry'] } },
      { text: 'the salary is lovely and great', labels: { topic: 'travel', tone: ['glad'] } },
      { text: 'the hotel is due now at once', labels: { topic: 'travel' } },
    ];
    await upload('letters-held', rows);
    const evaluation = await client.evaluate({ model_id: job.id, dataset_name: 'letters-held' });
    expect(evaluation.error_message).toBeNull();
    const { metrics } = evaluation;
    expect(metrics!.heads).toMatchObject({ topic: { accuracy: 0.666667 }, tone: { accuracy: 1 } });
    expect(metrics!.confusions!.pairs).toEqual([{ head: 'topic', expected: 'travel', predicted: 'work', count: 1 }]);
    expect(Object.keys(metrics!.calibration!).toSorted()).toEqual(['tone', 'topic']);
    const { body } = await api.call('GET', `/felix/evaluations/${evaluation.id}`);
    expect(body.predictions[1]).toMatchObject({
      expected: { labels: { topic: 'travel', tone: ['glad'] } },
      predicted: { labels: { topic: 'work', tone: ['glad'] } },
      correct: false,
    });
    expect(body.predictions[2]).toMatchObject({ expected: { labels: { topic: 'travel' } }, correct: true });
  });
});
