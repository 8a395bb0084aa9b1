import OpenAI from 'openai';
import { onServers } from '#test/deployments/test-api.js';
import { startHostedApi, type HostedApi } from '#test/support/hosted-api.js';
import { startTestApi, type TestApi } from '#test/support/api.js';
import { hostedSettings, PROVIDER_KEY } from '#test/support/hosted-settings.js';
import { embeds, scriptedVector } from '#test/support/scripted-answers.js';
import { cuts, hangs, refuses, sends, type ScriptedProvider } from '#test/support/scripted-provider.js';

const MODEL = 'acme/embed';

describe('POST /v1/embeddings with a hosted embedder', () => {
  let provider: ScriptedProvider;
  let system: HostedApi;
  let api: TestApi;
  let client: OpenAI;
  beforeAll(async () => {
    system = await startHostedApi({ first_byte_timeout_ms: 500, total_timeout_ms: 500 });
    ({ api, openai: provider } = system);
    client = new OpenAI({ apiKey: api.key, baseURL: `${api.url}/v1`, maxRetries: 0 });
  });
  beforeEach(() => provider.script(embeds()));
  afterAll(() => system.close());

  const embed = (body: object = {}) => api.call('POST', '/v1/embeddings', { model: MODEL, input: 'A cat', ...body });
  const record = async (id: string) => (await api.call('GET', `/inferences/${id}`)).body;
  const eventsOf = async (id: string) => {
    const events = await Array.fromAsync(
      api.application.ports.eventStore.readAll({ filter: { categories: ['metered', 'content'] } }),
    );
    return events.filter(({ data }) => data['inferenceId'] === id);
  };

  it("returns the provider's vectors, and forwards the request's fields", async () => {
    const input = ['A cat', 'A dog'];
    const { status, body } = await embed({ input, dimensions: 4, user: 'u-1', input_type: 'query' });
    expect([status, body]).toEqual([
      200,
      {
        object: 'list',
        data: input.map((text, index) => ({ object: 'embedding', index, embedding: scriptedVector(text, 4) })),
        model: MODEL,
        usage: { prompt_tokens: 6, total_tokens: 6 },
        x_pioneer: { inference_id: expect.any(String) },
      },
    ]);
    expect(provider.seen.at(-1)!.path).toBe('/v1/embeddings');
    expect(provider.seen.at(-1)!.body).toEqual({
      ...{ model: 'embed', input, encoding_format: 'float', dimensions: 4, user: 'u-1', input_type: 'query' },
    });
  });

  it.each([
    ['of one text', [9906, 1917], 1],
    ['of another vocabulary', [200_000], 1],
    ['of several texts', [[9906], [1917, 0]], 2],
  ])('sends token ids on: %s', async (_, input, count) => {
    const { status, body } = await embed({ input });
    expect([status, body.data.length]).toEqual([200, count]);
    expect(provider.seen.at(-1)!.body.input).toEqual(count === 1 ? [input] : input);
  });

  it('sends the texts of token ids where `token_ids` is `decode`', async () => {
    const settings = await hostedSettings(provider.url, { token_ids: 'decode' });
    const decoding = await startTestApi(settings.values);
    try {
      const ask = (input: object) => decoding.call('POST', '/v1/embeddings', { model: MODEL, input });
      expect((await ask([[9906], [9906, 1917]])).status).toBe(200);
      expect(provider.seen.at(-1)!.body.input).toEqual(['Hello', 'Hello world']);
      const unknown = await ask([200_000]);
      expect([unknown.status, unknown.body.error.param]).toEqual([422, 'input']);
    } finally {
      await decoding.close();
      await settings.remove();
    }
  });

  it('is readable by the OpenAI SDK, and sends the provider no field of this installation', async () => {
    const asked = { model: MODEL, input: ['A cat'], store: true };
    const { data } = await client.embeddings.create(asked);
    expect(data).toEqual([{ object: 'embedding', index: 0, embedding: scriptedVector('A cat', 8) }]);
    expect(provider.seen.at(-1)!.body).toEqual({ model: 'embed', input: ['A cat'], encoding_format: 'base64' });
  });

  it('is opened, ended and metered in one stream, and recorded with its cost', async () => {
    const { body } = await embed({ input: ['A cat', 'A dog'] });
    const id: string = body.x_pioneer.inference_id;
    const events = (await eventsOf(id)).filter(({ stream }) => stream.startsWith('metered-'));
    const several = ['call-opened.v1', 'call-closed.v1', 'call-metered.v1'];
    expect(events.map(({ type }) => type)).toEqual(onServers() ? several : ['call-metered.v1']);
    expect(events[0]!.data).toMatchObject({ task: 'embed', estimatedInputTokens: 4 });
    await api.drained();
    const recorded = await record(id);
    expect(recorded).toMatchObject({
      ...{ task: 'embed', status: 'success', format: 'openai', model_id: MODEL, base_model: MODEL },
      ...{ input: { input: ['A cat', 'A dog'] }, output: { embeddings: 2, dimensions: 8 } },
      ...{ input_tokens: 6, output_tokens: 0 },
    });
    expect(recorded.cost).toBeCloseTo((6 * 2) / 1e6, 12);
  });

  it('estimates tokens if the provider counts none', async () => {
    provider.script(sends(JSON.stringify({ data: [{ index: 0, embedding: [1, 0] }] })));
    const { body } = await embed({ input: 'nine bytes' });
    expect(body.usage).toEqual({ prompt_tokens: 4, total_tokens: 4 });
  });

  it('keeps no content with store: false, whether the call succeeds or fails', async () => {
    const hidden = { store: false, input: 'unspeakable' };
    expect((await embed(hidden)).body.x_pioneer).toEqual({ inference_id: null });
    provider.script(refuses(400, { error: { message: 'unspeakable' } }));
    expect((await embed(hidden)).status).toBe(400);
    const events = await Array.fromAsync(api.application.ports.eventStore.readAll({}));
    expect(JSON.stringify(events)).not.toContain('unspeakable');
  });

  it.each<[string, ReturnType<typeof refuses>, number, string]>([
    ['is saturated', refuses(429, {}, { 'retry-after': '9' }), 503, 'capacity_exhausted'],
    ['refuses our key', refuses(401, { error: { message: `bad key ${PROVIDER_KEY}` } }), 503, 'internal'],
    ['fails', refuses(500), 503, 'internal'],
    ['does not answer', hangs, 503, 'timeout'],
    ['breaks off', cuts, 503, 'internal'],
    ['answers with nonsense', sends('<html>'), 503, 'internal'],
    ['answers for another number of texts', sends('{"data": []}'), 503, 'internal'],
    ['refuses the request', refuses(400, { error: { message: 'too long' } }), 400, 'internal'],
  ])(
    "is a free error in OpenAI's format, recorded as failed, when a provider %s",
    async (_, act, status, errorType) => {
      provider.script(act);
      const answer = await embed();
      expect([answer.status, typeof answer.body.error.message]).toEqual([status, 'string']);
      expect(JSON.stringify(answer.body)).not.toContain(PROVIDER_KEY);
      await api.drained();
      const { inferences } = (await api.call('GET', '/inferences?limit=1')).body;
      expect(inferences[0]).toMatchObject({ task: 'embed', status: 'failed', error_type: errorType, cost: 0 });
    },
  );

  it('refuses dimensions that the model does not support by name with 422', async () => {
    provider.script(sends(JSON.stringify({ data: [{ index: 0, embedding: [1, 0] }] })));
    const { status, body } = await embed({ dimensions: 3 });
    expect([status, body.error.param]).toEqual([422, 'dimensions']);
  });

  it('a disconnected client cancels the call upstream, and the call is recorded as cancelled', async () => {
    provider.script(hangs);
    const { eventStore } = api.application.ports;
    const { position } = await eventStore.head();
    const before = provider.seen.length;
    const leaving = new AbortController();
    const asked = client.embeddings.create({ model: MODEL, input: 'A cat' }, { signal: leaving.signal });
    const aborted = expect(asked).rejects.toBeInstanceOf(OpenAI.APIUserAbortError);
    const { left } = await provider.request(before);
    leaving.abort();
    await Promise.all([aborted, left]);
    const filter = { types: ['call-metered.v1'] };
    const metered = eventStore.subscribe({ after: position, filter, signal: AbortSignal.timeout(300_000) });
    for await (const message of metered) {
      if (message.kind !== 'events') continue;
      expect(message.events[0]!.data).toMatchObject({ task: 'embed', status: 'failed', errorType: 'cancelled' });
      break;
    }
    expect.assertions(2);
  });

  it.each<[string, object, number, RegExp]>([
    ['a decoder', { model: 'acme/chat' }, 409, /decoder.*\/v1\/chat\/completions/],
    ['a base decoder', { model: 'acme/base' }, 409, /decoder.*\/v1\/completions/],
    ['a model of a rollout that the workspace lacks', { model: 'acme/secret' }, 404, /acme\/secret/],
    ['texts beside token ids', { input: ['a', [1]] }, 422, /input/],
  ])('%s is refused before anything is sent', async (_, body, status, message) => {
    const before = provider.seen.length;
    const answer = await embed(body);
    expect([answer.status, answer.body.error.message]).toEqual([status, expect.stringMatching(message)]);
    expect(provider.seen.length).toBe(before);
  });
});
