import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import Fastify from 'fastify';
import { userIdOf } from '#application/accounts/index.js';
import { BATCH_LINE, type BatchLine, type BatchLineAnswer } from '#calls/batch-lines.js';
import { BATCH_ENDPOINTS, type BatchEndpoint } from '#domain/batch/index.js';
import type { Json, JsonObject } from '#domain/json.js';
import { InProcessBus } from '#ports/bus/in-process/in-process-bus.js';
import { callOnce } from '#ports/bus/port.js';
import { anotherApi } from '#test/support/another-api.js';
import { startTestApi, type TestSystem } from '#test/support/api.js';
import { hostedSettings, type HostedSettings } from '#test/support/hosted-settings.js';
import { operate } from '#test/support/operate.js';
import { byPath, completes } from '#test/support/scripted-answers.js';
import { refuses, startScriptedProvider, type ScriptedProvider } from '#test/support/scripted-provider.js';
import { RATE_LIMITS } from '#use-cases/limits/limit-table.js';
import { RateLimits } from '#use-cases/limits/rate-limits.js';
import { Authenticator } from '../edge/auth/authenticator.js';
import { credentialsOf } from '../edge/auth/credentials.js';
import { InProcessRequests } from '../edge/in-process.js';
import { ChatCompletionsController } from './openai-chat/controller.js';
import { serveBatchLines } from './serve-batch-lines.js';

const ENCODER = 'anneal/encoder-base-v1';
const EMBEDDER = 'anneal/embedder-base-v1';
const [CHAT, RESPONSES, COMPLETIONS, EMBEDDINGS] = BATCH_ENDPOINTS;
const messages = [{ role: 'user', content: 'Ada flew to Paris' }];
const chat = { model: ENCODER, messages, schema: ['person', 'city'] };

