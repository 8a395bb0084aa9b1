import { startTestApi, type TestApi } from '#test/support/api.js';

const MODEL = 'anneal/encoder-base-v1';

describe('an encoder on /inference', () => {
  let api: TestApi;
  beforeAll(async () => {
    api = await startTestApi({ bodyMaxBytes: 256 * 1024 });
  });
  afterAll(() => api.close());

  const infer = (body: object) => api.call('POST', '/inference', { model_id: MODEL, schema: ['city'], ...body });

  it('finds spans in code points, and names the model that ran', async () => {
    const { status, body } = await infer({ model_id: 'fastino/gliner2-base-v1', text: '😀👩‍👩‍👧 Lisbon' });
    expect([status, body]).toEqual([
      200,
      {
        type: 'encoder',
        inference_id: expect.any(String),
        result: { entities: { city: [{ text: 'Lisbon', confidence: expect.any(Number), start: 7, end: 13 }] } },
        model_id: 'fastino/gliner2-base-v1',
        model_used: MODEL,
        latency_ms: expect.any(Number),
        token_usage: expect.any(Number),
      },
    ]);
  });

  it('finds nothing in an empty text, and counts no tokens', async () => {
    expect((await infer({ text: '' })).body).toMatchObject({ result: { entities: { city: [] } }, token_usage: 0 });
    expect((await infer({ text: ['', 'Lisbon'] })).body.result).toHaveLength(2);
  });

  it('records a batch as one call, with the sum of its tokens', async () => {
    const { body: one } = await infer({ text: 'Lisbon and Rome' });
    const { body: three } = await infer({ text: Array<string>(3).fill('Lisbon and Rome') });
    expect(three.result).toEqual([one.result, one.result, one.result]);
    expect(three.token_usage).toBe(3 * one.token_usage);
    const record = (await api.call('GET', `/inferences/${three.inference_id}`)).body;
    expect(record).toMatchObject({ tokens: three.token_usage, output: three.result });
  });

  it("prefers a label's threshold to that of the call", async () => {
    const entities = [{ name: 'city', threshold: 1 }, { name: 'person' }];
    const { body } = await infer({ text: 'Maria flew to Lisbon', schema: { entities }, threshold: 0 });
    expect(body.result.entities.city).toEqual([]);
    expect(body.result.entities.person.length).toBeGreaterThan(0);
  });

  it('returns an empty list and a warning for a label that the model cannot resolve', async () => {
    const { body } = await infer({ text: 'Maria', schema: ['quux'] });
    expect(body).toMatchObject({
      result: { entities: { quux: [] } },
      warnings: [{ code: 'unresolved_label', label: 'quux', message: expect.any(String) }],
    });
  });

  it('returns the best labels for top_k, always with confidence', async () => {
    const classifications = [{ task: 'topic', labels: ['travel', 'sport', 'food'], top_k: 2 }];
    const { body } = await infer({ text: 'x', schema: { classifications }, include_confidence: false });
    expect(body.result.topic).toEqual([
      { label: expect.any(String), confidence: expect.any(Number) },
      { label: expect.any(String), confidence: expect.any(Number) },
    ]);
  });

  it.each<[string, object, number, RegExp]>([
    ['a batch that is too long', { text: Array(1_001).fill('x') }, 422, /text: must hold at most 1000/],
    ['a body that is too large', { text: 'x'.repeat(300 * 1024) }, 413, /larger than/],
    [
      'structures',
      { text: 'x', schema: { structures: { s: ['a'] } } },
      422,
      /structures: model .* has no structures head/,
    ],
    ['relations', { text: 'x', schema: { relations: ['r'] } }, 422, /relations: model .* has no relations head/],
    ['both', { text: 'x', schema: { relations: ['r'], structures: { s: ['a'] } } }, 422, /structures: .*1 more/],
    ['an invalid body of an unknown model', { model_id: 'none', text: 7 }, 422, /text/],
    ['an unknown model', { model_id: 'none', text: 'x' }, 404, /none/],
    ['an unknown project', { text: 'x', project_id: 'none' }, 404, /project/],
    ['no schema', { text: 'x', schema: null }, 422, /schema: is required/],
    ['streaming', { text: 'x', stream: true }, 422, /stream: .*\/v1\/chat\/completions/],
  ])('%s is refused', async (_, body, status, message) => {
    const answer = await infer(body);
    expect([answer.status, JSON.stringify(answer.body)]).toEqual([status, expect.stringMatching(message)]);
  });

  it('ignores unknown fields at any depth, and names them by their paths', async () => {
    const schema = {
      entities: { city: { description: 'a town', colour: 'red' } },
      classifications: [{ task: 'topic', labels: ['travel', 'sport'], weight: 2 }],
      version: 3,
    };
    const { status, body, headers } = await infer({ text: 'Lisbon', schema, trace: 1 });
    expect([status, Object.keys(body.result)]).toEqual([200, ['entities', 'topic']]);
    expect(headers.get('anneal-ignored')?.split(', ').toSorted()).toEqual([
      ...['schema.classifications.0.weight', 'schema.entities.city.colour', 'schema.version', 'trace'],
    ]);
    const refused = await infer({ text: 'Lisbon', schema: { ...schema, flat_ner: 'no' } });
    expect([refused.status, refused.body.errors]).toEqual([
      ...[422, [expect.objectContaining({ loc: ['body', 'schema', 'flat_ner'] })]],
    ]);
  });

  it('accepts and ignores an Idempotency-Key', async () => {
    const headers = { 'x-api-key': api.key, 'idempotency-key': 'k1' };
    const body = { model_id: MODEL, text: 'Lisbon', schema: ['city'] };
    const [first, second] = [
      await api.call('POST', '/inference', body, headers),
      await api.call('POST', '/inference', { ...body, text: 'Rome' }, headers),
    ];
    expect([first.status, second.status]).toEqual([200, 200]);
    expect(second.body.inference_id).not.toBe(first.body.inference_id);
  });
});
