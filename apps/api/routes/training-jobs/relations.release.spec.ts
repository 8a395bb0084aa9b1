import { startTestApi, type TestApi } from '#test/support/api.js';
import { bookings } from '#test/support/bookings.js';
import { uploadDataset } from '#test/support/datasets.js';
import { staff } from '#test/support/staff.js';
import { TrainingClient } from '#test/support/training-client.js';
import { trips } from '#test/support/trips.js';
import type { TrainingJobRecord } from './reading/responses.js';

const BASE = 'anneal/encoder-base-v1';
const TEXT = '😀 Ann works for Hooli, which is based in Kyiv.';
const PLAIN = { include_confidence: false, include_spans: false };
const headsOf = ({ metrics }: TrainingJobRecord) => metrics!.heads as Record<string, { f1: number }>;

let api: TestApi;
let client: TrainingClient;
beforeAll(async () => {
  api = await startTestApi({ rateLimits: false });
  client = new TrainingClient(api);
  await uploadDataset(api, { dataset_name: 'staff', filename: 'a.jsonl' }, staff(100));
  await uploadDataset(api, { dataset_name: 'typed staff', filename: 'a.jsonl' }, staff(100, { entities: true }));
  await uploadDataset(api, { dataset_name: 'held out', filename: 'a.jsonl' }, staff(40, { seed: 1_000 }));
  await uploadDataset(api, { dataset_name: 'bookings', filename: 'a.jsonl' }, bookings(60));
  await uploadDataset(api, { dataset_name: 'trips', filename: 'a.jsonl' }, trips(40));
});
afterAll(() => api.close());

const trained = async (...names: string[]) => {
  const { id } = await client.start({ base_model: BASE, datasets: names.map((name) => ({ name })), nr_epochs: 8 });
  return client.ended(id);
};
const infer = (model_id: string, body: object) => api.call('POST', '/inference', { model_id, text: TEXT, ...body });

describe('a model trained on relations', () => {
  let job: TrainingJobRecord;
  beforeAll(async () => {
    job = await trained('staff');
  });

  it('is measured by relations with both ends right', async () => {
    expect(job).toMatchObject({ status: 'complete', task_type: 'relations', labels: ['based in', 'works for'] });
    expect(Object.keys(headsOf(job))).toEqual(['relations']);
    const measured = await client.evaluate({ base_model: job.id, dataset_name: 'held out' });
    expect(measured).toMatchObject({ status: 'complete', metrics: { per_entity: { 'works for': { support: 32 } } } });
    expect(measured.f1).toBeGreaterThan(0.85);
    expect(measured.predictions![0]!.expected).toEqual({
      relations: expect.arrayContaining([{ 'works for': { head: expect.any(String), tail: expect.any(String) } }]),
    });
    expect(await client.automaticEvaluation(job.id)).toMatchObject({ status: 'complete' });
  });

  it('answers with directed relations, in the requested shape', async () => {
    const end = (text: string) => {
      const start = [...TEXT.slice(0, TEXT.indexOf(text))].length;
      return { text, confidence: expect.any(Number), start, end: start + text.length };
    };
    const { body } = await infer(job.id, { schema: { relations: ['works for', 'based-in'] } });
    expect(body.result).toEqual({
      relation_extraction: {
        'works for': [{ head: end('Ann'), tail: end('Hooli') }],
        'based-in': [{ head: end('Hooli'), tail: end('Kyiv') }],
      },
    });
    expect((await api.call('GET', `/inferences/${body.inference_id}`)).body.task).toBe('extract_relations');
    const own = await infer(job.id, { text: [TEXT, 'Ann never heard of Acme.'], ...PLAIN });
    expect(own.body.result).toEqual([
      { relation_extraction: { 'works for': [['Ann', 'Hooli']], 'based in': [['Hooli', 'Kyiv']] } },
      { relation_extraction: { 'works for': [], 'based in': [] } },
    ]);
  });

  it('warns of what it did not learn: a relation, the types of ends, another head', async () => {
    const relations = [{ name: 'works for', head: 'person' }, { name: 'married to' }];
    const { body } = await infer(job.id, { schema: { relations }, ...PLAIN });
    expect(body.result.relation_extraction).toEqual({ 'works for': [['Ann', 'Hooli']], 'married to': [] });
    expect(body.warnings).toEqual([
      { code: 'unchecked_type', label: 'person', message: expect.any(String) },
      { code: 'unresolved_label', label: 'married to', message: expect.any(String) },
    ]);
    const lacking = await infer(job.id, { schema: { structures: { s: ['f'] } } });
    expect([lacking.status, lacking.body.detail]).toEqual([422, expect.stringContaining('no structures head')]);
    const base = await infer(BASE, { schema: { relations: ['works for'] } });
    expect([base.status, base.body.detail]).toEqual([422, expect.stringContaining('no relations head')]);
  });

  it('accepts corrections of its relations', async () => {
    const { body } = await infer(job.id, { schema: { relations: ['works for'] } });
    const feedback = (relations: object) =>
      api.call('POST', `/inferences/${body.inference_id}/feedback`, {
        verdict: 'incorrect',
        corrected_output: { relation_extraction: relations },
      });
    expect((await feedback({ 'works for': [['Ann', 'Kyiv'], { head: 'Ann', tail: { text: 'Hooli' } }] })).status).toBe(
      200,
    );
    const wrong = await feedback({ 'works for': [['Ann', 'Rome'], 'Ann'], knows: [] });
    expect(wrong.status).toBe(422);
    expect((wrong.body.errors as { loc: unknown[] }[]).map(({ loc }) => loc.slice(3))).toEqual([
      ['works for', 0, 'tail'],
      ['works for', 1],
      ['knows'],
    ]);
  });
});

describe('a model trained on all heads', () => {
  let job: TrainingJobRecord;
  beforeAll(async () => {
    job = await trained('typed staff', 'bookings', 'trips');
  });

  it('is measured by each of them, and by all together', async () => {
    expect(job).toMatchObject({ status: 'complete', task_type: 'multi_head' });
    const heads = headsOf(job);
    expect(Object.keys(heads).toSorted()).toEqual(['classification', 'entities', 'relations', 'structures']);
    for (const { f1 } of Object.values(heads)) expect(f1).toBeGreaterThan(0.8);
    const measured = await client.evaluate({ base_model: job.id, dataset_name: 'typed staff' });
    expect(Object.keys(measured.metrics!.heads).toSorted()).toEqual(['entities', 'relations']);
  });

  it('answers all heads in one call', async () => {
    const { status, body } = await infer(job.id, {
      schema: {
        entities: ['person', 'company'],
        classifications: [{ task: 'intent', labels: ['travel', 'booking'] }],
        structures: { 'line item': ['what::str'] },
        relations: [
          { name: 'works for', head: 'person', tail: 'company' },
          { name: 'based in', head: 'river' },
        ],
      },
      ...PLAIN,
    });
    expect(status).toBe(200);
    expect(body.result).toEqual({
      entities: { person: ['Ann'], company: ['Hooli'] },
      intent: expect.any(String),
      'line item': expect.any(Array),
      relation_extraction: { 'works for': [['Ann', 'Hooli']], 'based in': [] },
    });
    expect(body.warnings).toEqual([{ code: 'unresolved_label', label: 'river', message: expect.any(String) }]);
    expect((await api.call('GET', `/inferences/${body.inference_id}`)).body.task).toBe('schema');
  });
});
