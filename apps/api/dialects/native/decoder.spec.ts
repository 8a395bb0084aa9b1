import { request as httpRequest } from 'node:http';
import { v7 as uuid7 } from 'uuid';
import type { Application } from '#application/application.js';
import { systemContext } from '#log/context.js';
import { CallRecorder } from '#calls/recording/call-recorder.js';
import {
  interruptedCalls,
  OPEN_CALLS,
  type OpenCalls,
} from '#use-cases/calls/work/interrupted-calls/process-manager.js';
import { evolve } from '#log/projector/handlers.js';
import type { Coordination } from '#ports/coordination/port.js';
import { WRITER_SILENT_MS } from '#calls/recording/writer-presence.js';
import { withoutContent, type CallMetered, type CallOpened } from '#domain/inference/index.js';
import { onServers } from '#test/deployments/test-api.js';
import { interruptHeld } from '#use-cases/calls/work/interrupted-calls/held-calls.js';
import { startHostedApi, type HostedApi } from '#test/support/hosted-api.js';
import type { TestApi } from '#test/support/api.js';
import { PROVIDER_KEY } from '#test/support/hosted-settings.js';
import {
  begins,
  floods,
  hangs,
  refuses,
  sends,
  streams,
  type ScriptedProvider,
} from '#test/support/scripted-provider.js';

const messages = [{ role: 'user', content: 'Say hello, 😀' }];

