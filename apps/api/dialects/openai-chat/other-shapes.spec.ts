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

  const CHOICES: readonly (readonly [unknown, unknown])[] = [
    ['any', 'required'],
    ['read', { type: 'function', function: { name: 'read' } }],
    [{ type: 'auto' }, 'auto'],
    [{ type: 'any' }, 'required'],
    [
      { type: 'tool', name: 'read' },
      { type: 'function', function: { name: 'read' } },
    ],
    [
      { type: 'function', name: 'read' },
      { type: 'function', function: { name: 'read' } },
    ],
  ];
  it.each(CHOICES)('takes the choice %j of a tool', async (choice, expected) => {
    const { status } = await post({ messages: [user], tools: [nested], tool_choice: choice });
    expect([status, sent().tool_choice]).toEqual([200, expected]);
  });

  it('takes tools without a type, and those of messages', async () => {
    const { type: _, ...bare } = flat;
    const claudes = { name: 'read', description: 'Reads', input_schema: parameters };
    const described = { name: 'read', description: 'Reads', parameters };
    const tools = [bare, claudes, { type: 'custom', ...claudes }, { function: described }];
    expect((await post({ messages: [user], tools })).status).toBe(200);
    expect(sent().tools).toEqual([
      nested,
      ...[described, described, described].map((each) => ({ type: 'function', function: each })),
    ]);
  });

  it('offers a model of another style the allowed tools alone', async () => {
    const list = { type: 'function', function: { name: 'list', parameters } };
    const allowed = { mode: 'required', tools: [{ type: 'function', function: { name: 'list' } }] };
    const tool_choice = { type: 'allowed_tools', allowed_tools: allowed };
    const body = { model: 'acme/claude', messages: [user], tools: [nested, list], tool_choice };
    expect((await post(body)).status).toBe(200);
    const { tools, tool_choice: chosen } = hosted.claude.seen.at(-1)!.body;
    expect([tools.map(({ name }: { name: string }) => name), chosen]).toEqual([['list'], { type: 'any' }]);
  });

  const url = 'data:image/png;base64,iVBORw0KGgo=';
  const data = 'iVBORw0KGgo=';
  it.each<object>([
    { type: 'image_url', image_url: url },
    { type: 'input_image', image_url: url },
    { type: 'image', source: { type: 'base64', media_type: 'image/png', data } },
    { type: 'image', source_type: 'base64', mime_type: 'image/png', data },
    { type: 'image', mimeType: 'image/png', base64: data },
    { type: 'image', image: url },
  ])('takes the picture %j', async (picture) => {
    const messages = [{ role: 'user', content: [{ type: 'input_text', text: 'What is it?' }, picture] }];
    expect((await post({ messages })).status).toBe(200);
    expect(sent().messages[0].content).toEqual([
      { type: 'text', text: 'What is it?' },
      { type: 'image_url', image_url: { url } },
    ]);
  });

  it("gives a model of another style the documents of Mistral's clients, and its own provider what they sent", async () => {
    const document = {
      type: 'document_url',
      document_url: 'data:application/pdf;base64,JVBERi0=',
      document_name: 'a.pdf',
    };
    const messages = [{ role: 'user', content: [{ type: 'text', text: 'What is it?' }, document] }];
    expect((await post({ messages })).status).toBe(200);
    expect(sent().messages[0].content[1]).toEqual(document);
    expect((await post({ model: 'acme/claude', messages })).status).toBe(200);
    expect(hosted.claude.seen.at(-1)!.body.messages[0].content[1]).toEqual({
      ...{ type: 'document', title: 'a.pdf' },
      source: { type: 'base64', media_type: 'application/pdf', data: 'JVBERi0=' },
    });
  });

  it('takes calls of tools and their results as content', async () => {
    const use = { type: 'tool_use', id: 'c1', name: 'read', input: { path: 'a' } };
    const result = {
      type: 'tool_result',
      tool_use_id: 'c1',
      content: [{ type: 'text', text: 'gone' }],
      is_error: true,
    };
    const messages = [
      user,
      { role: 'assistant', content: [{ type: 'text', text: 'I look' }, use] },
      { role: 'user', content: [result, { type: 'text', text: 'Go on' }] },
    ];
    expect((await post({ messages, tools: [nested] })).status).toBe(200);
    const called = { id: 'c1', type: 'function', function: { name: 'read', arguments: '{"path":"a"}' } };
    expect(sent().messages.slice(1)).toEqual([
      { role: 'assistant', content: [{ type: 'text', text: 'I look' }], tool_calls: [called] },
      {
        ...{ role: 'tool', tool_call_id: 'c1' },
        content: ['Error:', 'gone'].map((text) => ({ type: 'text', text })),
      },
      { role: 'user', content: [{ type: 'text', text: 'Go on' }] },
    ]);
    const [, twice] = messages;
    await post({ messages: [user, { ...twice, tool_calls: [called] }, messages[2]], tools: [nested] });
    expect(sent().messages[1].tool_calls).toEqual([called]);
  });

  it.each<[unknown, unknown]>([
    ['json_object', { type: 'json_object' }],
    [
      { type: 'json_schema', schema: parameters, strict: true },
      { type: 'json_schema', json_schema: { name: 'response', schema: parameters, strict: true } },
    ],
    [
      { type: 'json_schema', json_schema: { schema: parameters } },
      { type: 'json_schema', json_schema: { name: 'response', schema: parameters } },
    ],
  ])('takes the format %j', async (format, expected) => {
    expect((await post({ messages: [user], response_format: format })).status).toBe(200);
    expect(sent().response_format).toEqual(expected);
  });

  it.each(['default', 'auto', ''])('takes the effort %j as none', async (reasoning_effort) => {
    expect((await post({ messages: [user], reasoning_effort })).status).toBe(200);
    expect(sent()).not.toHaveProperty('reasoning_effort');
  });

  it.each(['most', 512, true])(
    "gives %j, a provider's own effort, to that provider alone",
    async (reasoning_effort) => {
      expect((await post({ messages: [user], reasoning_effort })).status).toBe(200);
      expect(sent().reasoning_effort).toBe(reasoning_effort);
      const { status, headers } = await post({ model: 'acme/claude', messages: [user], reasoning_effort });
      expect([status, headers.get('x-anneal-dropped')]).toEqual([200, 'reasoning_effort']);
    },
  );

  it.each(['Hi', { text: 'Hi' }, { type: 'text', text: 'Hi' }])('takes the part %j of a text', async (part) => {
    for (const content of [[part], ...(typeof part === 'string' ? [] : [part])]) {
      expect((await post({ messages: [{ role: 'user', name: '', content }] })).status).toBe(200);
      expect(sent().messages).toEqual([{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }]);
    }
  });

  it('takes limits of -1, and no thinking, as none', async () => {
    const asked = { messages: [user], max_completion_tokens: -1, max_tokens: -1, thinking: null };
    expect((await post(asked)).status).toBe(200);
    for (const name of ['max_completion_tokens', 'thinking']) expect(sent()).not.toHaveProperty(name);
  });

  it('keeps the lower of two limits on output', async () => {
    expect((await post({ messages: [user], max_tokens: 9, max_completion_tokens: 7 })).status).toBe(200);
    expect(sent().max_tokens).toBe(7);
    expect(sent()).not.toHaveProperty('max_completion_tokens');
  });

  it('stores metadata of any shape with the call, and sends none', async () => {
    const metadata = { tags: ['a', 'b'], trace: { user: { id: 7 } }, count: 3, none: null };
    const { status, body } = await post({ messages: [user], metadata });
    expect([status, sent().metadata]).toEqual([200, undefined]);
    await hosted.api.drained();
    const { body: record } = await hosted.api.call('GET', `/inferences/${body.x_pioneer.inference_id}`);
    expect(record.input.metadata).toEqual(metadata);
  });

  it('tells Claude thoughts that are parts of a turn, with their signature, and an effort of another gateway', async () => {
    const thought = { type: 'thinking', thinking: 'Hm', signature: 'sig' };
    const content = [
      thought,
      { type: 'thinking', thinking: [{ type: 'text', text: 'Well' }] },
      { type: 'text', text: 'Yes' },
    ];
    const messages = [user, { role: 'assistant', content }, user];
    const answer = await post({ model: 'acme/claude', messages, reasoning: { effort: 'low', exclude: true } });
    expect([answer.status, answer.headers.get('x-anneal-dropped')]).toEqual([
      200,
      'reasoning.exclude, reasoning_content',
    ]);
    const { messages: told, output_config, reasoning } = hosted.claude.seen.at(-1)!.body;
    expect([told[1].content, output_config, reasoning]).toEqual([
      [thought, { type: 'text', text: 'Yes' }],
      { effort: 'low' },
      undefined,
    ]);
    expect((await post({ messages })).status).toBe(200);
    expect(sent().messages).toEqual(messages);
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
