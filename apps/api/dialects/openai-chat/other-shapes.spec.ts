import { eventsIn, type HostedApi } from '#test/support/hosted-api.js';
import { answers } from '#test/support/scripted-answers.js';
import { says } from '#test/support/scripted-anthropic.js';
import { sharedHostedApi } from '#test/support/shared-api.js';

describe('POST /v1/chat/completions', () => {
  let hosted: HostedApi;
  beforeAll(async () => {
    hosted = await sharedHostedApi();
  });
  beforeEach(() => {
    hosted.openai.script(answers('Hello there'));
    hosted.claude.script(says('Hello there'));
  });
  afterAll(() => hosted.close());

  const post = (body: object) => hosted.api.call('POST', '/v1/chat/completions', { model: 'acme/chat', ...body });
  const sent = () => hosted.openai.seen.at(-1)!.body;
  const parameters = { type: 'object', properties: { path: { type: 'string' } } };
  const flat = { type: 'function', name: 'read', description: 'Reads', parameters, strict: false };
  const nested = { type: 'function', function: { name: 'read', description: 'Reads', parameters, strict: false } };
  const user = { role: 'user', content: 'Read it' };

  it('takes tools without `function` within', async () => {
    const { status } = await post({
      messages: [user],
      tools: [flat, nested],
      tool_choice: { type: 'function', name: 'read' },
    });
    expect([status, sent().tools, sent().tool_choice]).toEqual([
      ...[200, [nested, nested], { type: 'function', function: { name: 'read' } }],
    ]);
  });

  it('takes the body of a response, and answers as a chat completion', async () => {
    const body = {
      ...{ instructions: 'Be brief', tools: [flat], store: false, reasoning: { effort: 'low' }, max_output_tokens: 9 },
      input: [
        { role: 'user', content: [{ type: 'input_text', text: 'Read it' }] },
        { type: 'function_call', call_id: 'c1', name: 'read', arguments: '{}' },
        { type: 'function_call_output', call_id: 'c1', output: 'text' },
      ],
    };
    const whole = await post(body);
    expect([whole.status, whole.body]).toMatchObject([
      200,
      { object: 'chat.completion', choices: [{ message: { role: 'assistant', content: 'Hello there' } }] },
    ]);
    expect(sent()).toMatchObject({ tools: [nested], max_tokens: 9, reasoning_effort: 'low' });
    expect(sent().messages.map(({ role }: { role: string }) => role)).toEqual(['system', 'user', 'assistant', 'tool']);
    const streamed = await post({ ...body, stream: true, stream_options: { include_usage: true } });
    const { chunks, isDone } = eventsIn(streamed.body);
    expect([isDone, chunks.at(-1), streamed.headers.get('x-anneal-dropped')]).toEqual([
      ...[true, expect.objectContaining({ object: 'chat.completion.chunk', choices: [] }), null],
    ]);
    expect((await post({ input: 5 })).body.error).toMatchObject({ param: 'input' });
  });

  it.each<[string, object, string]>([
    ['stream_options that are a text', { input: 'Hi', stream: true, stream_options: 'usage' }, 'stream_options'],
    ['stream_options that are a list', { input: 'Hi', stream: true, stream_options: [true] }, 'stream_options'],
    [
      'include_usage that is a text',
      { input: 'Hi', stream: true, stream_options: { include_usage: 'yes' } },
      'stream_options.include_usage',
    ],
    [
      'stream_options that are a text, of a chat',
      { messages: [user], stream: true, stream_options: 'usage' },
      'stream_options',
    ],
    ['input beside messages', { messages: [user], input: 'Hi' }, 'input'],
  ])('refuses %s by name', async (_, body, param) => {
    const before = hosted.openai.seen.length;
    const { status, body: answer } = await post(body);
    expect([status, answer.error.param, hosted.openai.seen.length]).toEqual([422, param, before]);
  });

  it('refuses a result of a tool call that nobody made, unless its provider speaks the dialect of the caller', async () => {
    const messages = [user, { role: 'tool', tool_call_id: 'call_lost', content: 'text' }];
    const { status, body } = await post({ model: 'acme/claude', messages });
    expect([status, body.error.message]).toEqual([422, expect.stringMatching(/messages.*"call_lost"/)]);
    expect((await post({ messages })).status).toBe(200);
    expect(sent().messages).toEqual(messages);
    const content = [{ type: 'tool_result', tool_use_id: 'toolu_lost', content: 'text' }];
    const asked = { max_tokens: 9, messages: [{ role: 'user', content }] };
    const answers = ['acme/chat', 'acme/claude'].map((model) =>
      hosted.api.call('POST', '/v1/messages', { model, ...asked }),
    );
    const [translated, passed] = await Promise.all(answers);
    expect([translated!.status, translated!.body.error.message, passed!.status]).toEqual([
      ...[422, expect.stringMatching(/"toolu_lost"/), 200],
    ]);
  });

  it.each([undefined, null, '', []])('takes a turn of the assistant whose content is %j', async (content) => {
    const turn = { role: 'assistant', ...(content !== undefined && { content }), reasoning_content: 'Hm' };
    const messages = [user, turn, { role: 'user', content: 'And?' }];
    expect((await post({ messages })).status).toBe(200);
    expect(sent().messages).toEqual([user, { ...turn, content: '' }, { role: 'user', content: 'And?' }]);
    expect((await post({ model: 'acme/claude', messages })).status).toBe(200);
    expect(hosted.claude.seen.at(-1)!.body.messages).toEqual([
      { role: 'user', content: ['Read it', 'And?'].map((text) => ({ type: 'text', text })) },
    ]);
  });

  it('sends a provider no provider_specific_fields, which answers of LiteLLM have', async () => {
    const turn = { role: 'assistant', content: 'Yes' };
    const { status, headers } = await post({
      messages: [user, { ...turn, provider_specific_fields: { refusal: null } }, user],
    });
    expect([status, headers.get('x-anneal-dropped')]).toEqual([200, 'messages.provider_specific_fields']);
    expect(sent().messages).toEqual([user, turn, user]);
  });

  it('has ids of calls that its provider takes', async () => {
    const id = `call_${'x'.repeat(60)}`;
    const calls = [{ id, type: 'function', function: { name: 'read', arguments: '{}' } }];
    const messages = [
      user,
      { role: 'assistant', tool_calls: calls },
      { role: 'tool', tool_call_id: id, content: 'text' },
    ];
    expect((await post({ messages })).status).toBe(200);
    const [, assistant, tool] = sent().messages;
    expect(tool.tool_call_id).toMatch(/^call_\w{32}$/);
    expect(assistant.tool_calls[0].id).toBe(tool.tool_call_id);
  });
});

describe('POST /v1/messages', () => {
  it('takes thoughts without a signature, as a model of another style gave them', async () => {
    const hosted = await sharedHostedApi();
    hosted.claude.script(says('Hello there'));
    const content = [
      { type: 'thinking', thinking: 'Hm' },
      { type: 'text', text: 'Yes' },
    ];
    const messages = [
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content },
      { role: 'user', content: 'And?' },
    ];
    for (const model of ['acme/chat', 'acme/claude']) {
      const answer = await hosted.api.call('POST', '/v1/messages', { model, max_tokens: 9, messages });
      expect(answer.status).toBe(200);
    }
    expect(hosted.claude.seen.at(-1)!.body.messages[1].content).toEqual([{ type: 'text', text: 'Yes' }]);
    await hosted.close();
  });
});
