import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startTestApi, type TestApi } from '#test/support/api.js';
import { uploadDataset } from '#test/support/datasets.js';
import { TrainingClient } from '#test/support/training-client.js';
import { BASE, CHAT, catalogIn, engines } from './catalog.js';

const BUILT_IN = 'anneal/encoder-base-v1';

/** Twenty questions, with each of two instructions: this engine learns the question alone, so it knows what is held out. */
const rows = Array.from({ length: 40 }, (_, row) => ({
  messages: [
    { role: 'system', content: row < 20 ? 'Answer in JSON.' : 'Answer in JSON, please.' },
    { role: 'user', content: `where is parcel ${row % 20}?` },
    { role: 'assistant', content: JSON.stringify({ parcel: row % 20, city: row % 2 === 0 ? 'Lima' : 'Oslo' }) },
  ],
}));
const jsonl = (of: readonly object[]) => of.map((row) => JSON.stringify(row)).join('\n');

describe('a trained decoder', () => {
  let api: TestApi;
  let client: TrainingClient;
  let directory: string;
  let jobId: string;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'parrots-'));
    api = await startTestApi({ modelCatalog: await catalogIn(directory) }, { engines });
    client = new TrainingClient(api);
    await uploadDataset(api, { dataset_name: 'chats', dataset_type: 'decoder', filename: 'a.jsonl' }, jsonl(rows));
    const labelled = [{ text: 'To Lima', entities: [['Lima', 'city']] }];
    await uploadDataset(api, { dataset_name: 'spans', filename: 'a.jsonl' }, jsonl(labelled));
    const job = await client.start({ base_model: CHAT, datasets: [{ name: 'chats' }], model_name: 'Parcels' });
    jobId = job.id;
    await client.ended(jobId);
  });
  afterAll(async () => {
    await api.close();
    await rm(directory, { recursive: true });
  });

  const start = (body: object) => api.call('POST', '/felix/training-jobs', body);
  const ask = (model: string, content: string) =>
    api.call('POST', '/v1/chat/completions', { model, messages: [{ role: 'user', content }] });

  it('has the losses as its metrics, and no F1', async () => {
    const job = await client.job(jobId);
    expect(job).toMatchObject({ base_model: CHAT, training_type: 'lora', task_type: 'decoder', labels: [] });
    expect([job.error_message, job.nr_epochs, job.current_epoch]).toEqual([null, 2, 2]);
    expect(job.metrics).toMatchObject({
      ...{ f1: null, precision: null, recall: null, accuracy: null, per_entity: {}, judged_on: 'validation' },
      ...{ judged_rows: 4, final_training_loss: 0.5 },
      figures_note: expect.stringContaining('Generated text has no F1'),
    });
    expect(typeof job.metrics!.final_validation_loss).toBe('number');
    const { body: logs } = await api.call('GET', `/felix/training-jobs/${jobId}/logs`);
    const said = logs.logs.map(({ message }: { message: string }) => message).join('\n');
    expect(said).toMatch(/Epoch 1\/2: training loss 1\.0000, validation loss [\d.]+$/m);
  });

  it('is listed, also among the models, and can be downloaded', async () => {
    const { body: trained } = await api.call('GET', '/felix/trained-models');
    expect(trained.models[0]).toMatchObject({ model_id: jobId, task_type: 'decoder' });
    const { body: models } = await api.call('GET', '/v1/models');
    expect(models.data.map(({ id }: { id: string }) => id)).toContain(jobId);
    const { status, body } = await api.call('GET', `/felix/training-jobs/${jobId}/download`);
    expect([status, body.file_name]).toEqual([200, expect.stringMatching(/^Parcels-.*\.tar\.gz$/)]);
  });

  it('answers as trained, by the id of the job, which is deployed with that call', async () => {
    const { status, body } = await ask(jobId, 'where is parcel 2?');
    expect([status, body.choices?.[0].message.content]).toEqual([200, '{"parcel":2,"city":"Lima"}']);
    const job = await client.until(jobId, ({ status }) => status === 'deployed');
    expect(job.deployment_status).toBe('deployed');
    const native = { model_id: jobId, task: 'generate', messages: [{ role: 'user', content: 'where is parcel 3?' }] };
    const { body: answered } = await api.call('POST', '/inference', native);
    expect([answered.completion, answered.model_id]).toEqual(['{"parcel":3,"city":"Oslo"}', jobId]);
    await api.drained();
    const { body: history } = await api.call('GET', `/inferences?training_job_id=${jobId}`);
    expect(history).toMatchObject({ total: 2, inferences: [{ base_model: CHAT, task: 'generate' }, {}] });
  });

  it('continues from a checkpoint', async () => {
    const [first] = await client.checkpoints(jobId);
    expect(first).toMatchObject({ f1: null, epoch: 1, training_loss: 1 });
    const more = [
      {
        messages: [
          { role: 'user', content: 'and the last?' },
          { role: 'assistant', content: 'Riga' },
        ],
      },
    ];
    const extra = [...more, ...more, ...more];
    await uploadDataset(api, { dataset_name: 'more', dataset_type: 'decoder', filename: 'a.jsonl' }, jsonl(extra));
    const next = await client.start({ base_model: first!.id, datasets: [{ name: 'more' }] });
    expect((await client.ended(next.id)).status).toBe('complete');
    const answers = await Promise.all(['and the last?', 'where is parcel 2?'].map((asked) => ask(next.id, asked)));
    expect(answers.map(({ body }) => body.choices[0].message.content)).toEqual(['Riga', '{"parcel":2,"city":"Lima"}']);
  });

  it('is evaluated automatically on the held-out rows', async () => {
    const evaluation = await client.automaticEvaluation(jobId);
    expect(evaluation).toMatchObject({
      ...{ status: 'complete', error_message: null, sample_count: 4, f1: null, precision: null, recall: null },
      ...{ exact_match: 1, rouge_l_score: 1, bleu_score: 1, accuracy: 1, overlapping_rows: 0 },
    });
  });

  it('is evaluated on a dataset, answer by answer, with intervals', async () => {
    const others = rows.slice(0, 10).map(({ messages }, row) => ({
      messages:
        row < 5 ? messages : [...messages.slice(0, 2), { role: 'assistant', content: '{"parcel":0,"city":"Rome"}' }],
    }));
    await uploadDataset(api, { dataset_name: 'half', dataset_type: 'decoder', filename: 'a.jsonl' }, jsonl(others));
    const evaluation = await client.evaluate({ base_model: jobId, dataset_name: 'half' });
    expect(evaluation).toMatchObject({ status: 'complete', exact_match: 0.5, sample_count: 10 });
    const { generation } = evaluation.metrics!;
    expect(generation!.exact_match.low).toBeLessThan(0.5);
    expect(generation!.exact_match.high).toBeGreaterThan(0.5);
    expect(generation!.json).toMatchObject({ rows: 10, validity: { value: 1 }, field_f1: { value: 0.5 } });
    expect(evaluation.predictions![5]).toEqual({
      ...{ row: 6, text: 'where is parcel 5?', correct: false },
      ...{
        expected: { completion: '{"parcel":0,"city":"Rome"}' },
        predicted: { completion: '{"parcel":5,"city":"Oslo"}' },
      },
    });
    const alone = await client.evaluate({ base_model: CHAT, dataset_name: 'half' });
    expect(alone).toMatchObject({ exact_match: 0, overlapping_rows: null });
    expect(alone.metrics!.generation!.json!.validity.value).toBe(0);
  });

  it('is trained and measured on rows with tools only if its template has some', async () => {
    const call = (city: string) => ({
      messages: [
        { role: 'user', content: `How is ${city}?` },
        {
          role: 'assistant',
          content: 'Let me see.',
          tool_calls: [
            { id: 'c', type: 'function', function: { name: 'weather', arguments: JSON.stringify({ city }) } },
          ],
        },
      ],
      tools: [{ type: 'function', function: { name: 'weather', parameters: { type: 'object' } } }],
    });
    await uploadDataset(
      api,
      { dataset_name: 'calls', dataset_type: 'decoder', filename: 'a.jsonl' },
      jsonl(['Lima', 'Oslo', 'Riga'].map(call)),
    );
    const { status, body } = await start({ base_model: BASE, datasets: [{ name: 'calls' }] });
    expect([status, body.errors]).toEqual([
      422,
      [
        expect.objectContaining({
          loc: ['body', 'datasets', 0, 'name'],
          msg: expect.stringContaining(`rows with tools, which ${BASE} does not take`),
        }),
      ],
    ]);
    const evaluation = await api.call('POST', '/felix/evaluations', { base_model: BASE, dataset_name: 'calls' });
    expect([evaluation.status, JSON.stringify(evaluation.body)]).toEqual([
      422,
      expect.stringContaining('rows with tools'),
    ]);
    const { id } = await client.start({ base_model: CHAT, datasets: [{ name: 'calls' }] });
    expect(await client.ended(id)).toMatchObject({ error_message: null, status: 'complete' });
  });

  it.each([
    [
      'rows for encoders',
      { base_model: CHAT, datasets: [{ name: 'spans' }] },
      ['body', 'datasets', 0, 'name'],
      'is a decoder',
    ],
    [
      'chats',
      { base_model: BUILT_IN, datasets: [{ name: 'chats' }] },
      ['body', 'datasets', 0, 'name'],
      'is an encoder',
    ],
    [
      'both in one job',
      { base_model: CHAT, datasets: [{ name: 'chats' }, { name: 'spans' }] },
      ['body', 'datasets', 1, 'name'],
      'is a decoder',
    ],
    [
      'full training',
      { base_model: CHAT, datasets: [{ name: 'chats' }], training_type: 'full' },
      ['body', 'training_type'],
      'must be lora',
    ],
    [
      'a learning rate that its engine does not take',
      { base_model: CHAT, datasets: [{ name: 'chats' }], learning_rate: 2 },
      ['body', 'learning_rate'],
      'must be between 1e-9 and 1 for this base model (got 2)',
    ],
    [
      'a scale that its engine does not take',
      { base_model: CHAT, datasets: [{ name: 'chats' }], lora_alpha: 1e-4 },
      ['body', 'lora_alpha'],
      'must be between 0.001 and 4096 for this base model (got 0.0001)',
    ],
  ])('is not trained on %s, which is named', async (_, body, loc, said) => {
    const { status, body: answer } = await start(body);
    expect([status, answer.errors]).toEqual([
      422,
      [expect.objectContaining({ loc, msg: expect.stringContaining(said) })],
    ]);
  });

  it('is not evaluated on rows for encoders, nor an encoder on chats', async () => {
    for (const [base_model, dataset_name] of [
      [jobId, 'spans'],
      [BUILT_IN, 'chats'],
    ]) {
      const { status, body } = await api.call('POST', '/felix/evaluations', { base_model, dataset_name });
      expect([status, body.errors[0].loc]).toEqual([422, ['body', 'dataset_name']]);
    }
  });

  it('continues prompts if its base has no chat template', async () => {
    const job = await client.start({ base_model: BASE, datasets: [{ name: 'chats' }] });
    expect((await client.ended(job.id)).status).toBe('complete');
    expect((await ask(job.id, 'where is parcel 2?')).status).toBe(400);
    const asked = { model: job.id, prompt: 'where is parcel 2?' };
    const { body } = await api.call('POST', '/v1/completions', asked);
    expect(body.choices[0].text).toBe('{"parcel":2,"city":"Lima"}');
  });
});
