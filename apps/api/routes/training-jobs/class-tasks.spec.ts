import type { TestApi } from '#test/support/api.js';
import { settled, uploadDataset } from '#test/support/datasets.js';
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

  it('are named by the records of the dataset and the job', async () => {
    const class_tasks = [
      { name: 'tone', labels: ['angry', 'glad', 'urgent'], multi_label: true },
      { name: 'topic', labels: ['food', 'travel', 'work'], multi_label: false },
    ];
    expect(job).toMatchObject({ class_tasks });
    expect((await api.call('GET', '/felix/datasets/letters/1')).body).toMatchObject({ class_tasks });
    const { body } = await api.call('GET', '/felix/datasets/letters/1/report');
    expect(body.heads.map(({ head, rows }: { head: string; rows: number }) => [head, rows]).toSorted()).toEqual([
      ['tone', 78],
      ['topic', 78],
    ]);
    expect(body.conflicts.total).toBe(0);
  });

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

  it('are explained by rows with the names of their tasks', async () => {
    const { explanation } = await infer({ text: 'the soup is lovely and great', explain: true });
    const found = explanation.nearest_rows.flatMap(({ labels }: { readonly labels: readonly string[] }) => labels);
    expect(found).toEqual(expect.arrayContaining(['topic: food', 'tone: glad']));
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

  it('are corrected one by one, and their corrections become rows of tasks', async () => {
    const text = 'the visa is there';
    const { inference_id: id } = await infer({ text });
    const feedback = (inferenceId: string, corrected_output: object) =>
      api.call('POST', `/inferences/${inferenceId}/feedback`, { verdict: 'incorrect', corrected_output });
    const refused = await feedback(id, { topic: 'urgent' });
    expect([refused.status, refused.body.errors[0].loc]).toEqual([422, ['body', 'corrected_output', 'topic']]);
    expect((await feedback(id, { topic: 'travel', tone: ['urgent'] })).status).toBe(200);
    const other = await infer({ text: 'the tram is awful and broken' });
    expect((await feedback(other.inference_id, { tone: [] })).status).toBe(200);
    const order = { model: job.id, merge_with: 'letters', dataset_name: 'letters-corrected' };
    const answer = await api.call('POST', '/felix/datasets/from-feedback', order);
    expect(answer.status).toBe(202);
    const version = await settled(api, '/felix/datasets/letters-corrected/1');
    expect(version).toMatchObject({ status: 'ready', class_tasks: [{ name: 'tone' }, { name: 'topic' }] });
    const { body } = await api.call('GET', '/felix/datasets/letters-corrected/1/preview?limit=100');
    const labelsOf = (wanted: string) => body.rows.find((row: { readonly text: string }) => row.text === wanted).labels;
    expect(labelsOf(text)).toEqual({ topic: 'travel', tone: ['urgent'] });
    expect(labelsOf('the tram is awful and broken')).toEqual({ topic: 'travel', tone: [] });
  });

  it('are not merged into rows with a class of no task', async () => {
    await upload('plain-classes', [
      { text: 'the visa is there', label: 'travel' },
      { text: 'the pizza is there', label: 'food' },
    ]);
    const order = { model: job.id, merge_with: 'plain-classes', dataset_name: 'plain-corrected' };
    const { status, body } = await api.call('POST', '/felix/datasets/from-feedback', order);
    expect([status, body.errors[0].loc]).toEqual([422, ['body', 'merge_with']]);
    expect(body.detail).toMatch(/rows have label of no task, and the feedback has labels of the tasks "tone", "topic"/);
    expect((await api.call('GET', '/felix/datasets/plain-corrected')).status).toBe(404);
  });

  it('keep the name of their task in rows from feedback on one task alone', async () => {
    const until = new Date().toISOString();
    const text = 'the bill is there';
    const { inference_id: id } = await infer({
      text,
      schema: { classifications: [{ task: 'topic', labels: ['work'] }] },
    });
    const verdict = await api.call('POST', `/inferences/${id}/feedback`, { verdict: 'correct' });
    expect(verdict.status).toBe(200);
    await uploadDataset(
      api,
      { dataset_name: 'topics', dataset_type: 'classification', filename: 'r.jsonl' },
      asLines([
        { text, labels: { tone: ['glad'] } },
        { text: 'the train', labels: { topic: 'travel' } },
      ]),
    );
    for (const merge_with of [null, 'topics']) {
      const order = { model: job.id, since: until, merge_with, dataset_name: `one-task-${merge_with ?? 'alone'}` };
      expect((await api.call('POST', '/felix/datasets/from-feedback', order)).status).toBe(202);
      const version = await settled(api, `/felix/datasets/${order.dataset_name}/1`);
      expect(version).toMatchObject({ status: 'ready', processing_error: null });
      const { body } = await api.call('GET', `/felix/datasets/${order.dataset_name}/1/preview`);
      const { labels } = body.rows.find((row: { readonly text: string }) => row.text === text);
      expect(labels).toEqual(merge_with === null ? { topic: 'work' } : { tone: ['glad'], topic: 'work' });
    }
  });

  it.each(['csv', 'parquet'])('are downloaded as %s, which uploads again', async (format) => {
    const download = async (name: string, as: string) => {
      const url = `${api.url}/felix/datasets/${name}/1/download?format=${as}`;
      return Buffer.from(await (await fetch(url, { headers: { 'x-api-key': api.key } })).arrayBuffer());
    };
    const rows = [
      { text: 'a', labels: { topic: 'x', tone: ['glad'] } },
      { text: 'b', labels: { topic: 'y', tone: [] } },
    ];
    for (const [kind, all] of [
      ['whole', rows],
      ['partly', [...rows, { text: 'c', labels: { tone: ['grim'] } }]],
    ] as const) {
      const name = `${kind}-${format}`;
      await upload(name, all);
      const file = await download(name, format);
      const again = await uploadDataset(
        api,
        { dataset_name: `${name}-again`, dataset_type: 'classification', filename: `r.${format}` },
        file,
      );
      expect(again.processing_error).toBeNull();
      expect((await download(`${name}-again`, 'jsonl')).toString()).toBe(asLines(all));
    }
  });

  it('are refused in two kinds, and with descriptions that are no task’s', async () => {
    await upload('lettered', [
      { text: 'a', labels: { tone: 'glad' } },
      { text: 'b', labels: { tone: 'sad' } },
    ]);
    const start = async (body: object) => {
      const { status, body: answer } = await api.call('POST', '/felix/training-jobs', {
        model_name: 'm',
        base_model: BASE,
        ...body,
      });
      return [status, answer.errors[0].loc, answer.errors[0].msg];
    };
    expect(await start({ datasets: [{ name: 'letters' }, { name: 'lettered' }] })).toEqual([
      422,
      ['body', 'datasets', 1, 'name'],
      expect.stringMatching(/has one label for the task "tone", and "letters" has a list of labels/),
    ]);
    const label_descriptions = { glad: 'being happy', sad: 'not being happy', grim: 'gloomy' };
    expect(await start({ datasets: [{ name: 'lettered' }], label_descriptions })).toEqual([
      422,
      ['body', 'label_descriptions', 'grim'],
      expect.stringMatching(/is no label of any row, and nothing says of which task/),
    ]);
  });
});
