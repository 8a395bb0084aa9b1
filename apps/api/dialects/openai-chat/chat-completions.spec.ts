import type OpenAI from 'openai';
import { eventsIn, type HostedApi } from '#test/support/hosted-api.js';
import { answers, type ScriptedChoice, type ScriptedOptions } from '#test/support/scripted-answers.js';
import { says, textBlock, thinkingBlock, toolUseBlock } from '#test/support/scripted-anthropic.js';
import { begins, refuses } from '#test/support/scripted-provider.js';
import { sharedHostedApi } from '#test/support/shared-api.js';

type Completion = OpenAI.ChatCompletion & { x_pioneer: { inference_id: string | null } };
type Chunk = OpenAI.ChatCompletionChunk;

const PATH = '/v1/chat/completions';
const messages = [{ role: 'user', content: 'Say hello' }];
const ASKED = { model: 'acme/chat', messages };
const TOOL = { type: 'function', function: { name: 'weather', parameters: { type: 'object', properties: {} } } };

describe('POST /v1/chat/completions', () => {
  let hosted: HostedApi;
  beforeAll(async () => {
    hosted = await sharedHostedApi();
  });
  afterAll(() => hosted.close());

  const ask = (body: object) => hosted.api.call('POST', PATH, { ...ASKED, ...body });
  const completed = async (body: object = {}): Promise<Completion> => {
    const { status, body: completion } = await ask(body);
    expect([status, completion.error]).toEqual([200, undefined]);
    return completion as Completion;
  };
  const streamed = async (body: object = {}): Promise<readonly Chunk[]> => {
    const { headers, body: stream } = await ask({ ...body, stream: true });
    expect(headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    const { chunks, isDone } = eventsIn(stream as string);
    expect(isDone).toBe(true);
    return chunks as Chunk[];
  };
  const script = (said: string | ScriptedChoice | readonly ScriptedChoice[], options: ScriptedOptions = {}) =>
    hosted.openai.script(answers(said, options));

  it('answers with a decoder', async () => {
    script('Hello there', { fields: { system_fingerprint: 'fp_1', service_tier: 'default' } });
    const completion = await completed();
    expect(completion).toEqual({
      id: expect.stringMatching(/^chatcmpl-/),
      object: 'chat.completion',
      created: expect.any(Number),
      model: 'acme/chat',
      system_fingerprint: 'fp_1',
      service_tier: 'default',
      choices: [
        {
          index: 0,
          message: { role: 'assistant', content: 'Hello there', refusal: null },
          logprobs: null,
          finish_reason: 'stop',
        },
      ],
      usage: {
        ...{ prompt_tokens: 12, completion_tokens: 3, total_tokens: 15 },
        prompt_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
      },
      x_pioneer: { inference_id: expect.any(String) },
    });
  });

  it('counts cached, cache-written and reasoning tokens', async () => {
    const usage = {
      ...{ prompt_tokens: 12, completion_tokens: 9, completion_tokens_details: { reasoning_tokens: 5 } },
      prompt_tokens_details: { cached_tokens: 4, cache_write_tokens: 2 },
    };
    script('Hello', { usage });
    expect((await completed()).usage).toEqual({ ...usage, total_tokens: 21 });
  });

  it('streams chunks: the role first, then each piece, then the finish reason', async () => {
    script('Hello there');
    const chunks = await streamed();
    expect(chunks.map(({ choices: [choice] }) => [choice!.delta, choice!.finish_reason])).toEqual([
      [{ role: 'assistant', content: '', refusal: null }, null],
      [{ content: 'Hello ' }, null],
      [{ content: 'there' }, null],
      [{}, 'stop'],
    ]);
    expect(
      new Set(chunks.map(({ id, object, model, created }) => JSON.stringify([id, object, model, created]))).size,
    ).toBe(1);
    expect(chunks.every((chunk) => !('usage' in chunk))).toBe(true);
  });

  it('sends the usage in a last chunk without choices with include_usage, and null in all others', async () => {
    script('Hello there');
    const chunks = await streamed({ stream_options: { include_usage: true } });
    expect(chunks.slice(0, -1).every(({ usage }) => usage === null)).toBe(true);
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { prompt_tokens: 12, completion_tokens: 3 } });
  });

  it('returns parallel tool calls, whole and in pieces', async () => {
    const toolCalls = [
      { id: 'call_1', name: 'weather', input: '{"city":"Rome"}' },
      { id: 'call_2', name: 'time', input: '' },
    ];
    script({ toolCalls });
    const tool_calls = [
      { id: 'call_1', type: 'function', function: { name: 'weather', arguments: '{"city":"Rome"}' } },
      { id: 'call_2', type: 'function', function: { name: 'time', arguments: '{}' } },
    ];
    const { choices } = await completed({ tools: [TOOL] });
    expect(choices[0]).toMatchObject({ message: { content: null, tool_calls }, finish_reason: 'tool_calls' });
    const chunks = await streamed({ tools: [TOOL] });
    const [first, ...rest] = chunks.flatMap(({ choices: [choice] }) => choice!.delta);
    expect(first).toEqual({ role: 'assistant', content: null, refusal: null });
    const pieces = rest.flatMap(({ tool_calls: calls }) => calls ?? []);
    const put = tool_calls.map((_, index) => {
      const own = pieces.filter((piece) => piece.index === index);
      const said = own.map((piece) => piece.function!.arguments).join('');
      return { id: own[0]!.id, type: own[0]!.type, function: { name: own[0]!.function!.name, arguments: said } };
    });
    expect(put).toEqual(tool_calls);
    expect(pieces.filter(({ id }) => id !== undefined)).toHaveLength(2);
  });

  it('returns a function call to callers of the older functions', async () => {
    script({ toolCalls: [{ id: 'call_1', name: 'weather', input: '{}' }] });
    const functions = [TOOL.function];
    const { choices } = await completed({ functions });
    const function_call = { name: 'weather', arguments: '{}' };
    expect(choices[0]).toMatchObject({ message: { function_call }, finish_reason: 'function_call' });
    const deltas = (await streamed({ functions })).map(({ choices: [choice] }) => choice!.delta.function_call);
    expect(deltas.filter(Boolean)).toContainEqual({ name: 'weather', arguments: '' });
  });

  it('returns a refusal with null content, whole and in pieces', async () => {
    script({ refusal: 'I cannot do that' });
    expect((await completed()).choices[0]!.message).toMatchObject({ content: null, refusal: 'I cannot do that' });
    const chunks = await streamed();
    expect(chunks.map(({ choices: [choice] }) => choice!.delta.refusal ?? '').join('')).toBe('I cannot do that');
  });

  it('has log probabilities of the chosen tokens and of alternatives, whole and in pieces', async () => {
    script('Hello there');
    const asked = { logprobs: true, top_logprobs: 2 };
    const [whole] = (await completed(asked)).choices;
    expect(whole!.logprobs!.content!.map(({ token, top_logprobs: top }) => [token, top.length])).toEqual([
      ['Hello ', 2],
      ['there', 2],
    ]);
    const pieces = (await streamed(asked)).flatMap(({ choices: [choice] }) => choice!.logprobs?.content ?? []);
    expect(pieces).toEqual(whole!.logprobs!.content);
  });

  it('numbers n choices, whole and in pieces', async () => {
    script([{ text: 'Hello' }, { text: 'Hi' }]);
    const { choices } = await completed({ n: 2 });
    expect(choices.map(({ index, message }) => [index, message.content])).toEqual([
      [0, 'Hello'],
      [1, 'Hi'],
    ]);
    const chunks = await streamed({ n: 2 });
    const of = (index: number) => chunks.flatMap((chunk) => chunk.choices).filter((choice) => choice.index === index);
    expect(
      of(1)
        .map(({ delta }) => delta.content ?? '')
        .join(''),
    ).toBe('Hi');
    expect([of(0).at(-1)!.finish_reason, of(1).at(-1)!.finish_reason]).toEqual(['stop', 'stop']);
    expect(of(1)[0]!.delta.role).toBe('assistant');
  });

  it.each([
    ['stop', 'stop'],
    ['length', 'length'],
    ['content_filter', 'content_filter'],
  ])('gives the finish reason for %s', async (upstream, here) => {
    script({ text: 'Hello', finish: upstream });
    expect((await completed()).choices[0]!.finish_reason).toBe(here);
  });

  it('passes fields that only its provider knows, in both directions', async () => {
    const fields = { system_fingerprint: 'fp_1' };
    script('Hello', { fields });
    const prediction = { type: 'content', content: 'Hello' };
    expect((await completed({ prediction, strange: 1, store: true, metadata: { run: '7' } })).system_fingerprint).toBe(
      'fp_1',
    );
    const { body } = hosted.openai.seen.at(-1)!;
    expect(body).toMatchObject({ model: 'chat', messages, prediction, strange: 1 });
    expect(Object.keys(body)).not.toEqual(expect.arrayContaining(['store']));
    expect(Object.keys(body)).not.toEqual(expect.arrayContaining(['metadata']));
    const chunks = await streamed();
    expect(chunks.at(-1)!.system_fingerprint).toBe('fp_1');
  });

  it('records the request as sent, with the message as output', async () => {
    script({ toolCalls: [{ id: 'call_1', name: 'weather', input: '{}' }] });
    const asked = { tools: [TOOL], metadata: { run: '7' }, temperature: 0.5 };
    const { x_pioneer } = await completed(asked);
    const { body } = await hosted.api.call('GET', `/inferences/${x_pioneer.inference_id}`);
    expect(body).toMatchObject({ format: 'openai', model_id: 'acme/chat', status: 'success', input_tokens: 12 });
    expect(body.input).toEqual({ messages, ...asked });
    expect(body.output).toMatchObject({ role: 'assistant', content: null, tool_calls: [{ id: 'call_1' }] });
  });

  it.each([false, true])('stores nothing and gives no record id with store: false (stream: %s)', async (stream) => {
    script('Hello');
    const { total } = (await hosted.api.call('GET', '/inferences')).body;
    const { status, body } = await ask({ store: false, stream });
    expect(status).toBe(200);
    const said = stream ? eventsIn(body as string).chunks.at(-1) : body;
    expect(said.x_pioneer).toEqual({ inference_id: null });
    expect((await hosted.api.call('GET', '/inferences')).body.total).toBe(total);
  });

  it('files the call under a known project, and is 404 for an unknown one', async () => {
    script('Hello');
    const { body: project } = await hosted.api.call('POST', '/projects', { name: 'Greetings' });
    const { x_pioneer } = await completed({ project_id: project.id });
    const { body: record } = await hosted.api.call('GET', `/inferences/${x_pioneer.inference_id}`);
    expect(record.project_id).toBe(project.id);
    const { status } = await ask({ project_id: '0199a7c2-0000-7000-8000-000000000000' });
    expect(status).toBe(404);
  });

  it('the older address is the same route', async () => {
    script('Hello');
    const { status, body } = await hosted.api.call('POST', `/v1${PATH}`, ASKED);
    expect([status, body.object]).toEqual([200, 'chat.completion']);
  });

  it('counts against the rate limit of inference', async () => {
    script('Hello');
    const { headers } = await ask({});
    expect(headers.get('x-ratelimit-limit')).toBe('5000');
  });

  it.each([
    [400, { model: 'acme/base' }, 'model'],
    [404, { model: 'acme/nothing' }, 'model'],
    [409, { model: 'acme/train-only' }, null],
    [409, { model: 'acme/embed' }, null],
    [422, { messages: 'Hello' }, 'messages'],
    [422, { schema: ['person'] }, 'schema'],
    [422, { max_completion_tokens: 10_000 }, 'max_completion_tokens'],
  ])("answers %i to %j, in OpenAI's error envelope", async (status, body, param) => {
    const answer = await ask(body);
    expect([answer.status, answer.body.error.param]).toEqual([status, param]);
    expect(answer.body).toEqual({
      error: { code: expect.anything(), type: 'invalid_request_error', param, message: expect.any(String) },
    });
  });

  it("the provider's own refusal keeps its status and message", async () => {
    hosted.openai.script(refuses(400, { error: { message: 'too long', param: 'messages', code: 'long' } }));
    const { status, body } = await ask({});
    expect([status, body.error]).toMatchObject([400, { message: 'too long', param: 'messages', code: 'long' }]);
  });

  it('ends a stream with its error: no [DONE] follows', async () => {
    hosted.openai.script(begins('Hello', 'cut'));
    const { status, body } = await ask({ stream: true });
    const { chunks, isDone } = eventsIn(body as string);
    expect([status, isDone]).toEqual([200, false]);
    expect(chunks.at(-1)).toEqual({ error: expect.objectContaining({ type: 'server_error', param: null }) });
  });

  it.each([
    [429, '7'],
    [503, '7'],
    [529, '7'],
    [401, null],
    [500, null],
  ])("answers 503 if a provider answers %i, never the provider's status", async (upstream, retryAfter) => {
    hosted.openai.script(refuses(upstream, {}, { 'retry-after': '7' }));
    const { status, headers, body } = await ask({ model: 'acme/paced' });
    expect([status, body.error.type]).toEqual([503, 'server_error']);
    if (retryAfter !== null) expect(headers.get('retry-after')).toBe(retryAfter);
  });

  describe('a provider of another style', () => {
    const claude = (more: object = {}) => completed({ model: 'acme/claude', max_tokens: 100, ...more });

    it('receives and answers requests in its own format', async () => {
      const content = [thinkingBlock('Hm', 'sig'), textBlock('One moment'), toolUseBlock('toolu_1', 'weather', {})];
      hosted.claude.script(says({ content }));
      const { choices } = await claude({ tools: [TOOL] });
      expect(choices[0]).toMatchObject({
        message: {
          ...{ content: 'One moment', reasoning_content: 'Hm' },
          thinking_blocks: [{ type: 'thinking', thinking: 'Hm', signature: 'sig' }],
          tool_calls: [{ id: 'toolu_1', type: 'function', function: { name: 'weather', arguments: '{}' } }],
        },
        finish_reason: 'tool_calls',
      });
      const chunks = await streamed({ model: 'acme/claude', max_tokens: 100, tools: [TOOL] });
      const deltas = chunks.map(({ choices: [choice] }) => choice!.delta) as readonly { thinking_blocks?: object[] }[];
      expect(deltas.flatMap(({ thinking_blocks: blocks }) => blocks ?? [])).toEqual([
        { type: 'thinking', thinking: 'Hm', signature: 'sig' },
      ]);
    });

    it.each([false, true])(
      'is not sent unsupported hints, which a header and the record name (streamed: %s)',
      async (stream) => {
        hosted.claude.script(says('Hello'));
        const hints = { seed: 1, prompt_cache_key: 'k', prediction: { type: 'content', content: 'Hello' } };
        const { status, headers } = await ask({ model: 'acme/claude', max_tokens: 100, stream, ...hints });
        expect([status, headers.get('x-anneal-dropped')]).toEqual([200, 'prediction, prompt_cache_key, seed']);
        const { seed: _, ...rest } = hosted.claude.seen.at(-1)!.body;
        expect([_, JSON.stringify(rest)]).toEqual([undefined, expect.not.stringMatching(/cache|prediction/)]);
        await hosted.api.drained();
        const { body } = await hosted.api.call('GET', '/inferences?limit=1');
        expect(body.inferences[0].dropped_fields).toEqual(['prediction', 'prompt_cache_key', 'seed']);
      },
    );

    it('reports no dropped hints when there were none', async () => {
      hosted.claude.script(says('Hello'));
      const { headers, body } = await ask({ model: 'acme/claude', max_tokens: 100 });
      expect(headers.has('x-anneal-dropped')).toBe(false);
      const { body: record } = await hosted.api.call('GET', `/inferences/${body.x_pioneer.inference_id}`);
      expect(record).not.toHaveProperty('dropped_fields');
    });

    it('receives its signed thinking and cache markers back in place', async () => {
      hosted.claude.script(says('Hello'));
      const marked = { type: 'text', text: 'Long', cache_control: { type: 'ephemeral' } };
      const thinking_blocks = [{ type: 'thinking', thinking: 'Hm', signature: 'sig' }];
      await claude({
        messages: [
          { role: 'system', content: [marked] },
          { role: 'user', content: [marked, { type: 'text', text: 'Hi' }] },
          { role: 'assistant', content: 'Hello', thinking_blocks },
          { role: 'user', content: 'Again' },
        ],
      });
      const { body } = hosted.claude.seen.at(-1)!;
      expect(body.system).toEqual([marked]);
      expect(body.messages[0].content[0]).toEqual(marked);
      expect(body.messages[1].content[0]).toEqual(thinking_blocks[0]);
      expect(JSON.stringify(body).match(/cache_control/g)).toHaveLength(2);
    });

    it.each([
      ['web_search_options', { web_search_options: {} }],
      ['logit_bias', { logit_bias: { 1: 1 } }],
      ['hologram', { tools: [{ type: 'hologram' }] }],
    ])('is not asked for what it lacks: the request is refused for %s', async (name, more) => {
      const { status, body } = await ask({ model: 'acme/claude', max_tokens: 100, ...more });
      expect([status, body.error.message]).toEqual([422, expect.stringContaining(name)]);
    });
  });
});
