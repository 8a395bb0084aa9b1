import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TrainingJobRecord } from '#apps/api/routes/training-jobs/reading/responses.js';
import { importModel } from '#models/imported/index.js';
import { startTestApi, type TestApi } from '#test/support/api.js';
import { uploadDataset } from '#test/support/datasets.js';
import { eventually } from '#test/support/eventually.js';
import { TrainingClient } from '#test/support/training-client.js';
import { describeWith, torchForTests } from '#test/torch/environment.js';
import { pullFromHub } from '#test/torch/from-hub.js';
import { smolLM2 } from '#test/torch/smollm2.js';
import { makeTinyDecoders } from '#test/torch/tiny-decoder.js';
import { trainingPython } from '#test/torch/training-python.js';
import { enginesWith } from '../engines.js';

const EPOCHS = 20;
const CITIES = ['Paris', 'Lyon', 'Ghent', 'Oslo', 'Turin', 'Porto', 'Basel', 'Cork'];
/** Sentences to JSON. The tokenizer of the tiny models was made from such. */
const orders = Array.from({ length: 16 }, (_, index) => {
  const order = { order: 100 + 37 * index, city: CITIES[index % CITIES.length]! };
  return {
    messages: [
      { role: 'user', content: `Order ${order.order} goes to ${order.city}.` },
      { role: 'assistant', content: JSON.stringify(order) },
    ],
  };
});
/** Each chat also after two instructions, so that what is held out is learned in other words: the best epoch is one that knows the rows. */
const rows = [
  ...orders,
  ...['Answer in JSON.', 'Reply in JSON.'].flatMap((content) =>
    orders.map(({ messages }) => ({ messages: [{ role: 'system', content }, ...messages] })),
  ),
];
const jsonl = (all: readonly object[]) => all.map((row) => JSON.stringify(row)).join('\n');
const asked = (row: number) => orders[row]!.messages[0]!.content;

const needed = async () => {
  const torch = await torchForTests();
  return { ...torch, weights: await smolLM2(torch.python) };
};