describe('a decoder on /inference', () => {
  let provider: ScriptedProvider;
  let system: HostedApi;
  let api: TestApi;

  beforeAll(async () => {
    system = await startHostedApi({ first_byte_timeout_ms: 500 });
    ({ api, openai: provider } = system);
  });
  beforeEach(() => provider.script(streams('Hello there')));
  afterAll(() => system.close());

  const infer = (body: object = {}) => api.call('POST', '/inference', { model_id: 'acme/chat', messages, ...body });
  const record = async (id: string) => (await api.call('GET', `/inferences/${id}`)).body;
  const newest = async () => (await api.call('GET', '/inferences?limit=1')).body.inferences[0];
  /** Events of the log, of one call or of all. */
  const events = async (id?: string) => {
    const all = await Array.fromAsync(
      api.application.ports.eventStore.readAll({ filter: { categories: ['metered', 'content'] } }),
    );
    return all.filter(({ data }) => id === undefined || data['inferenceId'] === id);
  };

  it('completes messages, and records the call with its cost', async () => {
    const { status, body } = await infer({ task: 'generate', max_tokens: 9, temperature: 0.5, top_p: 1, stop: ['x'] });
    expect([status, body]).toEqual([
      200,
      {
        type: 'decoder',
        inference_id: expect.any(String),
        completion: 'Hello there',
        model_id: 'acme/chat',
        model_used: 'acme/chat',
        latency_ms: expect.any(Number),
        token_usage: 15,
      },
    ]);
    expect(provider.seen.at(-1)!.body).toMatchObject({
      model: 'chat',
      messages,
      ...{ max_tokens: 9, temperature: 0.5, top_p: 1, stop: ['x'] },
    });
    const recorded = await record(body.inference_id as string);
    expect(recorded).toMatchObject({
      task: 'generate',
      status: 'success',
      model_id: 'acme/chat',
      base_model: 'acme/chat',
      input: { messages, max_tokens: 9, temperature: 0.5, top_p: 1, stop: ['x'] },
      output: 'Hello there',
      ...{ input_tokens: 12, output_tokens: 3, tokens: 15, format: 'native', source: 'api' },
    });
    expect(recorded.cost).toBeCloseTo((12 * 2 + 3 * 8) / 1e6, 12);
    expect(recorded.ttft_ms).toBeGreaterThan(0);
    expect(recorded.ttft_ms).toBeLessThanOrEqual(recorded.latency_ms as number);
  });

  it('is opened, ended and metered in one stream: in one event, or in this order', async () => {
    const { body } = await infer();
    const all = await events(body.inference_id as string);
    const own = all.filter(({ stream }) => stream.startsWith('metered-'));
    const several = ['call-opened.v1', 'call-closed.v1', 'call-metered.v1'];
    expect(own.map(({ type }) => type)).toEqual(onServers() ? several : ['call-metered.v1']);
    expect(all).toHaveLength(onServers() ? 4 : 1);
    expect(new Set(own.map(({ stream }) => stream)).size).toBe(1);
    const { reservedPicodollars, outcome, provider: by } = Object.assign({}, ...own.map(({ data }) => data)) as Whole;
    // 4,096 output tokens where none are named, though no limit is sent where no credits are at stake.
    expect(BigInt(reservedPicodollars!)).toBeGreaterThan(4_096n * 8_000_000n);
    expect([outcome, by]).toEqual(['answered', { name: 'acme', model: 'chat', response: { id: 'c' } }]);
  });
  type Whole = Partial<CallMetered['data']>;

  it('counts cached tokens separately, at their own prices', async () => {
    const cached = { cached_tokens: 60, cache_write_tokens: 30 };
    provider.script(streams('ok', { prompt_tokens: 100, completion_tokens: 10, prompt_tokens_details: cached }));
    const { body } = await infer();
    expect(body.token_usage).toBe(110);
    const recorded = await record(body.inference_id as string);
    expect(recorded).toMatchObject({ input_tokens: 10, cache_read_tokens: 60, cache_write_tokens: 30, tokens: 110 });
    expect(recorded.cost).toBeCloseTo((10 * 2 + 60 * 0.2 + 30 * 2.5 + 10 * 8) / 1e6, 12);
  });

  it('names what the provider was not given', async () => {
    const asked = { model_id: 'acme/claude', temperature: 0.5, top_p: 0.9, stop: [' ', 'END'] };
    const { status, headers } = await infer(asked);
    expect([status, headers.get('x-anneal-dropped')]).toEqual([200, 'top_p, stop']);
    expect((await infer()).headers.has('x-anneal-dropped')).toBe(false);
  });

  it('does not count sources of a text as output', async () => {
    const annotations = [{ type: 'url_citation', url_citation: { url: `https://example.com/${'a'.repeat(900)}` } }];
    const message = { role: 'assistant', content: 'Hi', annotations };
    provider.script(sends(JSON.stringify({ choices: [{ index: 0, message, finish_reason: 'stop' }] })));
    const { inference_id: id } = (await infer()).body;
    await api.drained();
    expect(await record(id)).toMatchObject({ output_tokens: 1 });
  });

  it('estimates tokens if the provider counts none', async () => {
    provider.script(streams('Hello there', null));
    const recorded = await record((await infer()).body.inference_id as string);
    expect(recorded.input_tokens).toBeGreaterThan(4);
    expect(recorded.output_tokens).toBe(4);
  });

  it('keeps no content with store: false, whether the call succeeds or fails', async () => {
    const secret = `unspeakable-${Math.random()}`;
    const hidden = { store: false, messages: [{ role: 'user', content: secret }] };
    provider.script(streams(secret));
    const { body } = await infer(hidden);
    expect(body).toMatchObject({ inference_id: null, completion: secret });
    for (const act of [refuses(400, { error: { message: secret } }), sends(secret), begins(secret, 'cut')]) {
      provider.script(act);
      expect((await infer(hidden)).status).toBeGreaterThanOrEqual(400);
    }
    expect(JSON.stringify(await events())).not.toContain(secret);
    expect(JSON.stringify((await api.call('GET', '/inferences')).body)).not.toContain(secret);
  });

  it.each<[string, ReturnType<typeof refuses>, number, string | null]>([
    ['is saturated', refuses(429, {}, { 'retry-after': '9' }), 503, '9'],
    ['is overloaded', refuses(529), 503, '1'],
    ['refuses our key', refuses(401, { error: { message: `bad key ${PROVIDER_KEY}` } }), 503, '1'],
    ['fails', refuses(500), 503, '1'],
    ['does not answer', hangs, 503, '1'],
    ['breaks off', begins('Hel', 'cut'), 503, '1'],
    ['answers with nonsense', sends('<html>'), 503, '1'],
    [
      'refuses the request',
      refuses(400, { error: { message: 'too long', code: 'context_length_exceeded' } }),
      400,
      null,
    ],
    ['cannot process it', refuses(422, { detail: 'no' }), 422, null],
  ])('a provider that %s', async (_, act, status, retryAfter) => {
    provider.script(act);
    const answer = await infer();
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([status, retryAfter]);
    expect(JSON.stringify(answer.body)).not.toContain(PROVIDER_KEY);
    if (status === 400) expect(answer.body).toMatchObject({ detail: 'too long' });
  });

  it.each([
    ['refuses', refuses(429), 'capacity_exhausted', null],
    ['hangs', hangs, 'timeout', null],
    ['fails', refuses(500), 'internal', null],
    ['breaks off', begins('Hel', 'cut'), 'internal', 'Hel'],
  ])('records a call whose provider %s as failed and free', async (_, act, error_type, output) => {
    const since = new Date().toISOString();
    provider.script(act);
    await infer();
    await api.drained();
    const { body } = await api.call('GET', `/inferences?task=generate&since=${since}`);
    expect(body.inferences[0]).toMatchObject({ status: 'failed', error_type, cost: 0, output });
    expect(body.inferences[0].error_message).toMatch(/model's provider/);
  });

  it('a disconnected client cancels the call upstream, and the call is recorded as cancelled', async () => {
    provider.script(begins('Hello', 'hang'));
    const { eventStore } = api.application.ports;
    const { position } = await eventStore.head();
    const sent = httpRequest(`${api.url}/inference`, {
      method: 'POST',
      headers: { 'x-api-key': api.key, 'content-type': 'application/json' },
    });
    sent.on('error', () => undefined);
    const before = provider.seen.length;
    sent.end(JSON.stringify({ model_id: 'acme/chat', messages }));
    const { left } = await provider.request(before);
    sent.destroy();
    await left;
    const metered = eventStore.subscribe({
      after: position,
      filter: { types: ['call-metered.v1'] },
      signal: AbortSignal.timeout(300_000),
    });
    for await (const message of metered) {
      if (message.kind !== 'events') continue;
      expect(message.events[0]!.data).toMatchObject({ status: 'failed', errorType: 'cancelled' });
      break;
    }
    expect.assertions(1);
  });

  it.each([true, false])(
    'a call whose server process died is listed without its content, with store %s',
    async (store) => {
      const { ports } = api.application;
      const { body } = await infer();
      const [first] = await events(body.inference_id as string);
      const inferenceId = uuid7();
      const { chargedTo = null, ...known } = withoutContent(first!.data as unknown as CallMetered['data']);
      const call = { ...(known as unknown as CallOpened['data']), chargedTo, inferenceId, store };
      const context = { ...systemContext('test', call.workspaceId, inferenceId), workspaceId: call.workspaceId };
      await new CallRecorder(ports, () => 'mac').open(call, context).acknowledged;
      const silent = { get: async () => null } as unknown as Coordination;
      const { storedEvents } = api.application;
      const application = { ports: { ...ports, coordination: silent }, storedEvents } as Application;
      if (onServers()) {
        const opened = (await events(inferenceId))[0]!;
        const { calls } = evolve<OpenCalls>(OPEN_CALLS, { calls: new Map(), last: null }, opened);
        await interruptedCalls(application).execute(calls.get(inferenceId)!, AbortSignal.timeout(300_000));
      } else await interruptHeld(application, Date.parse(call.at) + WRITER_SILENT_MS + 1);
      const listed = await api.call('GET', `/inferences/${inferenceId}`);
      expect(listed.status).toBe(store ? 200 : 404);
      if (store)
        expect(listed.body).toMatchObject({ status: 'failed', error_type: 'internal', input: null, output: null });
    },
  );

  it('a provider that sends endlessly is disconnected', async () => {
    provider.script(floods);
    const { status } = await infer();
    expect(status).toBe(503);
    await provider.seen.at(-1)!.left;
  });

  it('a warm-up runs nothing and leaves no record', async () => {
    const before = provider.seen.length;
    const { body } = await infer({ is_warmup: true });
    expect(body).toMatchObject({ type: 'decoder', inference_id: null, completion: '', token_usage: 0 });
    expect(provider.seen.length).toBe(before);
  });

  it('a warm-up of a model that refuses calls is refused', async () => {
    expect((await infer({ model_id: 'acme/train-only', is_warmup: true })).status).toBe(409);
  });

  it.each<[string, object, number, RegExp]>([
    ['an unknown model', { model_id: 'acme/none' }, 404, /acme\/none/],
    ['a model of a rollout that the workspace lacks', { model_id: 'acme/secret' }, 404, /acme\/secret/],
    ['an unknown project', { project_id: 'none' }, 404, /none/],
    ['an encoder with messages', { model_id: 'anneal/encoder-base-v1' }, 422, /messages: .*encoder/],
    ['a decoder with a text', { messages: undefined, text: 'x', schema: ['a'] }, 422, /text: .*messages/],
    ['a base decoder', { model_id: 'acme/base' }, 422, /messages: .*\/v1\/completions/],
    ['an embedder', { model_id: 'acme/embed' }, 409, /\/v1\/embeddings/],
    ['a model for training only', { model_id: 'acme/train-only' }, 409, /acme\/train-only/],
    ['more tokens than the context holds', { max_tokens: 8_193 }, 422, /max_tokens: .*8192/],
    ['streaming', { stream: true }, 422, /\/v1\/chat\/completions/],
  ])('%s is refused before anything is sent', async (_, body, status, message) => {
    const before = provider.seen.length;
    const answer = await infer(body);
    expect([answer.status, JSON.stringify(answer.body)]).toEqual([status, expect.stringMatching(message)]);
    expect(provider.seen.length).toBe(before);
  });

  it("never shows the provider's key in an event or an answer", async () => {
    expect(JSON.stringify(await events())).not.toContain(PROVIDER_KEY);
    expect(JSON.stringify(await newest())).not.toContain(PROVIDER_KEY);
  });
});
