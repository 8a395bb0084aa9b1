import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startTestApi, type TestApi } from '#test/support/api.js';
import { uploadDataset } from '#test/support/datasets.js';
import { TrainingClient } from '#test/support/training-client.js';
import { CHAT, catalogIn, engines } from './catalog.js';

const BUILT_IN = 'anneal/encoder-base-v1';
const question = (row: number) => `where is parcel ${row % 20}?`;

const chats = Array.from({ length: 40 }, (_, row) => ({
  messages: [
    { role: 'user', content: question(row) },
    { role: 'assistant', content: `Lost, I fear ${row % 20}` },
  ],
}));
/** Twenty questions, with and without an instruction: this engine learns the question alone, so it knows what is held out. */
const pairs = Array.from({ length: 40 }, (_, row) => ({
  prompt:
    row < 20
      ? question(row)
      : [
          { role: 'system', content: 'Be kind.' },
          { role: 'user', content: question(row) },
        ],
  chosen: `In Lima ${row % 20}`,
  rejected: `Lost, I fear ${row % 20}`,
}));
const jsonl = (rows: readonly object[]) => rows.map((row) => JSON.stringify(row)).join('\n');

let api: TestApi;
let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'parrots-'));
  api = await startTestApi({ modelCatalog: await catalogIn(directory) }, { engines });
  const decoder = { dataset_type: 'decoder', filename: 'a.jsonl' };
  await uploadDataset(api, { dataset_name: 'chats', ...decoder }, jsonl(chats));
  await uploadDataset(api, { dataset_name: 'pairs', ...decoder }, jsonl(pairs));
  const labelled = [{ text: 'To Lima', entities: [['Lima', 'city']] }];
  await uploadDataset(api, { dataset_name: 'spans', filename: 'a.jsonl' }, jsonl(labelled));
});
afterAll(async () => {
  await api.close();
  await rm(directory, { recursive: true });
});

describe('preference tuning', () => {
  let client: TrainingClient;
  let tunedId: string;
  let chatsId: string;

  beforeAll(async () => {
    client = new TrainingClient(api);
    chatsId = (await client.start({ base_model: CHAT, datasets: [{ name: 'chats' }] })).id;
    await client.ended(chatsId);
    tunedId = (await client.start({ base_model: chatsId, datasets: [{ name: 'pairs' }], dpo_beta: 0.5 })).id;
    await client.ended(tunedId);
  });

  const ask = async (model: string) => {
    const messages = [{ role: 'user', content: question(2) }];
    const { body } = await api.call('POST', '/v1/chat/completions', { model, messages });
    return body.choices[0].message.content;
  };

  it('trains a model that learned from chats to prefer the chosen answers', async () => {
    expect([await ask(chatsId), await ask(tunedId)]).toEqual(['Lost, I fear 2', 'In Lima 2']);
    const job = await client.job(tunedId);
    expect(job).toMatchObject({ status: 'deployed', task_type: 'decoder', root_job_id: chatsId, dpo_beta: 0.5 });
    expect(job.metrics).toMatchObject({
      ...{ f1: null, judged_rows: 4, reward_accuracy: 1, reward_margin: 0.5 },
      figures_note: expect.stringContaining('the losses are those of preference tuning'),
    });
    const before = await client.job(chatsId);
    expect(before.dpo_beta).toBeNull();
    expect(before.metrics).not.toHaveProperty('reward_accuracy');
  });

  it('is evaluated by the answers to the prompts, beside the chosen ones', async () => {
    expect(await client.automaticEvaluation(tunedId)).toMatchObject({ sample_count: 4, exact_match: 1 });
    const before = await client.evaluate({ base_model: chatsId, dataset_name: 'pairs' });
    expect(before).toMatchObject({ sample_count: 40, exact_match: 0 });
    expect(before.predictions![2]).toMatchObject({
      ...{ text: question(2), expected: { completion: 'In Lima 2' } },
      predicted: { completion: 'Lost, I fear 2' },
    });
  });

  it('uses a beta of 0.1 unless another is requested', async () => {
    const job = await client.start({ base_model: CHAT, datasets: [{ name: 'pairs' }] });
    expect(job).toMatchObject({ dpo_beta: 0.1, packing: false, gradient_checkpointing: false, load_in_4bit: false });
  });

  it.each([
    [
      'pairs and chats in one job',
      { base_model: CHAT, datasets: [{ name: 'chats' }, { name: 'pairs' }] },
      ['datasets', 1, 'name'],
      'names dataset "pairs", which has pairs of answers, and "chats" has chats; train on the chats first',
    ],
    [
      'pairs for an encoder',
      { base_model: BUILT_IN, datasets: [{ name: 'pairs' }] },
      ['datasets', 0, 'name'],
      'is an encoder',
    ],
    ['a beta for chats', { base_model: CHAT, datasets: [{ name: 'chats' }], dpo_beta: 0.1 }, ['dpo_beta'], 'are chats'],
    [
      'a beta of nothing',
      { base_model: CHAT, datasets: [{ name: 'pairs' }], dpo_beta: 0 },
      ['dpo_beta'],
      'must not be less than 0.0001',
    ],
    [
      'packed pairs',
      { base_model: CHAT, datasets: [{ name: 'pairs' }], packing: true },
      ['packing'],
      'the rows are pairs of answers',
    ],
  ])('is refused for %s, which is named', async (_, body, loc, said) => {
    const { status, body: answer } = await api.call('POST', '/felix/training-jobs', body);
    expect([status, answer.errors]).toEqual([
      422,
      [expect.objectContaining({ loc: ['body', ...loc], msg: expect.stringContaining(said) })],
    ]);
  });

  it('leaves no claim on the datasets of a refused job', async () => {
    const decoder = { dataset_type: 'decoder', filename: 'a.jsonl' };
    await uploadDataset(api, { dataset_name: 'spare', ...decoder }, jsonl(chats));
    const refused = { base_model: CHAT, datasets: [{ name: 'spare' }], dpo_beta: 1 };
    expect((await api.call('POST', '/felix/training-jobs', refused)).status).toBe(422);
    expect((await api.call('DELETE', '/felix/datasets/spare')).status).toBe(200);
  });
});

describe('settings of decoders', () => {
  it('are pinned by the job and shown in its record', async () => {
    const asked = { packing: true, gradient_checkpointing: true, load_in_4bit: true };
    const body = { base_model: CHAT, datasets: [{ name: 'chats' }], ...asked };
    const { status, body: job } = await api.call('POST', '/felix/training-jobs', body);
    expect([status, job]).toEqual([200, expect.objectContaining({ ...asked, dpo_beta: null })]);
    await api.drained();
    const { body: log } = await api.call('GET', `/events?stream=job-${job.id}`);
    expect(JSON.stringify(log)).toContain(
      '"decoder":{"packing":true,"gradientCheckpointing":true,"loadIn4bit":true,"beta":null}',
    );
  });

  it.each(['packing', 'gradient_checkpointing', 'load_in_4bit', 'dpo_beta'])(
    'are refused by name for encoders: %s',
    async (field) => {
      const body = { base_model: BUILT_IN, datasets: [{ name: 'spans' }], [field]: field === 'dpo_beta' ? 0.1 : true };
      const { status, body: answer } = await api.call('POST', '/felix/training-jobs', body);
      expect([status, answer.errors]).toEqual([
        422,
        [expect.objectContaining({ loc: ['body', field], msg: expect.stringContaining('is for decoders') })],
      ]);
    },
  );
});
