import { jest } from '@jest/globals';
import { Readable } from 'node:stream';
import type { JsonObject } from '#domain/json.js';
import { startTestApi, type TestApi } from '#test/support/api.js';
import { uploadDataset } from '#test/support/datasets.js';
import { TrainingClient } from '#test/support/training-client.js';

const BASE = 'anneal/encoder-base-v1';
const ROWS = [
  ...[
    'Where is my parcel?',
    'The parcel from Łódź 😀 is late.',
    'My order has not arrived.',
    'When does the parcel come?',
  ],
  ...['I want my money back.', 'Please refund the kettle.', 'Give me a refund.', 'The money was taken twice.'],
].map((text, row) => ({ text, label: row < 4 ? 'delivery' : 'refund' }));
const LONG = { text: `password ${'😀'.repeat(600)}`, label: 'account' };
const MORE = [
  LONG,
  { text: 'I cannot sign in with my password', label: 'account' },
  { text: 'sign in fails', label: 'account' },
];
const jsonl = (rows: readonly object[]) => rows.map((row) => `${JSON.stringify(row)}\n`).join('');

describe('the explanation of an answer', () => {
  let api: TestApi;
  let client: TrainingClient;
  let model: string;
  beforeAll(async () => {
    api = await startTestApi({ rateLimits: false });
    client = new TrainingClient(api);
    await uploadDataset(api, { dataset_name: 'mails', filename: 'mails.jsonl' }, jsonl(ROWS));
    await uploadDataset(api, { dataset_name: 'more', filename: 'more.jsonl' }, jsonl(MORE));
    model = await trained({ datasets: [{ name: 'mails' }, { name: 'more' }] });
  });
  afterAll(() => api.close());

  const trained = async (body: object) => {
    const { id } = await client.start({ model_name: 'm', base_model: BASE, nr_epochs: 1, ...body });
    expect(await client.ended(id)).toMatchObject({ status: 'complete' });
    return id;
  };
  const ask = (body: object, headers?: Record<string, string>) =>
    api.call('POST', '/inference', { model_id: model, explain: true, ...body }, headers);
  const nearest = (explanation: JsonObject) =>
    explanation['nearest_rows'] as (JsonObject & { text: string; row: number })[];

  /** Has what the API reads of the object store go through a function. */
  const reading = (change: (content: Buffer) => Promise<Buffer>) => {
    const { objectStore } = api.application.ports;
    const get = objectStore.get.bind(objectStore);
    return jest.spyOn(objectStore, 'get').mockImplementation(async (...of) => {
      const content = await change(Buffer.concat(await Array.fromAsync(await get(...of))));
      return Readable.from([content]);
    });
  };

  it('names the three nearest training rows, with text, labels and location', async () => {
    const { status, body } = await ask({ text: 'Where is the parcel from Łódź?' });
    expect(status).toBe(200);
    const rows = nearest(body.explanation);
    expect(rows).toHaveLength(3);
    for (const { text, row, ...others } of rows) {
      expect(others).toEqual({
        labels: [ROWS[row - 1]!.label],
        similarity: expect.any(Number),
        dataset_name: 'mails',
        version_number: '1',
      });
      expect(text).toBe(ROWS[row - 1]!.text);
    }
    expect(rows.map(({ similarity }) => similarity)).toEqual(
      rows
        .map(({ similarity }) => similarity)
        .toSorted()
        .reverse(),
    );
    expect(rows[0]).toMatchObject({ labels: ['delivery'] });
    expect(body).not.toHaveProperty('warnings');
  });

  it('explains each text of a batch, and shortens long rows', async () => {
    const { body } = await ask({ text: ['password', 'qqq', 'refund'] });
    expect(body.explanation).toHaveLength(3);
    expect(nearest(body.explanation[0])).toContainEqual(
      expect.objectContaining({ text: `password ${'😀'.repeat(491)}`, is_excerpt: true, dataset_name: 'more', row: 1 }),
    );
    expect(nearest(body.explanation[1])).toEqual([]);
    expect(nearest(body.explanation[2])[0]).toMatchObject({ labels: ['refund'] });
    const { body: one } = await ask({ text: ['refund'] });
    expect(one.explanation).toEqual([body.explanation[2]]);
  });

  it('names rows with their entities, structures and relations for answers of those heads', async () => {
    const NAMES = ['Ada', 'Ben', 'Cleo', 'Dan', 'Eve', 'Finn'];
    const of = (who: string, row: number) => ({
      text: row % 2 ? `${who} works for Acme.` : `Acme has hired ${who} in May.`,
      entities: [
        [who, 'person'],
        ['Acme', 'firm'],
      ],
      relations: [{ 'works for': { head: who, tail: 'Acme' } }],
      json_structures: [{ hire: { who } }],
    });
    const rows = [...NAMES, ...NAMES.map((name) => `${name}y`)].map(of);
    const classed = [...rows, { text: 'Acme pays late.', label: 'gossip' }, { text: 'All is well.', label: 'news' }];
    await uploadDataset(api, { dataset_name: 'hires', filename: 'hires.jsonl' }, jsonl([...classed, ...classed]));
    const id = await trained({ datasets: [{ name: 'hires' }], nr_epochs: 2 });
    const text = 'Acme has hired Gus in May.';
    const schemas = [['person'], { relations: ['works for'] }, { structures: { hire: ['who::str'] } }];
    for (const schema of schemas) {
      const { status, body } = await ask({ model_id: id, text, schema });
      expect([status, body.warnings]).toEqual([200, undefined]);
      const [first, ...others] = nearest(body.explanation);
      const { text: shown, entities, relations, json_structures } = rows[(first!.row - 1) % classed.length]!;
      expect(first).toMatchObject({ text: shown, labels: [], entities, relations, json_structures });
      expect(first!.text).toContain('has hired');
      for (const other of others) expect(other).toHaveProperty('entities');
    }
    const { body } = await ask({
      model_id: id,
      text,
      schema: { classifications: [{ task: 't', labels: ['gossip', 'news'] }] },
    });
    for (const row of nearest(body.explanation)) {
      expect(row['labels']).toHaveLength(1);
      expect(row).not.toHaveProperty('entities');
    }
  });

  it('is omitted unless requested, and is not stored with the call', async () => {
    const { body: without } = await ask({ text: 'refund', explain: false });
    expect(without).not.toHaveProperty('explanation');
    const { body } = await ask({ text: 'refund' });
    expect(body.result).toEqual(without.result);
    const { body: record } = await api.call('GET', `/inferences/${body.inference_id}`);
    expect(record).toMatchObject({ input: { text: 'refund', explain: true }, output: body.result });
    expect(JSON.stringify(record)).not.toContain('kettle');
  });

  it('warns if the answer contains nothing that the model was trained on', async () => {
    const warned = expect.objectContaining({ code: 'explanation_unavailable', message: expect.any(String) });
    for (const schema of [['city'], { classifications: [{ task: 't', labels: ['delivery', 'weather'] }] }]) {
      const { status, body } = await ask({ text: 'parcel', schema });
      expect([status, body.warnings]).toEqual([200, expect.arrayContaining([warned])]);
      expect(body).not.toHaveProperty('explanation');
    }
  });

  it("warns if the job's rows have no labels of the answer's kind", async () => {
    const cities = ['Rome', 'Oslo', 'Lima', 'Bonn'].map((city) => ({
      text: `to ${city}`,
      entities: [[city, 'place']],
    }));
    await uploadDataset(api, { dataset_name: 'places', filename: 'places.jsonl' }, jsonl(cities));
    // The classifier comes from another job, whose rows are not this one's.
    const base_model = model;
    const { id } = await client.start({ model_name: 'p', base_model, datasets: [{ name: 'places' }], nr_epochs: 1 });
    await client.ended(id);
    const schema = { classifications: [{ task: 't', labels: ['delivery', 'refund'] }] };
    const { body } = await ask({ model_id: id, text: 'parcel', schema });
    expect(body.result.t.label).toBe('delivery');
    expect(body.warnings).toEqual([
      { code: 'explanation_unavailable', message: expect.stringContaining('Train it again') },
    ]);
  });

  it.each([
    [
      'a model that was not trained here',
      { model_id: BASE, text: 'x', schema: ['city'] },
      /explain: is for trained models/,
    ],
    ['more than 100 texts', { text: Array(101).fill('x') }, /explain: is for at most 100 texts \(got 101\)/],
    ['a value that is not a boolean', { text: 'x', explain: 'yes' }, /explain: must be/],
    ['a decoder', { messages: [{ role: 'user', content: 'x' }] }, /explain: is for encoder models/],
  ])('is refused for %s', async (_, body, message) => {
    const answer = await ask(body);
    expect([answer.status, JSON.stringify(answer.body)]).toEqual([422, expect.stringMatching(message)]);
  });

  it('is refused, or ignored, by name on routes that cannot explain', async () => {
    const messages = [{ role: 'user', content: 'parcel' }];
    const chat = await api.call('POST', '/v1/chat/completions', { model, messages, explain: true });
    const anthropic = await api.call('POST', '/v1/messages', { model, messages, max_tokens: 9, explain: true });
    const responses = await api.call('POST', '/v1/responses', { model, input: 'parcel', explain: true });
    const asked = { task: 'classify_text', text: 'x', schema: { categories: ['a', 'b'] }, explain: true };
    const gliner = await api.call('POST', '/gliner-2', asked);
    expect([gliner.status, gliner.headers.get('anneal-ignored')]).toEqual([200, 'explain']);
    const refused = [chat, anthropic, responses].map(({ status, body }) => [status, JSON.stringify(body)]);
    const named = expect.stringContaining('explain');
    expect(refused).toEqual([
      [422, named],
      [422, named],
      [422, named],
    ]);
  });

  it('names no row of a deleted dataset, and finds the nearest among the others', async () => {
    await uploadDataset(
      api,
      { dataset_name: 'gone', filename: 'gone.jsonl' },
      jsonl(ROWS.map((row) => ({ ...row, text: `${row.text} !` }))),
    );
    const id = await trained({ datasets: [{ name: 'gone' }, { name: 'more' }] });
    const asked = () => ask({ model_id: id, text: 'sign in for the parcel' });
    expect(nearest((await asked()).body.explanation).map((row) => row['dataset_name'])).toContain('gone');
    // The evaluation that follows the job still reads it.
    await api.until(
      () => api.call('DELETE', '/felix/datasets/gone'),
      ({ status }) => status === 200,
    );
    const { body } = await asked();
    expect(nearest(body.explanation).length).toBeGreaterThan(1);
    expect(nearest(body.explanation).every((row) => row['dataset_name'] === 'more')).toBe(true);
    expect(body.warnings).toEqual([
      {
        code: 'explanation_unavailable',
        message: expect.stringContaining('Version 1 of dataset "gone" no longer exists'),
      },
    ]);
    // Another dataset of that name has nothing to do with the model.
    await uploadDataset(api, { dataset_name: 'gone', filename: 'gone.jsonl' }, jsonl(ROWS));
    expect((await asked()).body.explanation).toEqual(body.explanation);
  });

  it('shows no row of a dataset that is deleted while it is being read', async () => {
    await uploadDataset(api, { dataset_name: 'brief', filename: 'brief.jsonl' }, jsonl(ROWS));
    const id = await trained({ datasets: [{ name: 'brief' }] });
    const asked = () => ask({ model_id: id, text: 'parcel' });
    expect(nearest((await asked()).body.explanation)).not.toEqual([]);
    const read = reading(async (content) => {
      await api.until(
        () => api.call('DELETE', '/felix/datasets/brief'),
        ({ status }) => status === 200 || status === 404,
      );
      return content;
    });
    const { body } = await asked();
    read.mockRestore();
    expect(nearest(body.explanation)).toEqual([]);
    expect(body.warnings).toEqual([
      { code: 'explanation_unavailable', message: expect.stringContaining('dataset "brief" no longer exists') },
    ]);
  });

  it('omits rows that are damaged in the object store, with a warning', async () => {
    const read = reading(() => Promise.resolve(Buffer.from('null')));
    const { status, body } = await ask({ text: 'parcel' });
    read.mockRestore();
    expect([status, nearest(body.explanation)]).toEqual([200, []]);
    expect(body.warnings).toEqual([
      { code: 'explanation_unavailable', message: expect.stringContaining('could not be read') },
    ]);
  });
});
