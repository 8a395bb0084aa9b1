import { startTestApi, type TestApi } from '#test/support/api.js';
import { uploadDataset } from '#test/support/datasets.js';
import { TrainingClient } from '#test/support/training-client.js';
import { bookings } from '#test/support/bookings.js';
import type { EvaluationRecord } from '../evaluations/responses.js';
import type { TrainingJobRecord } from './reading/responses.js';

const BASE = 'anneal/encoder-base-v1';
const TEXT = '😀 order: 3 teas for Ann; order: 2 figs for Bob';
const SCHEMA = { structures: { 'line item': ['how many::str', 'what::str', 'for::list'] } };

let api: TestApi;
let client: TrainingClient;
let job: TrainingJobRecord;
let automatic: EvaluationRecord;
beforeAll(async () => {
  api = await startTestApi({ rateLimits: false });
  await uploadDataset(api, { dataset_name: 'bookings', filename: 'a.jsonl' }, bookings(80));
  await uploadDataset(api, { dataset_name: 'held out', filename: 'a.jsonl' }, bookings(30, 1_000));
  client = new TrainingClient(api);
  const { id } = await client.start({ base_model: BASE, datasets: [{ name: 'bookings' }], nr_epochs: 10 });
  job = await client.ended(id);
  automatic = await client.automaticEvaluation(id);
});
afterAll(() => api.close());

