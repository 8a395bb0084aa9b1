import type { HostedApi } from '#test/support/hosted-api.js';
import type { TestApi } from '#test/support/api.js';
import { answers, byPath, completes } from '#test/support/scripted-answers.js';
import { refuses, type ScriptedProvider, type ScriptedUsage } from '#test/support/scripted-provider.js';
import { sharedHostedApi } from '#test/support/shared-api.js';

interface Route {
  readonly path: string;
  readonly format: 'openai' | 'anthropic';
  /** The request, which the history shows as input. */
  readonly asked: object;
}

const messages = [{ role: 'user', content: 'Say hello' }];
const ROUTES: readonly Route[] = [
  { path: '/v1/chat/completions', format: 'openai', asked: { messages, temperature: 0.5 } },
  { path: '/v1/completions', format: 'openai', asked: { prompt: 'Say hello', temperature: 0.5 } },
  { path: '/v1/responses', format: 'openai', asked: { input: 'Say hello', temperature: 0.5 } },
  { path: '/v1/messages', format: 'anthropic', asked: { messages, max_tokens: 20, temperature: 0.5 } },
];
const EACH = ROUTES.flatMap((route) => [false, true].map((stream) => ({ ...route, stream })));

/** The record of a call is the same in every dialect, streamed or not. */
describe('the record of a call to a compatible route', () => {
  let provider: ScriptedProvider;
  let system: HostedApi;
  let api: TestApi;
  let projectId: string;

  beforeAll(async () => {
    system = await sharedHostedApi();
    ({ api, openai: provider } = system);
    projectId = (await api.call('POST', '/projects', { name: 'compatible' })).body.id;
  });
  afterAll(() => system.close());

  const usage: ScriptedUsage = {
    prompt_tokens: 100,
    completion_tokens: 10,
    prompt_tokens_details: { cached_tokens: 60 },
  };
  const says = (text: string, more: object = {}) =>
    provider.script(
      byPath({
        'chat/completions': answers(text, { usage, ...more }),
        completions: completes(text, { usage, ...more }),
      }),
    );
  const call = (route: Route & { stream: boolean }, more: object = {}) =>
    api.call('POST', route.path, {
      model: 'acme/chat',
      ...route.asked,
      stream: route.stream,
      project_id: projectId,
      ...more,
    });
  const listed = async (query = 'limit=1') => (await api.call('GET', `/inferences?${query}`)).body;
  const newest = async () => {
    await api.drained();
    return (await listed()).inferences[0];
  };

  it.each(EACH)('holds the answer of $path, stream: $stream', async (route) => {
    says('Hello there');
    const { status, body } = await call(route);
    expect(status).toBe(200);
    const record = await newest();
    expect(JSON.stringify(body)).toContain(record.id);
    expect(record).toMatchObject({
      ...{ model_id: 'acme/chat', base_model: 'acme/chat', task: 'generate', format: route.format, source: 'api' },
      ...{ status: 'success', error_type: null, error_message: null, project_id: projectId, training_job_id: null },
      ...{ input_tokens: 40, cache_read_tokens: 60, cache_write_tokens: 0, output_tokens: 10, tokens: 110 },
      input: route.asked,
    });
    expect(record.cost).toBeCloseTo((40 * 2 + 60 * 0.2 + 10 * 8) / 1e6, 12);
    expect(JSON.stringify(record.output)).toContain('Hello there');
    expect(record.ttft_ms).toBeGreaterThan(0);
    expect(record.ttft_ms).toBeLessThanOrEqual(record.latency_ms);
    expect(record.input).toEqual(route.asked);
    const feedback = await api.call('POST', `/inferences/${record.id}/feedback`, { verdict: 'correct' });
    expect([feedback.status, (await api.call('GET', `/inferences/${record.id}`)).body.human_verdict]).toEqual([
      200,
      'correct',
    ]);
  });

  it.each(EACH)("holds the provider's refusal on $path, stream: $stream", async (route) => {
    provider.script(refuses(400, { error: { message: 'too long', code: 'context_length_exceeded' } }));
    expect((await call(route)).status).toBe(400);
    expect(await newest()).toMatchObject({
      ...{ status: 'failed', error_type: 'internal', error_message: 'too long', cost: 0, output: null, ttft_ms: null },
      ...{ format: route.format, input: route.asked, project_id: projectId },
    });
  });

  it.each(EACH.filter(({ stream }) => stream))(
    'holds a stream of $path that failed midway as failed',
    async (route) => {
      says('Hello there', { error: { message: 'overloaded' } });
      const { status, body } = await call(route);
      expect(status).toBe(200);
      expect(body).toMatch(/"?error"?/);
      const record = await newest();
      expect(record).toMatchObject({ status: 'failed', error_type: 'internal', cost: 0, format: route.format });
      expect(JSON.stringify(record.output)).toContain('Hello there');
    },
  );

  it.each(EACH)(
    'of $path, stream: $stream, is not listed with store: false, while the call is billed',
    async (route) => {
      says('Hello there');
      const before = (await listed()).total;
      const { status, body } = await call(route, { store: false });
      expect(status).toBe(200);
      expect((await listed()).total).toBe(before);
      const metered = await Array.fromAsync(
        api.application.ports.eventStore.readAll({ filter: { types: ['call-metered.v1'] } }),
      );
      const last = metered.findLast(({ metadata }) => metadata.workspaceId === api.workspaceId)!.data;
      expect(last).toMatchObject({ stored: false, contentHmac: null, outputTokens: 10, format: route.format });
      expect(last['costPicodollars']).toBe(String(40 * 2_000_000 + 60 * 200_000 + 10 * 8_000_000));
      if (!route.stream)
        expect(body[route.format === 'openai' ? 'x_pioneer' : 'pioneer_inference_id'] ?? null).toEqual(
          route.format === 'openai' ? { inference_id: null } : null,
        );
    },
  );

  it.each(EACH)('of $path, stream: $stream, is not written for invalid requests', async (route) => {
    const before = (await listed()).total;
    expect((await call(route, { temperature: 'warm' })).status).toBe(422);
    expect((await call(route, { model: 'acme/none' })).status).toBe(404);
    expect((await call(route, { project_id: '018f0000-0000-7000-8000-000000000000' })).status).toBe(404);
    expect((await listed()).total).toBe(before);
  });

  /** A text to be continued is for decoders. */
  const CHATS = EACH.filter(({ path }) => path !== '/v1/completions');
  it.each(CHATS)("holds an encoder's answer on $path, stream: $stream", async (route) => {
    const text = 'Anna Smith flies to Paris';
    const encoder = { model: 'anneal/encoder-base-v1', schema: ['person'], temperature: undefined };
    const more = 'input' in route.asked ? { input: text } : { messages: [{ role: 'user', content: text }] };
    const { status } = await call(route, { ...encoder, ...more });
    expect(status).toBe(200);
    expect(await newest()).toMatchObject({
      ...{ task: 'extract_entities', format: route.format, status: 'success', project_id: projectId, ttft_ms: null },
      output: { entities: { person: expect.arrayContaining([expect.objectContaining({ text: 'Anna Smith' })]) } },
      input: { ...more, schema: ['person'] },
    });
  });

  it('is found by each filter', async () => {
    const count = async (query: string) => (await listed(`project_id=${projectId}&${query}`)).total;
    const [generated, extracted] = [await count('task=generate'), await count('task=extract_entities')];
    expect(extracted).toBe(CHATS.length);
    // Calls that were answered, refused or broken off.
    expect(generated).toBe(2.5 * EACH.length);
    expect(await count('model_id=acme%2Fchat')).toBe(generated);
    expect(await count('')).toBe(generated + extracted);
    expect(await count('until=2020-01-01T00:00:00Z')).toBe(0);
  });
});
