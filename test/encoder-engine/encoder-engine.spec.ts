import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startTestApi, type TestApi } from '#test/support/api.js';
import { uploadDataset } from '#test/support/datasets.js';
import { TrainingClient } from '#test/support/training-client.js';
import { catalogIn, engines, PLAIN, READY } from './catalog.js';

const CITIES = ['Lima', 'Oslo', 'Quito', 'Riga'];
const rows = Array.from({ length: 40 }, (_, row) => ({
  text: `Parcel ${row % 10} goes 😀 to ${CITIES[row % 4]}.`,
  entities: [[CITIES[row % 4], 'destination']],
  label: row % 2 === 0 ? 'south' : 'north',
}));
const jsonl = (of: readonly object[]) => of.map((row) => JSON.stringify(row)).join('\n');

describe('an encoder in a process of its engine', () => {
  let api: TestApi;
  let client: TrainingClient;
  let directory: string;
  let jobId: string;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'memory-'));
    api = await startTestApi({ modelCatalog: await catalogIn(directory) }, { engines });
    client = new TrainingClient(api);
    await uploadDataset(api, { dataset_name: 'parcels', filename: 'a.jsonl' }, jsonl(rows));
    const job = await client.start({ base_model: PLAIN, datasets: [{ name: 'parcels' }], training_type: 'full' });
    jobId = job.id;
    await client.ended(jobId);
  });
  afterAll(async () => {
    await api.close();
    await rm(directory, { recursive: true });
  });

  const ask = (body: object) => api.call('POST', '/inference', body);

  it("is trained, with an encoder's figures at each epoch and at the end", async () => {
    const job = await client.job(jobId);
    expect(job).toMatchObject({ status: 'complete', error_message: null, training_type: 'full', current_epoch: 2 });
    // The model knows the destinations of the texts held out, and not their classes.
    expect(job.metrics).toMatchObject({
      ...{ f1: 0.666667, final_validation_loss: expect.closeTo(1 / 3), judged_rows: 4 },
      per_entity: { destination: { f1: 1 } },
    });
    expect(await client.checkpoints(jobId)).toMatchObject([{ f1: 0.666667 }, { f1: 0.666667 }]);
    const { body } = await api.call('GET', `/felix/training-jobs/${jobId}/logs`);
    const said = body.logs.map(({ message }: { message: string }) => message).join('\n');
    expect(said).toContain('Epoch 1/2: training loss 1.0000, validation loss 0.3333, f1 0.6667');
  });

  it('is not trained on several classification tasks if its engine does not learn them', async () => {
    const file = jsonl([{ text: 'a', labels: { topic: 'x' } }]);
    await uploadDataset(api, { dataset_name: 'tasks', dataset_type: 'classification', filename: 't.jsonl' }, file);
    const asked = { model_name: 'm', base_model: PLAIN, datasets: [{ name: 'tasks' }] };
    const { status, body } = await api.call('POST', '/felix/training-jobs', asked);
    expect([status, body.errors[0].loc]).toEqual([422, ['body', 'datasets', 0, 'name']]);
    expect(body.errors[0].msg).toMatch(/"tasks", whose rows have labels of several tasks, which .* does not learn/);
  });

  it('answers with its own labels, in code points, and is deployed with that call', async () => {
    const text = '😀 Send it to Quito';
    const { status, body } = await ask({ model_id: jobId, text });
    expect([status, body.result]).toEqual([
      200,
      expect.objectContaining({
        entities: { destination: [{ text: 'Quito', start: 13, end: 18, confidence: 0.9 }] },
      }),
    ]);
    expect(body.token_usage).toBe(5);
    await client.until(jobId, ({ status }) => status === 'deployed');
    await api.drained();
    const { body: history } = await api.call('GET', `/inferences?training_job_id=${jobId}`);
    expect(history).toMatchObject({ total: 1, inferences: [{ base_model: PLAIN, task: 'schema' }] });
  });

  it('warns of labels that it did not learn', async () => {
    const { body } = await ask({ model_id: jobId, text: 'to Lima', schema: ['destination', 'sender'] });
    expect(body.result.entities.sender).toEqual([]);
    expect(body.warnings).toEqual([{ code: 'unresolved_label', message: 'sender was not learned', label: 'sender' }]);
  });

  it('warns that it cannot explain answers', async () => {
    const { status, body } = await ask({ model_id: jobId, text: 'to Lima', explain: true });
    expect([status, body.warnings]).toEqual([
      200,
      [{ code: 'explanation_unavailable', message: expect.stringContaining('explains no answers') }],
    ]);
  });

  it('answers on the chat route', async () => {
    const asked = { model: jobId, messages: [{ role: 'user', content: 'to Oslo' }], schema: ['destination'] };
    const { status, body } = await api.call('POST', '/v1/chat/completions', asked);
    expect([status, JSON.parse(body.choices[0].message.content)]).toEqual([
      200,
      { entities: { destination: [expect.objectContaining({ text: 'Oslo' })] } },
    ]);
  });

  it('answers many texts in order, and a call without texts loads it', async () => {
    const text = Array.from({ length: 300 }, (_, at) => `${'x'.repeat(60)} ${CITIES[at % 4]}`);
    const { body } = await ask({ model_id: jobId, text, schema: ['destination'] });
    const found = body.result.map(
      (each: { entities: { destination: { text: string }[] } }) => each.entities.destination,
    );
    expect(found.map(([{ text: city }]: [{ text: string }]) => city)).toEqual(text.map((_, at) => CITIES[at % 4]));
    expect((await ask({ model_id: jobId, is_warmup: true })).status).toBe(200);
  });

  it('answers 503 when its process is lost, and succeeds at the next call', async () => {
    const { status, body } = await ask({ model_id: READY, text: 'die', schema: ['city'] });
    expect([status, JSON.stringify(body)]).toEqual([503, expect.stringContaining('its process was lost; try again')]);
    expect((await ask({ model_id: READY, text: 'a city', schema: ['city'] })).body.result).toEqual({
      entities: { city: [expect.objectContaining({ start: 2 })] },
    });
  });

  it.each([
    ['a head that it lacks', { schema: { structures: { trip: { fields: ['to'] } } } }, 'no structures head'],
    [
      'more labels than it takes',
      { schema: Array.from({ length: 101 }, (_, at) => `label ${at}`) },
      'more than 100 labels',
    ],
    ['no schema', {}, 'has no labels of its own'],
  ])('refuses %s by name', async (_, more, said) => {
    const { status, body } = await ask({ model_id: READY, text: 'x', ...more });
    expect([status, JSON.stringify(body)]).toEqual([422, expect.stringContaining(said)]);
  });

  it('is evaluated automatically, and on a dataset, row by row, with calibration', async () => {
    expect(await client.automaticEvaluation(jobId)).toMatchObject({
      status: 'complete',
      sample_count: 4,
      f1_score: 0.75,
    });
    const others = [
      { text: 'to Lima', entities: [['Lima', 'destination']] },
      { text: 'to Rome', entities: [['Rome', 'destination']] },
    ];
    await uploadDataset(api, { dataset_name: 'others', filename: 'a.jsonl' }, jsonl(others));
    const evaluation = await client.evaluate({ base_model: jobId, dataset_name: 'others' });
    expect(evaluation).toMatchObject({ status: 'complete', sample_count: 2, precision: 1, recall: 0.5 });
    expect(evaluation.predictions!.map(({ correct }) => correct)).toEqual([true, false]);
    expect(JSON.stringify(evaluation.metrics)).toContain('calibration');
    const alone = await client.evaluate({ base_model: READY, dataset_name: 'others' });
    expect(alone).toMatchObject({ status: 'complete', f1_score: 0 });
  });

  it("fails an evaluation that exceeds the model's limits, with the reason", async () => {
    const many = Array.from({ length: 101 }, (_, at) => ({
      text: `to Lima ${at}`,
      entities: [['Lima', `label ${at}`]],
    }));
    await uploadDataset(api, { dataset_name: 'many', filename: 'a.jsonl' }, jsonl(many));
    const evaluation = await client.evaluate({ base_model: READY, dataset_name: 'many' });
    expect(evaluation).toMatchObject({ status: 'failed', error_message: 'has more than 100 labels' });
  });

  it('continues from a checkpoint', async () => {
    const [first] = await client.checkpoints(jobId);
    const more = [1, 2, 3].map((row) => ({ text: `${row}: to Rome`, entities: [['Rome', 'destination']] }));
    await uploadDataset(api, { dataset_name: 'more', filename: 'a.jsonl' }, jsonl(more));
    const next = await client.start({ base_model: first!.id, datasets: [{ name: 'more' }] });
    expect((await client.ended(next.id)).error_message).toBeNull();
    const { body } = await ask({ model_id: next.id, text: 'Lima, Rome', schema: ['destination'] });
    expect(body.result.entities.destination.map(({ text }: { text: string }) => text).toSorted()).toEqual([
      'Lima',
      'Rome',
    ]);
  });

  it('is exported as ONNX only, with a card that describes inputs, outputs and usage', async () => {
    const path = `/felix/training-jobs/${jobId}`;
    expect((await api.call('PUT', `${path}/exports/onnx`)).status).toBe(200);
    await api.until(
      () => api.call('GET', `${path}/exports`),
      ({ body }) => body.exports[0].status === 'complete',
    );
    const { body } = await api.call('GET', `${path}/download?format=onnx`);
    const tar = Buffer.from(await (await fetch(body.download_url)).arrayBuffer()).toString();
    expect(tar).toContain('library_name: "onnx"\npipeline_tag: "token-classification"\n');
    expect(tar).toContain('fine-tuned by Anneal from `test/memory-plain` in full on 36 of 40 labelled rows.');
    expect(tar).toContain('python run.py "A text." "Another one."');
    for (const name of ['input_ids', 'first_tokens', 'tag_scores', 'class_scores', 'relation_scores'])
      expect(tar).toContain(`\`${name}\``);
    expect(tar).toContain('| F1 | 0.6667 |');
    const refused = await api.call('PUT', `${path}/exports/merged`);
    expect([refused.status, JSON.stringify(refused.body)]).toEqual([
      422,
      expect.stringContaining('must be one of onnx for models trained on test/memory-plain (got merged)'),
    ]);
  });

  it('can be called untrained only if its base has heads', async () => {
    const { status, body } = await ask({ model_id: PLAIN, text: 'x', schema: ['city'] });
    expect([status, JSON.stringify(body)]).toEqual([422, expect.stringContaining('name a training job that used it')]);
  });

  it('is removed once its job is deleted', async () => {
    const job = await client.start({ base_model: READY, datasets: [{ name: 'parcels' }] });
    await client.ended(job.id);
    expect((await ask({ model_id: job.id, text: 'to Lima' })).status).toBe(200);
    expect((await api.call('DELETE', `/felix/training-jobs/${job.id}`)).status).toBe(200);
    expect((await ask({ model_id: job.id, text: 'to Lima' })).status).toBe(404);
  });
});