describe('a model trained on structures', () => {
  const infer = (body: object) => api.call('POST', '/inference', { model_id: job.id, text: TEXT, ...body });

  it('is measured by the values of its fields, each in the right record', async () => {
    expect(job).toMatchObject({
      status: 'complete',
      task_type: 'structures',
      labels: ['line item.for', 'line item.how many', 'line item.what'],
    });
    const { heads, per_entity } = job.metrics as { heads: Record<string, { f1: number }>; per_entity: object };
    expect(heads['structures']!.f1).toBeGreaterThan(0.9);
    expect(Object.keys(per_entity)).toEqual(job.labels);
    expect(automatic).toMatchObject({ status: 'complete', automatic: true });
    const measured = await client.evaluate({ base_model: job.id, dataset_name: 'held out' });
    expect(Object.keys(measured.metrics!.heads)).toEqual(['structures']);
    expect(measured.f1).toBeGreaterThan(0.9);
    const { expected, predicted, correct } = measured.predictions!.find((each) => each.correct)!;
    expect([expected, correct]).toEqual([predicted, true]);
    expect(expected).toEqual({ json_structures: expect.any(Array) });
  });

  it('answers with its records, in the requested shape', async () => {
    const span = (text: string, start: number) => ({
      text,
      confidence: expect.any(Number),
      start,
      end: start + text.length,
    });
    const { status, body } = await infer({ schema: SCHEMA });
    expect(status).toBe(200);
    expect(body.result).toEqual({
      'line item': [
        { 'how many': span('3', 9), what: span('teas', 11), for: [span('Ann', 20)] },
        { 'how many': span('2', 32), what: span('figs', 34), for: [span('Bob', 43)] },
      ],
    });
    const plain = { include_confidence: false, include_spans: false };
    const { body: batch } = await infer({ text: [TEXT, 'nothing here'], schema: SCHEMA, ...plain });
    expect(batch.result).toEqual([
      {
        'line item': [
          { 'how many': '3', what: 'teas', for: ['Ann'] },
          { 'how many': '2', what: 'figs', for: ['Bob'] },
        ],
      },
      { 'line item': [] },
    ]);
    expect((await api.call('GET', `/inferences/${body.inference_id}`)).body).toMatchObject({ task: 'extract_json' });
  });

  it('answers without a schema with the structures that it learned', async () => {
    const { body } = await infer({ include_confidence: false, include_spans: false });
    expect(body.result).toEqual({
      'line item': [
        { 'how many': '3', what: 'teas', for: ['Ann'] },
        { 'how many': '2', what: 'figs', for: ['Bob'] },
      ],
    });
  });

  it('answers with choices that are written like a value but for case and punctuation, and drops any other value', async () => {
    const fields = [{ name: 'what', dtype: 'str', choices: ['Teas!', 'fig'] }];
    const { body } = await infer({ schema: { structures: { 'Line-Item': { fields } } } });
    expect(body.result).toEqual({ 'Line-Item': [{ what: { text: 'Teas!', confidence: expect.any(Number) } }] });
  });

  it('answers together with other heads, in chats and in other dialects', async () => {
    const schema = { ...SCHEMA, entities: ['person'], classifications: [{ task: 'mood', labels: ['glad', 'sad'] }] };
    const { body } = await infer({ schema });
    expect(Object.keys(body.result).toSorted()).toEqual(['entities', 'line item', 'mood']);
    const messages = [{ role: 'user', content: TEXT }];
    const chat = await api.call('POST', '/v1/chat/completions', { model: job.id, messages, schema: SCHEMA });
    expect(JSON.parse(chat.body.choices[0].message.content)['line item']).toHaveLength(2);
    const message = await api.call('POST', '/v1/messages', { model: job.id, max_tokens: 9, messages, schema: SCHEMA });
    expect(JSON.parse(message.body.content[0].text)['line item']).toHaveLength(2);
    const response = await api.call('POST', '/v1/responses', {
      model: job.id,
      input: TEXT,
      text: { format: { schema: SCHEMA } },
    });
    expect(JSON.parse(response.body.output[0].content[0].text)['line item']).toHaveLength(2);
  });

  it('warns of structures and fields that it did not learn, and guesses none', async () => {
    const { body } = await infer({
      schema: { structures: { 'line item': ['price::str', 'what::str'], trip: ['to'] } },
    });
    expect(body.warnings).toEqual([
      { code: 'unresolved_label', label: 'line item.price', message: expect.stringContaining('"line item.price"') },
      { code: 'unresolved_label', label: 'trip', message: expect.stringContaining('"trip"') },
    ]);
    expect(body.result).toMatchObject({ 'line item': [{ price: null }, { price: null }], trip: [] });
  });

  it('accepts corrections of its records', async () => {
    const { body } = await infer({ schema: SCHEMA });
    const feedback = (corrected_output: object) =>
      api.call('POST', `/inferences/${body.inference_id}/feedback`, { verdict: 'incorrect', corrected_output });
    expect(
      (await feedback({ 'line item': [{ 'how many': '3', what: { text: 'teas', start: 11, end: 15 }, for: [] }] }))
        .status,
    ).toBe(200);
    const wrong = await feedback({ 'line item': [{ what: 'coffee', colour: 'red', for: 'Ann' }] });
    expect([wrong.status, (wrong.body.errors as { loc: unknown[] }[]).map(({ loc }) => loc.slice(2))]).toEqual([
      422,
      [
        ['line item', 0, 'what'],
        ['line item', 0, 'colour'],
        ['line item', 0, 'for'],
      ],
    ]);
  });

  it('differs from a model that learned none, whose calls and evaluations say so', async () => {
    const rows = `${JSON.stringify({ text: 'Ann left', entities: [['Ann', 'person']] })}\n`.repeat(4);
    await uploadDataset(api, { dataset_name: 'people', filename: 'a.jsonl' }, rows);
    const other = await client.start({ base_model: BASE, datasets: [{ name: 'people' }], nr_epochs: 1 });
    await client.ended(other.id);
    const { status, body } = await infer({ model_id: other.id, schema: SCHEMA });
    expect([status, body.detail]).toEqual([422, expect.stringContaining('no structures head')]);
    const evaluation = await client.evaluate({ base_model: other.id, dataset_name: 'held out' });
    expect(evaluation).toMatchObject({
      status: 'failed',
      error_message: expect.stringContaining('no structures head'),
    });
    const base = await api.call('POST', '/felix/evaluations', { base_model: BASE, dataset_name: 'held out' });
    expect([base.status, base.body.detail]).toEqual([422, expect.stringContaining('json_structures')]);
  });
});
