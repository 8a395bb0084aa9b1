import { Tiktoken } from 'js-tiktoken/lite';
import cl100k from 'js-tiktoken/ranks/cl100k_base';
import OpenAI from 'openai';
import { builtin } from '#gpu-runner/engines/builtin/registration.js';
import type { TestApi } from '#test/support/api.js';
import { sharedTestApi } from '#test/support/shared-api.js';

const MODEL = 'anneal/embedder-base-v1';
const ENCODER = 'anneal/encoder-base-v1';

describe('POST /v1/embeddings with the built-in embedder', () => {
  let api: TestApi;
  let client: OpenAI;
  beforeAll(async () => {
    api = await sharedTestApi();
    client = new OpenAI({ apiKey: api.key, baseURL: `${api.url}/v1`, maxRetries: 0 });
  });
  afterAll(() => api.close());

  const embed = (body: object) => api.call('POST', '/v1/embeddings', { model: MODEL, ...body });
  const record = async (id: string) => (await api.call('GET', `/inferences/${id}`)).body;
  const lengthOf = (vector: readonly number[]) => Math.hypot(...vector);

  it('returns one vector of length 1 for a text', async () => {
    const { status, body } = await embed({ input: 'A cat sat on the mat.' });
    expect([status, body]).toEqual([
      200,
      {
        object: 'list',
        data: [{ object: 'embedding', index: 0, embedding: expect.any(Array) }],
        model: MODEL,
        usage: { prompt_tokens: 7, total_tokens: 7 },
        x_pioneer: { inference_id: expect.any(String) },
      },
    ]);
    expect(body.data[0].embedding).toHaveLength(256);
    expect(lengthOf(body.data[0].embedding)).toBeCloseTo(1, 5);
  });

  it('returns the base64 that the OpenAI SDK requests, in the order of the texts', async () => {
    const input = ['A cat', 'A dog', 'A cat'];
    const [base64, float] = await Promise.all([
      client.embeddings.create({ model: MODEL, input }),
      client.embeddings.create({ model: MODEL, input, encoding_format: 'float' }),
    ]);
    expect(base64.data.map(({ index }) => index)).toEqual([0, 1, 2]);
    expect(base64.data).toEqual(float.data);
    expect(base64.data[0]!.embedding).toEqual(base64.data[2]!.embedding);
    expect(base64.data[0]!.embedding).not.toEqual(base64.data[1]!.embedding);
  });

  it('returns base64 as little-endian 32-bit floats', async () => {
    const input = 'A cat';
    const [base64, float] = await Promise.all([embed({ input, encoding_format: 'base64' }), embed({ input })]);
    const bytes = Buffer.from(base64.body.data[0].embedding as string, 'base64');
    const floats = Array.from({ length: bytes.length / 4 }, (_, index) => bytes.readFloatLE(index * 4));
    expect(floats).toEqual(float.body.data[0].embedding);
  });

  it('truncates to the requested dimensions, and scales to length 1', async () => {
    const [all, few] = await Promise.all([embed({ input: 'A cat' }), embed({ input: 'A cat', dimensions: 8 })]);
    const first: number[] = all.body.data[0].embedding.slice(0, 8);
    few.body.data[0].embedding.forEach((value: number, index: number) =>
      expect(value).toBeCloseTo(first[index]! / lengthOf(first), 6),
    );
    expect(few.body.data[0].embedding).toHaveLength(8);
  });

  it('places texts of similar meaning nearer to each other than to others', async () => {
    const { body } = await embed({
      input: ['I want my money back', 'Give me a refund of the money', 'Snow fell all night'],
    });
    const [a, b, c] = body.data.map(({ embedding }: { embedding: number[] }) => embedding);
    const cosine = (x: number[], y: number[]) => x.reduce((sum, value, index) => sum + value * y[index]!, 0);
    expect(cosine(a, b)).toBeGreaterThan(cosine(a, c) + 0.2);
  });

  it('is recorded with its cost and without the vectors, and accepts feedback', async () => {
    const { body: project } = await api.call('POST', '/projects', { name: 'vectors' });
    const asked = { input: ['A cat', 'A dog'], dimensions: 16 };
    const { body } = await embed({ ...asked, project_id: project.id });
    const id: string = body.x_pioneer.inference_id;
    const recorded = await record(id);
    expect(recorded).toMatchObject({
      ...{ task: 'embed', status: 'success', format: 'openai', source: 'api', project_id: project.id },
      ...{ model_id: MODEL, base_model: MODEL, input: asked, output: { embeddings: 2, dimensions: 16 } },
      ...{ input_tokens: 4, output_tokens: 0, tokens: 4 },
    });
    expect(recorded.cost).toBeCloseTo((4 * 0.02) / 1e6, 12);
    const feedback = await api.call('POST', `/inferences/${id}/feedback`, { verdict: 'correct' });
    expect(feedback.status).toBe(200);
  });

  it('decodes token ids, in cl100k_base, as LangChain sends them for any model', async () => {
    const tokens = new Tiktoken(cl100k);
    const texts = ['A cat sat on the mat.', 'Grüße, 😙 мир'];
    const [one, several, expected] = await Promise.all([
      embed({ input: tokens.encode(texts[0]!) }),
      embed({ input: texts.map((text) => tokens.encode(text)) }),
      embed({ input: texts }),
    ]);
    expect(one.body.data).toEqual([expected.body.data[0]]);
    expect([several.body.data, several.body.usage]).toEqual([expected.body.data, expected.body.usage]);
    expect((await record(one.body.x_pioneer.inference_id)).input).toEqual({ input: tokens.encode(texts[0]!) });
  });

  it('store: false keeps nothing', async () => {
    const before = (await api.call('GET', '/inferences')).body.total;
    const { body } = await embed({ input: 'unspeakable', store: false });
    expect(body.x_pioneer).toEqual({ inference_id: null });
    expect((await api.call('GET', '/inferences')).body.total).toBe(before);
    const events = await Array.fromAsync(api.application.ports.eventStore.readAll({}));
    expect(JSON.stringify(events)).not.toContain('unspeakable');
    const metered = events.findLast(
      ({ type, metadata }) => type === 'call-metered.v1' && metadata.workspaceId === api.workspaceId,
    );
    expect(metered).toMatchObject({ data: { task: 'embed', stored: false } });
  });

  it('treats null as absent, and ignores unknown fields', async () => {
    const nothing = { encoding_format: null, dimensions: null, user: null, store: null, project_id: null };
    const { status, body } = await embed({ input: 'A cat', ...nothing, surprise: true });
    expect([status, body.data[0].embedding.length]).toEqual([200, 256]);
  });

  it.each(['float', 'base64'])('takes 2,048 texts, also at /v1/v1/embeddings: %s', async (format) => {
    const input = Array.from({ length: 2_048 }, (_, index) => `Text ${index}`);
    const asked = { model: MODEL, input, dimensions: 2, encoding_format: format };
    const { status, headers, body } = await api.call('POST', '/v1/v1/embeddings', asked);
    expect([status, headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8']);
    expect(body).toEqual({
      object: 'list',
      data: input.map((_, index) => ({ object: 'embedding', index, embedding: expect.anything() })),
      model: MODEL,
      usage: { prompt_tokens: 4_096, total_tokens: 4_096 },
      x_pioneer: { inference_id: expect.any(String) },
    });
    const { body: alone } = await embed({ input: input[1_234], dimensions: 2, encoding_format: format });
    expect(body.data[1_234].embedding).toEqual(alone.data[0].embedding);
  });

  it.each<[string, object, string, RegExp]>([
    ['no input', {}, 'input', /is required/],
    ['an empty text', { input: '' }, 'input', /not empty/],
    ['an empty text among others', { input: ['a', ''] }, 'input.1', /not empty/],
    ['no texts', { input: [] }, 'input', /at least one/],
    ['more than 2,048 texts', { input: Array(2_049).fill('a') }, 'input', /at most 2048/],
    ['more than 1,500,000 characters', { input: Array(2).fill('a'.repeat(750_001)) }, 'input', /1500000 characters/],
    ['more than 8,192 tokens', { input: 'a '.repeat(8_193) }, 'input', /8192 tokens/],
    ['more than 8,192 tokens in one of several', { input: ['a', 'b', 'a '.repeat(8_193)] }, 'input.2', /8192 tokens/],
    ['token ids of another encoding', { input: [9906, 128_000] }, 'input', /token id 128000/],
    ['token ids of another encoding in one of several', { input: [[9906], [100_257]] }, 'input.1', /token id 100257/],
    ['a negative token id', { input: [1, -2] }, 'input.1', /from 0/],
    ['a broken token id', { input: [[1], [1.5]] }, 'input.1.0', /whole number/],
    ['an empty list of token ids', { input: [[1], []] }, 'input.1', /at least one/],
    ['more than 2,048 lists of token ids', { input: Array(2_049).fill([1]) }, 'input', /at most 2048/],
    ['an object', { input: { text: 'a' } }, 'input', /not an object/],
    ['an invalid text', { input: ['a', 5, null] }, 'input.1', /not a number/],
    ['too many dimensions', { input: 'a', dimensions: 257 }, 'dimensions', /at most 256/],
    ['no dimensions', { input: 'a', dimensions: 0 }, 'dimensions', /from 1/],
    ['half a dimension', { input: 'a', dimensions: 1.5 }, 'dimensions', /whole number/],
    ['another encoding', { input: 'a', encoding_format: 'int8' }, 'encoding_format', /float, base64/],
    ['no model', { model: undefined, input: 'a' }, 'model', /is required/],
  ])('%s is 422 by name, and is not recorded', async (_, body, param, message) => {
    const since = new Date().toISOString();
    const answer = await embed(body);
    expect([answer.status, answer.body.error]).toEqual([
      422,
      { code: 'invalid', type: 'invalid_request_error', param, message: expect.stringMatching(message) },
    ]);
    expect((await api.call('GET', `/inferences?since=${since}`)).body.total).toBe(0);
  });

  it.each<[string, object, number, RegExp]>([
    ['an unknown model', { model: 'acme/none' }, 404, /acme\/none/],
    ['an unknown project', { project_id: 'none' }, 404, /none/],
    ['an encoder', { model: ENCODER }, 409, /\/v1\/chat\/completions/],
  ])("%s is refused, in OpenAI's error envelope", async (_, body, status, message) => {
    const answer = await embed({ input: 'a', ...body });
    expect([answer.status, answer.body.error.message]).toEqual([status, expect.stringMatching(message)]);
  });

  it.each([
    ['/v1/chat/completions', { model: MODEL, messages: [{ role: 'user', content: 'a' }] }],
    ['/inference', { model_id: MODEL, text: 'a', schema: ['a'] }],
  ])('is 409 on %s, naming this route', async (path, body) => {
    const answer = await api.call('POST', path, body);
    expect([answer.status, JSON.stringify(answer.body)]).toEqual([409, expect.stringContaining('/v1/embeddings')]);
  });

  it('is listed in the catalog as an embedding model', async () => {
    const { body } = await api.call('GET', '/base-models?task_type=embedding');
    expect(body.models.map(({ id }: { id: string }) => id)).toEqual(builtin.embedders.map(({ id }) => id));
    expect(body.models[0]).toMatchObject({
      ...{ supports_inference: true, supports_training: false, multilingual: false },
      context_window: builtin.embedders[0]!.maxTokens,
    });
    expect((await client.models.retrieve(MODEL)).id).toBe(MODEL);
  });

  it("raises the OpenAI SDK's error classes", async () => {
    const create = (model: string, input: string) => client.embeddings.create({ model, input });
    await expect(create(MODEL, '')).rejects.toBeInstanceOf(OpenAI.UnprocessableEntityError);
    await expect(create('acme/none', 'a')).rejects.toBeInstanceOf(OpenAI.NotFoundError);
    await expect(create(ENCODER, 'a')).rejects.toBeInstanceOf(OpenAI.ConflictError);
  });
});
