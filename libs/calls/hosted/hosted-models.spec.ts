import { answers } from '#test/support/scripted-answers.js';
import {
  answersWhole,
  begins,
  cuts,
  floods,
  hangs,
  refuses,
  sends,
  startScriptedProvider,
  streams,
  type ScriptedProvider,
  type ScriptedUsage,
} from '#test/support/scripted-provider.js';
import { hostedModels, type ReplaceableHostedModels } from './open.js';
import { HostedModelError, textMessage, type GenerationRequest } from './port.js';
import { checkProviders } from './providers.js';

const KEY = 'sk-very-secret-key-1234567890';
const request: GenerationRequest = { messages: [textMessage('user', 'Say hello')], maxTokens: 20, temperature: 0 };

describe('a hosted model', () => {
  let provider: ScriptedProvider;
  let models: ReplaceableHostedModels;

  const open = (settings: object = {}) => {
    const acme = { style: 'openai', base_url: provider.url, api_key_env: 'KEY', max_retries: 2, ...settings };
    models = hostedModels(checkProviders({ providers: { acme } }, { KEY }));
  };
  const generate = async (asked = request, signal?: AbortSignal) =>
    (await Array.fromAsync(models.generate({ name: 'acme', model: 'big-1' }, asked, signal && { signal }))).flat();
  const failure = async (...args: Parameters<typeof generate>): Promise<HostedModelError> => {
    const error: unknown = await generate(...args).then(
      () => null,
      (reason: unknown) => reason,
    );
    expect(error).toBeInstanceOf(HostedModelError);
    const { message, details, stack } = error as HostedModelError;
    expect(JSON.stringify([message, details, stack])).not.toContain(KEY);
    expect(message).not.toMatch(/acme|127\.0\.0\.1/);
    return error as HostedModelError;
  };
  const text = (events: Awaited<ReturnType<typeof generate>>) =>
    events.map((event) => (event.type === 'text' ? event.text : '')).join('');

  beforeEach(async () => {
    provider = await startScriptedProvider();
    open();
  });
  afterEach(async () => {
    await models.close();
    await provider.close();
  });

  it("is called in its provider's style, with its key", async () => {
    const asked: GenerationRequest = {
      ...request,
      topP: 0.9,
      stop: ['\n'],
      seed: 7,
      responseFormat: { type: 'json_schema', name: 'row', schema: { type: 'object' }, strict: true },
    };
    await generate(asked);
    const [seen] = provider.seen;
    expect(seen).toMatchObject({ path: '/v1/chat/completions', headers: { authorization: `Bearer ${KEY}` } });
    expect(seen!.body).toEqual({
      model: 'big-1',
      messages: [{ role: 'user', content: 'Say hello' }],
      max_tokens: 20,
      temperature: 0,
      top_p: 0.9,
      stop: ['\n'],
      seed: 7,
      response_format: { type: 'json_schema', json_schema: { name: 'row', schema: { type: 'object' }, strict: true } },
      stream: true,
      stream_options: { include_usage: true },
    });
  });

  it('answers in events: text as it comes, usage with cached tokens apart, the end', async () => {
    const cached = { cached_tokens: 30, cache_write_tokens: 10 };
    provider.script(
      streams('Hello there, 😀', { prompt_tokens: 100, completion_tokens: 5, prompt_tokens_details: cached }, 'length'),
    );
    const events = await generate();
    expect(text(events)).toBe('Hello there, 😀');
    expect(events.filter(({ type }) => type === 'text').length).toBeGreaterThan(1);
    expect(events.slice(-2)).toEqual([
      {
        type: 'usage',
        usage: { inputTokens: 60, outputTokens: 5, cacheReadTokens: 30, cacheWriteTokens: 10 },
      },
      { type: 'finish', reason: 'length' },
    ]);
  });

  it.each([{}, { total_tokens: 12 }, { prompt_tokens: null, completion_tokens: 5 }])(
    'reports no usage if the provider gives no input or output tokens: %j',
    async (usage) => {
      provider.script(streams('Hello', usage as ScriptedUsage));
      expect((await generate()).map(({ type }) => type)).toEqual(['text', 'finish']);
    },
  );

  it('that repeats our key at the end of a long message does not leak the beginning of it', async () => {
    provider.script(refuses(400, { error: { message: `${'x'.repeat(990)}${KEY}` } }));
    expect((await failure()).message).not.toContain(KEY.slice(0, 8));
  });

  it('is called without streaming if no reader needs pieces, and gives one batch', async () => {
    provider.script(answers({ text: 'Hello', toolCalls: [{ id: 'c', name: 'now', input: '{}' }] }));
    const batches = models.generate({ name: 'acme', model: 'big-1' }, request, { stream: false });
    const types = (await Array.fromAsync(batches)).map((batch) => batch.map(({ type }) => type));
    expect(types).toEqual([['text', 'tool-call', 'tool-input', 'usage', 'finish']]);
    expect(provider.seen[0]!.body).not.toHaveProperty('stream');
  });

  it('may answer with one whole JSON document', async () => {
    provider.script(answersWhole('Hello'));
    const events = await generate();
    expect(events.map(({ type }) => type)).toEqual(['text', 'usage', 'finish']);
    expect(text(events)).toBe('Hello');
  });

  it('that is replaced ends its calls, and the next one is asked with the new key', async () => {
    provider.script(begins('Hel', 'hang'), streams('Hello'));
    const gone = new AbortController();
    const running = models.generate({ name: 'acme', model: 'big-1' }, request, { signal: gone.signal });
    const pieces = running[Symbol.asyncIterator]();
    await pieces.next();
    const acme = { ...models.providers.get('acme')!, key: 'another' };
    for (let times = 0; times < 3; times += 1) models.replace(new Map([['acme', { ...acme }]]));
    expect(text(await generate())).toBe('Hello');
    expect(provider.seen.map(({ headers }) => headers.authorization)).toEqual([`Bearer ${KEY}`, 'Bearer another']);
    const next = pieces.next();
    gone.abort();
    await expect(next).rejects.toMatchObject({ kind: 'cancelled' });
    models.replace(new Map());
    expect([models.has('acme'), (await failure()).kind]).toEqual([false, 'unavailable']);
  });

  it('reuses its connections for later calls', async () => {
    const ports = new Set<unknown>();
    provider.script((response, seen) => {
      ports.add(response.socket!.remotePort);
      return streams('ok')(response, seen);
    });
    for (let calls = 0; calls < 10; calls += 1) await generate();
    // The next call may begin before the end of the stream has been read.
    expect(ports.size).toBeLessThanOrEqual(2);
  });

  it.each([400, 413, 422])('that refuses the request with %i: status and message are kept', async (status) => {
    provider.script(
      refuses(status, { error: { message: `bad: ${KEY}`, code: 'context_length_exceeded', param: 'messages' } }),
    );
    expect(await failure()).toMatchObject({
      kind: 'rejected',
      message: 'bad: [key]',
      details: { upstreamStatus: status, code: 'context_length_exceeded', param: 'messages' },
    });
    expect(provider.seen).toHaveLength(1);
  });

  it.each([
    [401, 'unavailable'],
    [403, 'unavailable'],
    [404, 'unavailable'],
    [302, 'unavailable'],
    [408, 'timeout'],
    [504, 'timeout'],
    [500, 'unavailable'],
    [429, 'saturated'],
    [503, 'unavailable'],
    [529, 'saturated'],
  ])('that answers %i is %s, and reveals nothing about the account', async (status, kind) => {
    open({ max_retries: 0 });
    provider.script(refuses(status, { error: { message: `Incorrect API key provided: ${KEY}` } }));
    const error = await failure();
    expect(error).toMatchObject({ kind, provider: 'acme' });
    expect(error.message).not.toMatch(/API key/);
  });

  it.each([
    [{ error: { message: 'Your credit balance is too low to access the API' } }],
    [{ error: { message: 'Your organization must be verified to stream this model.' } }],
    [{ error: { message: 'Billing hard limit has been reached', code: 'billing_hard_limit_reached' } }],
    [{ error: { message: 'Provider returned error', metadata: { raw: '{"error":{"message":"Incorrect API key"}}' } } }],
    [[{ error: { message: 'API key not valid. Please pass a valid API key.' } }]],
  ])('that answers 400 about our account or key is unavailable, without details: %j', async (body) => {
    provider.script(refuses(400, body));
    const error = await failure();
    expect(error).toMatchObject({ kind: 'unavailable', details: { upstreamStatus: 402 } });
    expect(error.message).not.toMatch(/credit|organization|billing|key/i);
  });

  it.each([
    [
      { detail: [{ loc: ['body', 'top_k'], msg: 'must be above 0' }, { msg: 'no' }] },
      'body.top_k: must be above 0; no',
    ],
    [{ detail: 'Not so' }, 'Not so'],
    [{ errors: [{ message: 'One' }, 'Two', { detail: 'Three' }, 4] }, 'One; Two; Three'],
    [
      { error: { message: 'Bad', details: [{ fieldViolations: [{ field: 'tools[0]', description: 'unknown' }] }] } },
      'Bad: tools[0]: unknown',
    ],
    [
      {
        error: { message: 'Provider returned error', metadata: { raw: '{"error":{"message":"top_k is too large"}}' } },
      },
      'Provider returned error: top_k is too large',
    ],
    [{ error: { message: 'No', metadata: { raw: 'It is too large' } } }, 'No: It is too large'],
    [{ error: { message: 'No', metadata: { raw: { oddly: 1 } } } }, 'No'],
  ])('that says more than a message is repeated: %j', async (body, message) => {
    provider.script(refuses(400, body));
    expect((await failure()).message).toBe(message);
  });

  it.each([
    [' top_k is too large\n', 'top_k is too large'],
    ['<html>Bad request</html>', "the model's provider refused the request"],
  ])('that is no JSON is repeated unless it is a page: %j', async (body, message) => {
    provider.script((response) => void response.writeHead(400, { 'content-type': 'text/plain' }).end(body));
    expect((await failure()).message).toBe(message);
  });

  it("that repeats the operator's address does not leak it", async () => {
    provider.script(refuses(400, { error: { message: `POST ${provider.url}/chat/completions: bad` } }));
    expect(await failure()).toMatchObject({ message: 'POST [address]/chat/completions: bad', provider: 'acme' });
  });

  it('that repeats our key in a code or a field does not leak it', async () => {
    provider.script(refuses(400, [{ error: { message: 'bad', code: KEY, param: `headers.${KEY}` } }]));
    expect(await failure()).toMatchObject({ message: 'bad', details: { code: '[key]', param: 'headers.[key]' } });
  });

  it('that is saturated for long reports for how long, and is not retried', async () => {
    provider.script(refuses(429, {}, { 'retry-after': '17' }));
    expect(await failure()).toMatchObject({ kind: 'saturated', details: { retryAfterSeconds: 17 } });
    expect(provider.seen).toHaveLength(1);
  });

  it('that fails before its first byte is retried', async () => {
    provider.script(refuses(529), cuts, streams('at last'));
    expect(text(await generate())).toBe('at last');
    expect(provider.seen).toHaveLength(3);
  });

  it('is retried no more often than configured', async () => {
    provider.script(refuses(500));
    expect((await failure()).kind).toBe('unavailable');
    expect(provider.seen).toHaveLength(3);
  });

  it.each(['cut', 'end'] as const)('that breaks off midway (%s) is an error, and is not retried', async (how) => {
    provider.script(begins('Hel', how));
    expect((await failure()).kind).toBe('unavailable');
    expect(provider.seen).toHaveLength(1);
  });

  it.each([
    ['no JSON', sends('<html>')],
    ['JSON of another shape', sends('{"hello": 1}')],
    ['a list', sends('[]')],
    ['no JSON in a stream', sends('data: {"choi\n\n', 'text/event-stream')],
    ['an error in a stream', sends('data: {"error": {"message": "no"}}\n\n', 'text/event-stream')],
    ['nothing', sends('')],
  ])('that answers with %s is an error', async (_, act) => {
    provider.script(act);
    expect((await failure()).kind).toBe('unavailable');
  });

  it('is cut off when its answer grows too long', async () => {
    open({ max_response_bytes: 1_000_000 });
    provider.script(floods);
    expect((await failure()).message).toMatch(/sent an answer that is too long/);
    await provider.seen[0]!.left;
  });

  it.each([
    ['does not begin', hangs, { first_byte_timeout_ms: 100 }],
    ['stops in the middle', begins('Hel', 'hang'), { first_byte_timeout_ms: 100 }],
    ['takes too long in all', begins('Hel', 'hang'), { total_timeout_ms: 100 }],
  ])('that %s is timed out and disconnected', async (_, act, settings) => {
    open(settings);
    provider.script(act);
    expect((await failure()).kind).toBe('timeout');
    await provider.seen[0]!.left;
  });

  it('that cannot be reached is an error', async () => {
    open({ base_url: 'http://127.0.0.1:1/v1', max_retries: 0 });
    expect((await failure()).kind).toBe('unavailable');
  });

  it('is cancelled when the caller disconnects, before and after the first byte', async () => {
    for (const act of [hangs, begins('Hel', 'hang')]) {
      provider.script(act);
      const gone = new AbortController();
      const failed = failure(request, gone.signal);
      const seen = await provider.next();
      gone.abort();
      expect((await failed).kind).toBe('cancelled');
      await seen.left;
    }
  });

  it('is disconnected when the loop over its events is left', async () => {
    provider.script(begins('Hel', 'hang'));
    for await (const event of models.generate({ name: 'acme', model: 'm' }, request)) {
      expect(event).toEqual([{ type: 'text', part: 0, text: 'Hel' }]);
      break;
    }
    await (
      await provider.next()
    ).left;
  });

  it('is cancelled by closing', async () => {
    provider.script(hangs);
    const failed = failure();
    await provider.next();
    await models.close();
    expect((await failed).kind).toBe('unavailable');
  });

  it('without a configured provider is unavailable', async () => {
    const events = models.generate({ name: 'nobody', model: 'm' }, request);
    await expect(Array.fromAsync(events)).rejects.toMatchObject({
      ...{ kind: 'unavailable', provider: 'nobody', message: "this model's provider is not configured here" },
    });
    expect([models.has('acme'), models.has('nobody')]).toEqual([true, false]);
  });

  it('is not sent fields that its style lacks', async () => {
    const document = { type: 'document', source: { kind: 'url', url: 'https://example.com/a.pdf' } } as const;
    const error = await failure({ messages: [{ role: 'user', content: [document] }] });
    expect(error).toMatchObject({ kind: 'rejected', details: { upstreamStatus: 422 } });
    expect(provider.seen).toEqual([]);
  });
});
