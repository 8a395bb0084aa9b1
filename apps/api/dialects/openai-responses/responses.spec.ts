import type { HostedApi } from '#test/support/hosted-api.js';
import type { TestApi } from '#test/support/api.js';
import { answers } from '#test/support/scripted-answers.js';
import { refuses, streams, type ScriptedProvider } from '#test/support/scripted-provider.js';
import { sharedHostedApi } from '#test/support/shared-api.js';

describe('POST /v1/responses', () => {
  let provider: ScriptedProvider;
  let system: HostedApi;
  let api: TestApi;
  const ask = (body: object, path = '/v1/responses') =>
    api.call('POST', path, { model: 'acme/chat', input: 'Say hello', ...body });
  /** The body that the provider was sent last. */
  const sent = () => provider.seen.at(-1)!.body;

  beforeAll(async () => {
    system = await sharedHostedApi();
    ({ api, openai: provider } = system);
  });
  beforeEach(() => provider.script(answers('Hello there')));
  afterAll(() => system.close());

  it("answers with a decoder, and echoes the request's fields", async () => {
    const asked = { instructions: 'Be brief', temperature: 0.5, top_p: 0.9, max_output_tokens: 20, user: 'u1' };
    const { status, body } = await ask({ ...asked, metadata: { run: '7' } }, '/v1/v1/responses');
    expect(status).toBe(200);
    const id = body.x_pioneer.inference_id;
    expect(body).toEqual({
      ...{ id: `resp_${id}`, object: 'response', created_at: expect.any(Number), completed_at: expect.any(Number) },
      ...{ status: 'completed', error: null, incomplete_details: null, background: false, store: true },
      ...{ model: 'acme/chat', ...asked, metadata: { run: '7' }, x_pioneer: { inference_id: expect.any(String) } },
      output: [
        {
          ...{ id: `msg_${id}_0`, type: 'message', status: 'completed', role: 'assistant' },
          content: [{ type: 'output_text', text: 'Hello there', annotations: [], logprobs: [] }],
        },
      ],
      usage: {
        ...{ input_tokens: 12, output_tokens: 3, total_tokens: 15 },
        input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
        output_tokens_details: { reasoning_tokens: 0 },
      },
      ...{ max_tool_calls: null, parallel_tool_calls: true, previous_response_id: null, safety_identifier: null },
      ...{ access_programs: null, tool_choice: 'auto', tools: [], top_logprobs: 0, truncation: 'disabled' },
      ...{ reasoning: { effort: null, summary: null }, text: { format: { type: 'text' } } },
      ...{ presence_penalty: 0, frequency_penalty: 0, service_tier: 'default', prompt_cache_key: null },
    });
    expect(sent()).toMatchObject({
      messages: [
        { role: 'system', content: 'Be brief' },
        { role: 'user', content: 'Say hello' },
      ],
      ...{ temperature: 0.5, top_p: 0.9, max_tokens: 20, user: 'u1' },
    });
  });

  it('reports the defaults that applied, whole and retrieved, as conformance suites require', async () => {
    const { body } = await ask({ tools: [{ type: 'function', name: 'now' }, { type: 'web_search' }] });
    const said = {
      ...{ temperature: 1, top_p: 1, presence_penalty: 0, frequency_penalty: 0, service_tier: 'default' },
      ...{ prompt_cache_key: null, safety_identifier: null, top_logprobs: 0 },
      tools: [
        { type: 'function', name: 'now', description: null, parameters: null, strict: null },
        { type: 'web_search' },
      ],
    };
    expect(body).toMatchObject(said);
    expect((await api.call('GET', `/v1/responses/${body.id}`)).body).toMatchObject(said);
  });

  it('echoes penalties, cache key and service tier, and forwards them', async () => {
    const asked = { presence_penalty: 0.5, frequency_penalty: -1, prompt_cache_key: 'k1', service_tier: 'flex' };
    expect((await ask(asked)).body).toMatchObject(asked);
    expect(sent()).toMatchObject(asked);
  });

  it('gives the reason for an answer that was cut off or filtered', async () => {
    provider.script(streams('Hello', undefined, 'length'), streams('Hello', undefined, 'content_filter'));
    const cut = await ask({ max_output_tokens: 1 });
    expect(cut.body).toMatchObject({ status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } });
    expect(cut.body.output[0].status).toBe('incomplete');
    const filtered = await ask({});
    expect(filtered.body.incomplete_details).toEqual({ reason: 'content_filter' });
  });

  it("passes on the provider's refusal with its message", async () => {
    provider.script(refuses(400, { error: { message: 'too long', code: 'context_length_exceeded', param: 'input' } }));
    const { status, body } = await ask({});
    expect([status, body.error]).toMatchObject([400, { message: 'too long', code: 'context_length_exceeded' }]);
  });

  it('is 400 for a base decoder, and 404 for an unknown model', async () => {
    const { status, body } = await ask({ model: 'acme/base' });
    expect([status, body.error.param]).toEqual([400, 'model']);
    expect((await ask({ model: 'acme/none' })).status).toBe(404);
  });

  it('forwards unknown fields', async () => {
    await ask({ surprise: { of: ['tomorrow'] } });
    expect(sent().surprise).toEqual({ of: ['tomorrow'] });
  });

  it('stores nothing with store: false', async () => {
    const { body } = await ask({ store: false });
    expect([body.store, body.x_pioneer]).toEqual([false, { inference_id: null }]);
    const { status, body: refused } = await ask({ previous_response_id: body.id });
    expect([status, refused.error.param]).toEqual([404, 'previous_response_id']);
  });

  it('counts cached and reasoning tokens', async () => {
    const usage = {
      ...{ prompt_tokens: 100, completion_tokens: 20 },
      prompt_tokens_details: { cached_tokens: 60, cache_write_tokens: 10 },
      completion_tokens_details: { reasoning_tokens: 15 },
    };
    provider.script(answers('Hello', { usage }));
    expect((await ask({})).body.usage).toEqual({
      ...{ input_tokens: 100, output_tokens: 20, total_tokens: 120 },
      input_tokens_details: { cached_tokens: 60, cache_write_tokens: 10 },
      output_tokens_details: { reasoning_tokens: 15 },
    });
  });

  it('files the call under a project', async () => {
    const { body: project } = await api.call('POST', '/projects', { name: 'Answers' });
    const { body } = await ask({ project_id: project.id });
    const { body: record } = await api.call('GET', `/inferences/${body.x_pioneer.inference_id}`);
    expect(record.project_id).toBe(project.id);
    expect((await ask({ project_id: 'none' })).status).toBe(404);
  });

  it('records input and output as sent and answered', async () => {
    const { body } = await ask({ input: [{ role: 'user', content: 'Hi' }], instructions: 'Be brief' });
    const { body: record } = await api.call('GET', `/inferences/${body.x_pioneer.inference_id}`);
    expect(record).toMatchObject({ format: 'openai', task: 'generate', model_id: 'acme/chat', status: 'success' });
    expect(record.input).toEqual({ input: [{ role: 'user', content: 'Hi' }], instructions: 'Be brief' });
    expect(record.output).toMatchObject({ status: 'completed', output: [{ content: [{ text: 'Hello there' }] }] });
  });

  it('replays earlier turns without their instructions', async () => {
    const first = await ask({ input: 'One', instructions: 'Count' });
    const second = await ask({ input: 'Two', previous_response_id: first.body.id });
    expect(second.body.previous_response_id).toBe(first.body.id);
    await ask({ input: 'Three', previous_response_id: second.body.id, instructions: 'Go on' });
    expect(sent().messages).toEqual([
      { role: 'system', content: 'Go on' },
      ...['One', 'Two'].flatMap((content) => [
        { role: 'user', content },
        { role: 'assistant', content: 'Hello there' },
      ]),
      { role: 'user', content: 'Three' },
    ]);
    const { body: record } = await api.call('GET', `/inferences/${second.body.x_pioneer.inference_id}`);
    expect(record.input).toEqual({ input: 'Two', previous_response_id: first.body.id });
  });

  it('streams events in order', async () => {
    const { status, headers, body } = await ask({ stream: true });
    expect([status, headers.get('content-type')]).toEqual([200, 'text/event-stream; charset=utf-8']);
    const names = [...(body as string).matchAll(/^event: (.*)$/gm)].map(([, name]) => name);
    expect(names).toEqual([
      ...['response.created', 'response.in_progress', 'response.output_item.added', 'response.content_part.added'],
      ...['response.output_text.delta', 'response.output_text.delta', 'response.output_text.done'],
      ...['response.content_part.done', 'response.output_item.done', 'response.completed'],
    ]);
  });
});