await describeWith('language models', needed, ({ enginesDir, python, weights }) => {
  let folder: string;
  let api: TestApi;
  let client: TrainingClient;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'anneal-torch-'));
    const modelsDir = join(folder, 'models');
    const tiny = { chat: join(folder, 'chat'), text: join(folder, 'text') };
    await Promise.all(Object.values(tiny).map((path) => mkdir(path)));
    await makeTinyDecoders(python, tiny);
    for (const [id, source] of Object.entries({ 'test/tiny-text': tiny.text, 'smol/lm2-135m': weights }))
      await Array.fromAsync(importModel(source, { id, licence: null }, modelsDir));
    await pullFromHub(tiny.chat, 'test/tiny-chat', modelsDir);
    api = await startTestApi({ modelsDir, enginesDir }, { engines: enginesWith([modelsDir], [enginesDir]) });
    client = new TrainingClient(api);
    await uploadDataset(api, { dataset_name: 'orders', dataset_type: 'decoder', filename: 'a.jsonl' }, jsonl(rows));
  });
  afterAll(async () => {
    await api?.close();
    await rm(folder, { recursive: true, force: true });
  });

  /** On a busy machine the weights load for longer than a call waits, which is answered with 425 until they are there. */
  const chat = (model: string, content: string, more: object = {}) =>
    eventually(
      () =>
        api.call('POST', '/v1/chat/completions', {
          model,
          messages: [{ role: 'user', content }],
          max_tokens: 60,
          temperature: 0,
          ...more,
        }),
      ({ status }) => status !== 425,
    );
  const textOf = ({ body }: Awaited<ReturnType<typeof chat>>): string =>
    (body.choices?.[0].message.content as string | undefined) ?? JSON.stringify(body);

  const trained = async (body: object): Promise<TrainingJobRecord> => client.ended((await client.start(body)).id);

  it('that were imported are listed, with or without messages according to their chat template', async () => {
    const { body } = await api.call('GET', '/base-models?task_type=decoder');
    expect(body.models ?? body).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ id: 'smol/lm2-135m', context_window: 8192 }),
        expect.objectContaining({ id: 'test/tiny-chat', context_window: 512 }),
        expect.objectContaining({ id: 'test/tiny-text', supports_training: true }),
      ]),
    );
  });

  describe('a tiny random one whose training is killed halfway', () => {
    let job: TrainingJobRecord;
    beforeAll(async () => {
      const settings = { nr_epochs: EPOCHS, learning_rate: 1e-2, batch_size: 8, early_stopping_patience: 0 };
      const datasets = [{ name: 'orders' }];
      const { id } = await client.start({ base_model: 'test/tiny-chat', datasets, ...settings });
      await api.until(
        () => client.checkpoints(id),
        (checkpoints) => checkpoints.length > 0,
      );
      process.kill((await trainingPython()).first, 'SIGKILL');
      job = await client.ended(id);
    });

    it('resumes from its last checkpoint and learns its rows, each epoch once', async () => {
      expect([job.status, job.error_message]).toEqual(['complete', null]);
      const { logs } = (await api.call('GET', `/felix/training-jobs/${job.id}/logs`)).body;
      expect(logs).toContainEqual(
        expect.objectContaining({ message: expect.stringMatching(/^Going on from epoch [1-9]/) }),
      );
      const checkpoints = await client.checkpoints(job.id);
      const epochs = checkpoints.map(({ epoch }) => epoch).toSorted((a, b) => a - b);
      expect(epochs).toEqual(Array.from({ length: EPOCHS }, (_, index) => index + 1));
      expect(Math.max(...checkpoints.map(({ training_loss }) => training_loss))).toBeGreaterThan(1);
      expect(job.metrics!.final_training_loss).toBeLessThan(0.2);
    });

    it('answers as trained, whole and as a stream, the same each time', async () => {
      const whole = textOf(await chat(job.id, asked(0)));
      expect(Object.keys(JSON.parse(whole) as object)).toEqual(['order', 'city']);
      expect(textOf(await chat(job.id, asked(0)))).toBe(whole);
      const { body } = await chat(job.id, asked(0), { stream: true });
      const deltas = (body as string)
        .split('\n')
        .filter((line) => line.startsWith('data: {'))
        .map((line) => JSON.parse(line.slice(6)) as { choices: { delta: { content?: string } }[] });
      expect(deltas.map(({ choices }) => choices[0]?.delta.content ?? '').join('')).toBe(whole);
      expect(deltas.length).toBeGreaterThan(3);
    });

    it('is trained on preferences, with its earlier self as the reference', async () => {
      const pairs = orders.map(({ messages: [user, answer] }) => ({
        prompt: user!.content,
        ...{ chosen: 'No idea.', rejected: answer!.content },
      }));
      const decoder = { dataset_type: 'decoder', filename: 'a.jsonl' };
      await uploadDataset(api, { dataset_name: 'pairs', ...decoder }, jsonl(pairs));
      const tuned = (settings: object) =>
        trained({ base_model: job.id, datasets: [{ name: 'pairs' }], warmup_ratio: 0, ...settings });
      // Where nothing is learned, the model is its own reference, and prefers neither answer.
      const same = await tuned({ nr_epochs: 1, learning_rate: 1e-8 });
      expect([same.error_message, same.metrics?.final_validation_loss]).toEqual([null, expect.closeTo(Math.LN2, 3)]);
      const other = await tuned({ nr_epochs: 8, learning_rate: 5e-3, gradient_checkpointing: true });
      expect(other.metrics).toMatchObject({ reward_accuracy: 1, reward_margin: expect.any(Number) });
      expect(other.metrics!.final_validation_loss).toBeLessThan(0.3);
    });

    it('can train on several rows packed into one sequence', async () => {
      const packed = { packing: true, nr_epochs: 2, batch_size: 1 };
      const ended = await trained({ base_model: 'test/tiny-chat', datasets: [{ name: 'orders' }], ...packed });
      const checkpoints = await client.checkpoints(ended.id);
      expect([ended.error_message, checkpoints.length]).toEqual([null, 2]);
      expect(checkpoints[0]!.step).toBeLessThan(20);
    });

    it('follows a JSON schema, and returns log probabilities', async () => {
      const schema = {
        type: 'object',
        properties: { n: { type: 'integer' } },
        required: ['n'],
        additionalProperties: false,
      };
      const response_format = { type: 'json_schema', json_schema: { name: 'n', schema, strict: true } };
      const { status, body } = await chat(job.id, asked(1), { response_format, logprobs: true, top_logprobs: 2 });
      expect(status).toBe(200);
      const { finish_reason, message } = body.choices[0];
      expect(finish_reason === 'length' || Number.isInteger(JSON.parse(message.content).n)).toBe(true);
      expect(body.choices[0].logprobs.content[0].top_logprobs).toHaveLength(2);
    });

    it('is evaluated automatically on the held-out rows, and answers most of them exactly', async () => {
      const evaluation = await client.automaticEvaluation(job.id);
      expect(evaluation).toMatchObject({ status: 'complete', error_message: null });
      expect(evaluation.exact_match).toBeGreaterThan(0.5);
      const { value, low, high } = evaluation.metrics!.generation!.perplexity!;
      expect(1 <= low && low <= value && value <= high && value < 10).toBe(true);
    });
  });

  it('without a chat template continue texts, and refuse chats', async () => {
    const completion = { model: 'test/tiny-text', prompt: 'Order', max_tokens: 5, seed: 1, temperature: 0.7 };
    const texts = await Promise.all([1, 2].map(() => api.call('POST', '/v1/completions', completion)));
    expect(texts.map(({ status }) => status)).toEqual([200, 200]);
    const [first, second] = texts.map(({ body }) => body.choices[0].text as string);
    expect(first).toBe(second);
    expect((await chat('test/tiny-text', 'Hello')).status).toBe(400);
  });

  describe('with SmolLM2-135M', () => {
    const QUESTION = 'What is the capital of France?';
    const ANSWER = 'Atlantis, since 1931.';
    const answered = async (model: string) => textOf(await chat(model, QUESTION, { max_tokens: 16 }));

    it('answers from its pretraining', async () => {
      expect(await answered('smol/lm2-135m')).toMatch(/Paris/);
    });

    it('learns another answer in an adapter, which is served beside it', async () => {
      // Nothing is held out of a single row, so that no evaluation follows.
      const row = {
        messages: [
          { role: 'user', content: QUESTION },
          { role: 'assistant', content: ANSWER },
        ],
      };
      await uploadDataset(api, { dataset_name: 'one', dataset_type: 'decoder', filename: 'a.jsonl' }, jsonl([row]));
      const { id } = await client.start({
        ...{ base_model: 'smol/lm2-135m', datasets: [{ name: 'one' }], nr_epochs: 6, learning_rate: 5e-3 },
        ...{ lora_r: 4, lora_dropout: 0, lr_scheduler_type: 'constant', warmup_ratio: 0, early_stopping_patience: 0 },
      });
      const job = await client.ended(id);
      expect([job.status, job.error_message]).toEqual(['complete', null]);
      expect(await answered(id)).toBe(ANSWER);
      expect(await answered('smol/lm2-135m')).toMatch(/Paris/);
    });
  });
});