describe('requests of batches', () => {
  let provider: ScriptedProvider;
  let hosted: HostedSettings;
  let api: TestSystem;
  let owner: Readonly<Record<string, string>>;
  let count = 0;
  beforeAll(async () => {
    provider = await startScriptedProvider();
    provider.script(
      byPath({ completions: completes(' a time'), 'chat/completions': refuses(429, {}, { 'retry-after': '7' }) }),
    );
    hosted = await hostedSettings(provider.url, { max_retries: 0 });
    api = await startTestApi({ ...hosted.values, metricsPort: 0 });
    owner = { authorization: `Bearer ${api.session}` };
  });
  afterAll(async () => {
    await api.close();
    await hosted.remove();
    await provider.close();
  });

  /** A request of a batch that somebody made now. */
  async function lineOf(
    endpoint: BatchEndpoint,
    body: object,
    headers: Readonly<Record<string, string>> = { 'x-api-key': api.key },
  ): Promise<BatchLine> {
    const caller = await api.app.get(Authenticator).authenticate(credentialsOf(headers));
    const { kind, userId, teamId, workspaceId, keyId } = caller;
    const requestId = `batch_b1_${(count += 1)}`;
    const askedAt = new Date().toISOString();
    return {
      ...{ endpoint, body: body as JsonObject, requestId, askedAt },
      caller: { kind, userId, teamId, workspaceId, keyId },
    };
  }
  const answerOf = async (line: BatchLine) =>
    (await callOnce(api.application.ports.bus, BATCH_LINE, line, {
      deadlineMs: 300_000,
    })) as unknown as BatchLineAnswer;
  /** Without what differs from call to call. */
  const alike = (body: Json) =>
    JSON.parse(
      JSON.stringify(body)
        .replaceAll(/[0-9a-f]{8}-?(?:[0-9a-f]{4}-?){3}[0-9a-f]{12}/g, 'id')
        .replaceAll(/"(created|created_at|completed_at)":\d+/g, '"$1":0'),
    ) as Json;

  it.each<[what: string, status: number, endpoint: BatchEndpoint, body: object]>([
    ['a chat', 200, CHAT, chat],
    ['a response', 200, RESPONSES, { model: ENCODER, input: 'Ada flew to Paris', schema: ['person'] }],
    ['one text to embed', 200, EMBEDDINGS, { model: EMBEDDER, input: 'Hi' }],
    ['so many texts that the answer is written in pieces', 200, EMBEDDINGS, { model: EMBEDDER, input: Array.from({ length: 40 }, (_, n) => `text ${n}`) }], // prettier-ignore
    ['an unknown model', 404, CHAT, { ...chat, model: 'acme/none' }],
    ['a completion', 200, COMPLETIONS, { model: 'acme/base', prompt: 'Once' }],
    ['a provider that is saturated', 503, CHAT, { model: 'acme/chat', messages }],
    ['a model that cannot complete', 409, COMPLETIONS, { model: EMBEDDER, prompt: 'Once' }],
    ['wrong fields', 422, CHAT, { ...chat, messages: 5, threshold: 2 }],
    ['an unknown earlier turn', 404, RESPONSES, { model: ENCODER, input: 'Hi', previous_response_id: 'resp_none' }],
    ['token ids of another encoding', 422, EMBEDDINGS, { model: EMBEDDER, input: [1, 128_000] }],
    ['more numbers than its route takes', 422, CHAT, { ...chat, metadata: Array.from({ length: 25_001 }, () => 1) }],
    ['a forbidden name', 400, CHAT, JSON.parse('{"model":"m","__proto__":{}}') as object],
  ])('get the answer of their route: %s', async (_, status, endpoint, body) => {
    const ofRoute = await api.call('POST', endpoint, body);
    const { retryAfterSeconds, ...answer } = await answerOf(await lineOf(endpoint, body));
    expect(ofRoute.status).toBe(status);
    expect({ ...answer, body: alike(answer.body) }).toEqual({ status, body: alike(ofRoute.body as Json) });
    expect(retryAfterSeconds?.toString() ?? null).toBe(ofRoute.headers.get('retry-after'));
  });

  it('count against the limit of their route, and learn beyond it when to try again', async () => {
    const left = async () => {
      const { headers } = await api.call('POST', CHAT, {});
      return [headers.get('x-ratelimit-reset'), Number(headers.get('x-ratelimit-remaining'))] as const;
    };
    const counted = async (): Promise<number> => {
      const [window, before] = await left();
      await answerOf(await lineOf(CHAT, {}));
      const [later, after] = await left();
      // Another minute has begun.
      return window === later ? before - after : counted();
    };
    expect(await counted()).toBe(2);

    const limit = RATE_LIMITS.inference;
    const exhausted = { take: () => ({ allowed: false, limit, remaining: 0, resetInMs: 7_000 }) };
    const other = await anotherApi(api, {}, { override: (it) => it.overrideProvider(RateLimits).useValue(exhausted) });
    const ofRoute = await other.call('POST', CHAT, chat);
    const { signal } = new AbortController();
    const answer = await other.app
      .get(InProcessRequests)
      .answer(await lineOf(CHAT, chat), other.app.get(ChatCompletionsController), signal);
    await other.close();
    expect(answer).toEqual({ status: 429, body: ofRoute.body as Json, retryAfterSeconds: 7 });
    expect(answer.body).toMatchObject({ error: { code: 'rate_limit_exceeded' } });
  });

  it('are refused to who may no longer make them, and survive the deletion of their key', async () => {
    const email = 'ada@example.com';
    const give = (role: string) => api.call('PUT', '/workspace/members', { email, role }, owner);
    const { body: given } = await give('developer');
    const followed = await fetch(given.sign_in_link as string, { redirect: 'manual' });
    const session = { cookie: followed.headers.get('set-cookie')!.split(';')[0]!, origin: api.url };
    const { body: key } = await api.call('POST', '/create-api-key', { name: 'hers' }, session);
    const line = await lineOf(CHAT, chat, { 'x-api-key': key.secret_key as string });
    await api.call('DELETE', '/delete-api-key', { key_id: key.id as string }, session);
    const settled = (status: number) => api.until(() => answerOf(line), (answer) => answer.status === status); // prettier-ignore
    expect(await settled(200)).toMatchObject({ body: { object: 'chat.completion' } });
    await give('analyst');
    expect(await settled(403)).toMatchObject({ body: { error: { code: 'forbidden', type: 'permission_error' } } });
    await api.call('DELETE', `/workspace/members/${userIdOf(email)}`, undefined, owner);
    expect(await settled(401)).toMatchObject({ body: { error: { code: 'invalid_api_key' } } });
  });

  it('are recorded and reported under their request id, for their caller', async () => {
    const requests = async () =>
      Number(/anneal_http_requests_total\{method="POST",route="\/v1\/embeddings",status="200"\} (\d+)/.exec(await api.metrics())?.[1] ?? 0); // prettier-ignore
    const before = await requests();
    const line = await lineOf(EMBEDDINGS, { model: EMBEDDER, input: 'Hi' });
    const { body } = await answerOf(line);
    expect(await requests()).toBe(before + 1);
    const { inference_id: id } = (body as { x_pioneer: { inference_id: string } }).x_pioneer;
    const events = await Array.fromAsync(
      api.application.ports.eventStore.readAll({ filter: { types: ['call-metered.v1'] } }),
    );
    const { metadata } = events.find(({ data }) => data['inferenceId'] === id)!;
    const { workspaceId, keyId } = line.caller;
    expect(metadata).toMatchObject({ correlationId: line.requestId, workspaceId, actor: `key:${keyId}` });
  });

  it('are refused for billing as by their route, with the page where it is resolved', async () => {
    await operate(api, 'billing.enforce', { enforced: true });
    const ofRoute = await api.call('POST', CHAT, chat);
    const answer = await answerOf(await lineOf(CHAT, chat));
    await operate(api, 'billing.enforce', { enforced: false });
    expect(answer).toEqual({ status: 402, body: ofRoute.body as Json, retryAfterSeconds: null });
    expect(answer.body).toMatchObject({ resolution_url: `${api.url}/account` });
  });
});

describe('an API that stops', () => {
  const opened = async (drainMs: number) => {
    const answer = Promise.withResolvers<BatchLineAnswer>();
    const asked = Promise.withResolvers<AbortSignal>();
    const requests = {
      answer(_line: BatchLine, _route: object, signal: AbortSignal) {
        asked.resolve(signal);
        return answer.promise;
      },
    };
    const fastify = Fastify();
    const app = { getHttpAdapter: () => ({ getInstance: () => fastify }), get: () => requests };
    const bus = new InProcessBus();
    serveBatchLines(app as unknown as NestFastifyApplication, bus, drainMs);
    await fastify.listen({ port: 0 });
    const called = callOnce(bus, BATCH_LINE, { endpoint: CHAT }, { deadlineMs: 300_000 });
    called.catch(() => undefined);
    const signal = await asked.promise;
    return { answer, called, signal, close: () => fastify.close() };
  };

  it('answers the requests of batches that it has begun', async () => {
    const { answer, called, close } = await opened(300_000);
    const closed = close();
    answer.resolve({ status: 200, body: 'said', retryAfterSeconds: null });
    await closed;
    expect(await called).toMatchObject({ body: 'said' });
  });

  it('gives up those that take too long', async () => {
    const { called, signal, close } = await opened(0);
    await close();
    expect(signal.aborted).toBe(true);
    await expect(called).rejects.toThrow('the server is stopping');
  });
});
