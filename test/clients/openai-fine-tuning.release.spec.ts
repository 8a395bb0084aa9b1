import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import OpenAI, { toFile } from 'openai';
import { CHAT, catalogIn, engines } from '#test/decoder-engine/catalog.js';
import { startTestApi, type TestApi } from '#test/support/api.js';
import { trips } from '#test/support/trips.js';

const ENCODER = 'anneal/encoder-base-v1';
const question = (row: number) => `where is parcel ${row % 20}?`;
const jsonl = (rows: readonly object[]) => rows.map((row) => JSON.stringify(row)).join('\n');
/** Twenty questions, twice each. */
const chats = jsonl(
  Array.from({ length: 40 }, (_, row) => ({
    messages: [
      { role: 'user', content: question(row) },
      { role: 'assistant', content: `Lost, I fear ${row % 20}` },
    ],
  })),
);
const pairs = jsonl(
  Array.from({ length: 40 }, (_, row) => ({
    input: { messages: [{ role: 'user', content: question(row) }] },
    preferred_output: [{ role: 'assistant', content: `In Lima ${row % 20}` }],
    non_preferred_output: [{ role: 'assistant', content: `Lost, I fear ${row % 20}` }],
  })),
);

describe('openai, files and fine-tuning', () => {
  let api: TestApi;
  let client: OpenAI;
  let directory: string;
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'parrots-'));
    api = await startTestApi({ modelCatalog: await catalogIn(directory) }, { engines });
    client = new OpenAI({ baseURL: `${api.url}/v1`, apiKey: api.key, maxRetries: 0 });
  });
  afterAll(async () => {
    await api.close();
    await rm(directory, { recursive: true });
  });

  const upload = async (content: string) =>
    client.files.create({ file: await toFile(Buffer.from(content), 'train.jsonl'), purpose: 'fine-tune' });
  const ended = (id: string) =>
    api.until(
      () => client.fineTuning.jobs.retrieve(id),
      ({ status }) => ['succeeded', 'failed', 'cancelled'].includes(status),
    );
  const ask = async (model: string) => {
    const messages = [{ role: 'user' as const, content: question(2) }];
    return (await client.chat.completions.create({ model, messages })).choices[0]!.message.content;
  };

  it('trains an encoder on rows with entities, and calls it by its model id', async () => {
    const file = await upload(trips(60));
    const begun = await client.fineTuning.jobs.create({
      ...{ model: ENCODER, training_file: file.id, suffix: 'trips', seed: 7, metadata: { team: 'travel' } },
      hyperparameters: { n_epochs: 2, batch_size: 8, learning_rate_multiplier: 0.5 },
    });
    expect(begun).toMatchObject({
      ...{ object: 'fine_tuning.job', status: 'queued', model: ENCODER, training_file: file.id, seed: 7 },
      ...{ fine_tuned_model: null, finished_at: null, error: null, metadata: { team: 'travel' } },
      hyperparameters: { n_epochs: 2, batch_size: 8, learning_rate_multiplier: 0.5 },
      ...{ user_provided_suffix: 'trips', method: { type: 'supervised' } },
    });
    const job = await ended(begun.id);
    expect(job).toMatchObject({ status: 'succeeded', fine_tuned_model: begun.id.slice('ftjob-'.length) });
    const said = await ask(job.fine_tuned_model!);
    expect(JSON.parse(said!)).toHaveProperty('entities');
    const native = (await api.call('GET', `/felix/training-jobs/${job.fine_tuned_model}`)).body;
    expect(native).toMatchObject({ model_name: 'trips', seed: 7, nr_epochs: 2, batch_size: 8 });
  });

  it('holds out the rows of a validation file, and no others', async () => {
    const [train, validation] = [await upload(trips(60)), await upload(trips(90).split('\n').slice(70, 85).join('\n'))];
    const files = { training_file: train.id, validation_file: validation.id };
    const hyperparameters = { n_epochs: 1 };
    const job = await ended((await client.fineTuning.jobs.create({ model: ENCODER, ...files, hyperparameters })).id);
    expect(job).toMatchObject({ status: 'succeeded', ...files });
    const native = (await api.call('GET', `/felix/training-jobs/${job.fine_tuned_model}`)).body;
    expect(native.metrics).toMatchObject({ judged_rows: 15, overlapping_rows: 0 });
    const [checkpoint] = (await client.fineTuning.jobs.checkpoints.list(job.id)).data;
    expect(checkpoint!.metrics.full_valid_loss).toBeGreaterThan(0);
  });

  it.each([
    ['is the training file', (id: string) => Promise.resolve(id), 422, 'a second time'],
    ['has rows of another kind', () => upload(chats).then(({ id }) => id), 422, 'no such rows'],
    ['is gone', () => Promise.resolve('file-00000000-0000-4000-8000-000000000000'), 404, 'file'],
  ])('gets a validation file that %s refused by name', async (_, fileFor, status, message) => {
    const { id } = await upload(trips(20));
    const body = { model: ENCODER, training_file: id, validation_file: await fileFor(id) };
    const param = status === 422 ? 'validation_file' : null;
    await expect(client.fineTuning.jobs.create(body)).rejects.toMatchObject({
      ...{ status, param, message: expect.stringContaining(message) },
    });
  });

  describe('a decoder', () => {
    let job: OpenAI.FineTuning.FineTuningJob;
    beforeAll(async () => {
      const { id } = await upload(chats);
      const method = { type: 'supervised' as const, supervised: { hyperparameters: { n_epochs: 2 } } };
      job = await ended((await client.fineTuning.jobs.create({ model: CHAT, training_file: id, method })).id);
    });

    it('learns from chats, and answers accordingly', async () => {
      expect(job).toMatchObject({ status: 'succeeded', error: null });
      expect(await ask(job.fine_tuned_model!)).toBe('Lost, I fear 2');
    });

    it('continues from its own model, with pairs of answers', async () => {
      const { id } = await upload(pairs);
      const method = { type: 'dpo' as const, dpo: { hyperparameters: { beta: 0.5 } } };
      const model = job.fine_tuned_model!;
      const tuned = await ended((await client.fineTuning.jobs.create({ model, training_file: id, method })).id);
      expect(tuned).toMatchObject({ status: 'succeeded', model, method: { dpo: { hyperparameters: { beta: 0.5 } } } });
      expect(await ask(tuned.fine_tuned_model!)).toBe('In Lima 2');
    });

    it('continues from a checkpoint by its listed id', async () => {
      const { data } = await client.fineTuning.jobs.checkpoints.list(job.id);
      expect(data.map(({ step_number }) => step_number)).toEqual([2, 1]);
      expect(data[0]).toMatchObject({ fine_tuning_job_id: job.id, metrics: { step: 2, train_loss: 0.5 } });
      const model = data[1]!.fine_tuned_model_checkpoint;
      const next = await client.fineTuning.jobs.create({ model, training_file: job.training_file });
      expect(await ended(next.id)).toMatchObject({ status: 'succeeded' });
      const [last] = (await client.fineTuning.jobs.checkpoints.list(job.id, { limit: 1, after: data[0]!.id })).data;
      expect(last).toEqual(data[1]);
    });

    it('reports its progress as events, newest first, page by page', async () => {
      const all = await Array.fromAsync(client.fineTuning.jobs.listEvents(job.id, { limit: 2 }));
      const { data } = await client.fineTuning.jobs.listEvents(job.id, { limit: 100 });
      expect(all).toEqual(data);
      expect(all.length).toBeGreaterThan(2);
      const messages = all.map(({ message }) => message);
      expect(messages.findIndex((text) => /Epoch 2\/2/.test(text))).toBeLessThan(
        messages.findIndex((text) => /Epoch 1\/2/.test(text)),
      );
    });

    it('is listed among the jobs, page by page', async () => {
      await api.drained();
      const ids = await Array.fromAsync(client.fineTuning.jobs.list({ limit: 1 }), ({ id }) => id);
      const whole = (await client.fineTuning.jobs.list({ limit: 100 })).data.map(({ id }) => id);
      expect(ids).toEqual(whole);
      expect(ids).toContain(job.id);
    });

    it.each([
      ['dpo', 'chats', () => chats, 'method.type'],
      ['supervised', 'pairs of answers', () => pairs, 'method.type'],
    ] as const)('of method %s is refused for %s', async (type, _, content, param) => {
      const { id } = await upload(content());
      const refused = client.fineTuning.jobs.create({ model: CHAT, training_file: id, method: { type } });
      await expect(refused).rejects.toMatchObject({ status: 422, param });
    });
  });

  it('cancels a job, but can neither pause nor resume it', async () => {
    const { id } = await upload(trips(200));
    const hyperparameters = { n_epochs: 200 };
    const job = await client.fineTuning.jobs.create({ model: ENCODER, training_file: id, hyperparameters });
    await expect(client.fineTuning.jobs.pause(job.id)).rejects.toThrow(/cannot be paused/);
    await expect(client.fineTuning.jobs.resume(job.id)).rejects.toThrow(/cannot be resumed/);
    expect(await client.fineTuning.jobs.cancel(job.id)).toMatchObject({ status: 'cancelled', id: job.id });
  });

  it.each([
    ['an unknown model', { model: 'acme/none' }, 404, 'model'],
    ['an embedder', { model: 'anneal/embedder-base-v1' }, 422, 'model'],
    ['rows that the model cannot learn', { model: CHAT }, 422, 'training_file'],
  ])('gets %s refused by name', async (_, fields, status, param) => {
    const { id } = await upload(trips(20));
    const refused = client.fineTuning.jobs.create({ training_file: id, ...fields });
    await expect(refused).rejects.toMatchObject({ status, param });
  });

  it('gets a missing, batch or invalid file refused by name', async () => {
    const create = (training_file: string) => client.fineTuning.jobs.create({ model: CHAT, training_file });
    await expect(create('file-none')).rejects.toMatchObject({ status: 404 });
    const file = await toFile(Buffer.from('{"custom_id":"1"}'), 'a.jsonl');
    const batch = await client.files.create({ file, purpose: 'batch' });
    await expect(create(batch.id)).rejects.toThrow(/training_file: names a file whose purpose is batch/);
    const wrong = await upload('{"messages": 5}');
    await expect(create(wrong.id)).rejects.toMatchObject({ status: 422, message: expect.stringMatching(/row 1/) });
  });
});
