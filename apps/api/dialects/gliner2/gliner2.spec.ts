import type { InferResult, InferSchema } from '#gpu-runner/contract/schema.js';
import type { TestApi } from '#test/support/api.js';
import { uploadDataset } from '#test/support/datasets.js';
import { QUICK_ENGINES } from '#test/support/quick-engines.js';
import { sharedTestApi } from '#test/support/shared-api.js';
import { TrainingClient } from '#test/support/training-client.js';
import { trips } from '#test/support/trips.js';
import { decodeGliner2Request } from './decode.js';
import { encodeGliner2 } from './encode.js';

const TEXT = 'Maria Rossi flew from Lisbon to Berlin on 3 May.';

/** Bodies as the client (gliner2 2.1.0, `api_client.py`) sends them. */
describe('POST /gliner-2', () => {
  let api: TestApi;
  beforeAll(async () => {
    api = await sharedTestApi({ engines: QUICK_ENGINES });
  });
  afterAll(() => api.close());

  const send = (body: object) => api.call('POST', '/gliner-2', { text: TEXT, threshold: 0.5, ...body });

  it('extract_entities: plain texts by label', async () => {
    const { status, body } = await send({
      ...{ task: 'extract_entities', schema: ['person', 'city', 'food'] },
      ...{ include_confidence: false, include_spans: false, format_results: true },
    });
    expect([status, body]).toEqual([
      200,
      {
        result: { entities: { person: ['Maria Rossi'], city: ['Lisbon', 'Berlin'], food: [] } },
        token_usage: expect.any(Number),
      },
    ]);
    expect(body.token_usage).toBeGreaterThan(5);
  });

  it('returns confidence and spans, and a list for a batch', async () => {
    const asked = { task: 'extract_entities', schema: ['city'], include_confidence: true, include_spans: true };
    const { body } = await send({ ...asked, text: ['😀 Lisbon', 'no'] });
    expect(body.result).toEqual([
      { entities: { city: [{ text: 'Lisbon', confidence: expect.any(Number), start: 2, end: 8 }] } },
      { entities: { city: [] } },
    ]);
  });

  it('uses the descriptions of class labels, and warns about those that the model ignores', async () => {
    const { body } = await send({
      ...{ task: 'schema', text: 'Maria plays tennis' },
      schema: {
        entities: { person: 'somebody', city: null },
        classifications: { topic: { labels: { a1: 'going somewhere', a2: 'tennis, football', other: null } } },
      },
    });
    expect(body.result.topic).toBe('a2');
    const unused = (body.warnings as { code: string; message: string }[]).filter(
      ({ code }) => code === 'unused_description',
    );
    expect(unused.map(({ message }) => message)).toEqual([
      expect.stringContaining('in entities are not used: of "person" the'),
    ]);
  });

  it('reports that a text was truncated', async () => {
    const asked = { task: 'classify_text', schema: { categories: ['travel', 'sport'] } };
    expect((await send({ ...asked, text: 'a '.repeat(10_001) })).body.truncated).toBe(true);
    expect((await send(asked)).body).not.toHaveProperty('truncated');
  });

  it.each<[string, object, unknown, (string | number)[]]>([
    ['an empty label of a map', { task: 'extract_entities' }, { '': 'a' }, []],
    ['an invalid label', { task: 'classify_text' }, ['a', 7], [1]],
    ['an invalid category', { task: 'classify_text' }, { categories: ['a', 7] }, ['categories', 1]],
    ['an empty category of a map', { task: 'classify_text' }, { categories: { a: 'b', '': 'c' } }, ['categories']],
    ['an invalid field', { task: 'extract_json' }, { trip: [7] }, ['trip', 0]],
    ['a head that the model lacks', { task: 'extract_json' }, { trip: ['to::str'] }, []],
    [
      'a threshold by its own name',
      { task: 'schema' },
      { classifications: [{ task: 't', labels: ['a', 'b'], cls_threshold: 2 }] },
      ['classifications', 0, 'cls_threshold'],
    ],
    [
      'a task of a map whose name is taken',
      { task: 'schema' },
      { classifications: { entities: ['a', 'b'] } },
      ['classifications', 'entities'],
    ],
    [
      'a task of a list whose name is taken',
      { task: 'classify_text' },
      { classifications: [{ task: 'entities', labels: ['a', 'b'] }] },
      ['classifications', 0, 'task'],
    ],
    ['a structure whose name is taken', { task: 'extract_json' }, { entities: ['a'] }, ['entities']],
  ])('names %s as it was sent', async (_, more, schema, path) => {
    const { status, body } = await send({ ...more, schema });
    expect([status, body.errors[0].loc]).toEqual([422, ['body', 'schema', ...path]]);
  });

  it('classify_text: the result is called classification', async () => {
    const schema = { categories: ['travel', 'sport'] };
    const { body } = await send({ task: 'classify_text', schema });
    expect(['travel', 'sport']).toContain(body.result.classification);
    const { body: confident } = await send({ task: 'classify_text', schema, include_confidence: true });
    expect(confident.result.classification).toEqual({ label: expect.any(String), confidence: expect.any(Number) });
  });

  it('schema: takes several heads, scalar entities and its own names of thresholds', async () => {
    const { status, body } = await send({
      task: 'schema',
      schema: {
        entities: { person: 'somebody', city: { dtype: 'list' }, food: '' },
        entity_dtype: 'str',
        entity_threshold: 0.3,
        classifications: { topic: { labels: ['travel', 'sport'], multi_label: true, cls_threshold: 0 } },
      },
    });
    expect(status).toBe(422);
    expect(body.errors[0].loc).toEqual(['body', 'schema', 'entities', 'food']);
    const { body: good } = await send({
      task: 'schema',
      schema: {
        entities: { person: 'somebody', city: { dtype: 'list' }, food: 'edible' },
        entity_dtype: 'str',
        entity_threshold: 0.3,
        classifications: { topic: { labels: ['travel', 'sport'], multi_label: true, cls_threshold: 0 } },
      },
    });
    expect(good.result).toEqual({
      entities: { person: 'Maria Rossi', city: ['Lisbon', 'Berlin'], food: null },
      topic: expect.arrayContaining(['travel', 'sport']),
    });
  });

  it.each([
    ['schema', { task: 'schema' }],
    ['extract_entities', { task: 'extract_entities' }],
  ])('%s: takes flat_ner along with the labels', async (_, task) => {
    const { status, body } = await send({ ...task, schema: { entities: ['city'], flat_ner: false } });
    expect([status, body.result]).toEqual([200, { entities: { city: ['Lisbon', 'Berlin'] } }]);
    const refused = await send({ ...task, schema: { entities: ['city'], flat_ner: 1 } });
    expect([refused.status, refused.body.detail]).toEqual([422, expect.stringContaining('flat_ner')]);
  });

  it.each<[object, string | null]>([
    [
      {
        task: 'schema',
        schema: {
          ...{ entities: { city: { description: 'a town', colour: 'red' } }, flat_ner: true, entity_dtype: 'list' },
          classifications: [{ task: 'topic', labels: ['travel', 'sport'], cls_threshold: 0, weight: 2 }],
        },
      },
      'schema.entities.city.colour, schema.classifications.0.weight',
    ],
    [{ task: 'extract_entities', schema: { city: { hue: 1 } } }, 'schema.city.hue'],
    [{ task: 'classify_text', schema: { categories: ['a', 'b'], multi_label: true } }, 'schema.multi_label'],
    [{ task: 'classify_text', schema: { categories: ['a', 'b'] }, trace: 1 }, 'trace'],
    [{ task: 'extract_entities', schema: { city: { dtype: 'list' } } }, null],
  ])('names the fields of %j that are ignored', async (body, names) => {
    const { status, headers } = await send(body);
    expect([status, headers.get('anneal-ignored')]).toEqual([200, names]);
  });

  it.each<[string, object, number, RegExp]>([
    [
      'extract_json, a head that the default encoder lacks',
      { task: 'extract_json', schema: { trip: ['to::str'] } },
      422,
      /structures/,
    ],
    ['relations', { task: 'schema', schema: { relations: ['flew_to'] } }, 422, /relations/],
    ['no schema', { task: 'extract_entities' }, 422, /schema: is required/],
    ['an unknown task', { task: 'sing', schema: ['a'] }, 422, /task: must be one of/],
    ['no categories', { task: 'classify_text', schema: { labels: ['a'] } }, 422, /categories/],
    ['no text', { text: undefined, schema: ['a'] }, 422, /text: is required/],
    ['a threshold above 1', { threshold: 2, schema: ['a'] }, 422, /threshold/],
  ])('%s is refused, in a text that the client shows', async (_, body, status, message) => {
    const answer = await send(body);
    expect([answer.status, answer.body.detail]).toEqual([status, expect.stringMatching(message)]);
  });

  it('records a call of the default encoder and lists it', async () => {
    await send({ task: 'extract_entities', schema: ['city'] });
    await api.drained();
    const { body } = await api.call('GET', '/inferences?limit=1');
    expect(body.inferences[0]).toMatchObject({
      ...{ model_id: 'anneal/encoder-base-v1', status: 'success', format: 'native' },
      input: { text: expect.anything(), schema: expect.anything() },
    });
  });

  describe('with a model', () => {
    const asked = { task: 'extract_entities', text: 'please book Oslo for Anna', schema: ['traveller', 'destination'] };
    const unresolved = expect.objectContaining({ code: 'unresolved_label' });
    const newest = async () => {
      await api.drained();
      return (await api.call('GET', '/inferences?limit=1')).body.inferences[0];
    };

    it('runs the training job that it names, and records the call under that job', async () => {
      const client = new TrainingClient(api);
      await uploadDataset(api, { dataset_name: 'trips', filename: 'trips.jsonl' }, trips(60));
      const job = { model_name: 'trip finder', base_model: 'anneal/encoder-base-v1', nr_epochs: 1 };
      const { id: model } = await client.start({ ...job, datasets: [{ name: 'trips' }] });
      expect(await client.ended(model)).toMatchObject({ status: 'complete' });
      // The base model never learned these labels.
      expect((await send(asked)).body.warnings).toContainEqual(unresolved);
      expect(await send({ ...asked, model })).toMatchObject({
        status: 200,
        body: { result: { entities: { traveller: ['Anna'], destination: ['Oslo'] } } },
      });
      expect(await newest()).toMatchObject({ model_id: model, training_job_id: model, status: 'success' });
    });

    it.each([null, 'anneal/encoder-base-v1', 'fastino/gliner2-base-v1'])('%s runs the base model', async (model) => {
      const { status, body } = await send({ ...asked, schema: ['city'], model });
      expect([status, body.result]).toEqual([200, { entities: { city: ['Oslo'] } }]);
      expect(await newest()).toMatchObject({ model_id: model ?? 'anneal/encoder-base-v1', training_job_id: null });
    });

    it.each([
      ['that does not exist is 404', 'nobody/nothing', 404, /^model "nobody\/nothing" does not exist/],
      ['without a name is 422', '', 422, /^model: must be/],
      ['that is a number is 422', 7, 422, /^model: must be/],
    ])('%s, and detail gives the reason', async (_, model, status, message) => {
      const answer = await send({ ...asked, model });
      expect([answer.status, answer.body.detail]).toEqual([status, expect.stringMatching(message)]);
    });

    it('that is not an encoder is 422 naming the field', async () => {
      const { body: page } = await api.call('GET', '/base-models');
      const other = (page.models as { id: string; task_type: string }[]).find(
        ({ task_type: kind }) => kind !== 'encoder',
      );
      const { status, body } = await send({ ...asked, model: other!.id });
      expect([status, body.errors[0].loc]).toEqual([422, ['body', 'model']]);
    });
  });

  it('answers 401 with the reason in detail', async () => {
    const answer = await api.call('POST', '/gliner-2', { text: 'x', schema: ['a'] }, { 'x-api-key': 'pio_sk_wrong' });
    expect([answer.status, typeof answer.body.detail]).toEqual([401, 'string']);
  });
});

describe('unformatted results of GLiNER2', () => {
  const found: InferResult = {
    entities: { city: [{ text: 'Rome', start: 0, end: 4, label: 'city', confidence: 0.9 }] },
    classifications: {
      mood: [{ label: 'calm', confidence: 0.7 }],
      topics: [
        { label: 'a', confidence: 0.6 },
        { label: 'b', confidence: 0.55 },
      ],
    },
    structures: { trip: [{ to: [{ text: 'Rome', start: 0, end: 4, confidence: 0.8 }] }] },
    relations: { in: [{ head: { text: 'Rome', confidence: 1 }, tail: { text: 'Italy', confidence: 1 } }] },
    truncated: false,
  };
  const asked: InferSchema = {
    entities: [{ name: 'city' }],
    classifications: [
      { task: 'mood', labels: ['calm', 'wild'], multiLabel: false },
      { task: 'topics', labels: ['a', 'b'], multiLabel: true },
    ],
    structures: [{ name: 'trip', fields: [{ name: 'to', dtype: 'str' }] }],
    relations: [{ name: 'in' }],
  };
  const encoded = (format_results: boolean) => {
    const schema = {
      entities: ['city'],
      classifications: { mood: ['calm', 'wild'], topics: { labels: ['a', 'b'], multi_label: true } },
      structures: { trip: ['to::str'] },
      relations: ['in'],
    };
    const request = decodeGliner2Request({ text: 'Rome, Italy', schema, format_results });
    return JSON.parse(JSON.stringify(encodeGliner2('Rome, Italy', found, asked, request))) as object;
  };

  it('list entities, give classes as pairs, and put relations next to the other heads', () => {
    expect(encoded(false)).toEqual({
      entities: [{ city: ['Rome'] }],
      mood: ['calm', 0.7],
      topics: [
        ['a', 0.6],
        ['b', 0.55],
      ],
      trip: [{ to: 'Rome' }],
      in: [['Rome', 'Italy']],
    });
  });

  it('equal those of /inference when formatted', () => {
    expect(encoded(true)).toEqual({
      entities: { city: ['Rome'] },
      mood: 'calm',
      topics: ['a', 'b'],
      trip: [{ to: 'Rome' }],
      relation_extraction: { in: [['Rome', 'Italy']] },
    });
  });
});
