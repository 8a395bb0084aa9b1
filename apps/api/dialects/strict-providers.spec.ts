import { eventsIn, type HostedApi } from '#test/support/hosted-api.js';
import { eventsOf, messageOf } from '#test/support/messages.js';
import { answers } from '#test/support/scripted-answers.js';
import { refuses, type Act } from '#test/support/scripted-provider.js';
import { says, toolUseBlock } from '#test/support/scripted-anthropic.js';
import { sharedHostedApi } from '#test/support/shared-api.js';
import { refusals as refusedByAnthropic } from '#test/support/strict-anthropic.js';
import { refusals as refusedByOpenAi, strictly } from '#test/support/strict-openai.js';

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- each test says what it expects of it
type Body = any;

const MODELS = ['acme/chat', 'acme/claude'] as const;
const READ = 'mcp.files/read file';
const LIST = 'mcp_files/read file';
const LONG = `mcp__${'server'.repeat(20)}__read`;
const TOOLS = [READ, LIST, LONG, `${LONG}_all`];

/** Calls the first tool of the request by the name that the provider was given, and as the real one refuses others. */
const openAiCalls = (index: number): Act =>
  strictly(refusedByOpenAi, (response, request) => {
    const { name } = request.body.tools[index].function;
    return answers({ toolCalls: [{ id: 'c9', name, input: '{"p":1}' }] })(response, request);
  });
const claudeCalls = (index: number): Act =>
  strictly(refusedByAnthropic, (response, request) => {
    const { name } = request.body.tools[index];
    return says({ content: [toolUseBlock('c9', name, { p: 1 })] })(response, request);
  });

describe('a provider that takes only some names of tools', () => {
  let hosted: HostedApi;
  beforeAll(async () => {
    hosted = await sharedHostedApi();
  });
  afterAll(() => hosted.close());

  const call = async (path: string, body: object): Promise<Body> => {
    const { status, body: answer } = await hosted.api.call('POST', path, body);
    if (status !== 200) throw new Error(`${status} ${JSON.stringify(answer)}`);
    return answer;
  };
  const calls = (index: number) => {
    hosted.openai.script(openAiCalls(index));
    hosted.claude.script(claudeCalls(index));
  };

  const chat = (model: string, index: number) => ({
    model,
    tools: TOOLS.map((name) => ({ type: 'function', function: { name, parameters: { type: 'object' } } })),
    tool_choice: { type: 'function', function: { name: TOOLS[index] } },
    messages: [
      { role: 'user', content: 'Go' },
      {
        role: 'assistant',
        tool_calls: TOOLS.map((name, place) => ({
          id: `c${place}`,
          type: 'function',
          function: { name, arguments: '{}' },
        })),
      },
      ...TOOLS.map((name, place) => ({ role: 'tool', name, tool_call_id: `c${place}`, content: 'x' })),
    ],
  });
  const responses = (model: string, index: number) => ({
    model,
    tools: TOOLS.map((name) => ({ type: 'function', name, parameters: { type: 'object' } })),
    tool_choice: { type: 'function', name: TOOLS[index] },
    input: [
      { role: 'user', content: 'Go' },
      ...TOOLS.map((name, place) => ({ type: 'function_call', call_id: `c${place}`, name, arguments: '{}' })),
      ...TOOLS.map((_, place) => ({ type: 'function_call_output', call_id: `c${place}`, output: 'x' })),
    ],
  });
  const messages = (model: string, index: number) => ({
    model,
    max_tokens: 9,
    tools: TOOLS.map((name) => ({ name, input_schema: { type: 'object' } })),
    tool_choice: { type: 'tool', name: TOOLS[index] },
    messages: [
      { role: 'user', content: 'Go' },
      {
        role: 'assistant',
        content: TOOLS.map((name, place) => ({ type: 'tool_use', id: `c${place}`, name, input: {} })),
      },
      {
        role: 'user',
        content: TOOLS.map((_, place) => ({ type: 'tool_result', tool_use_id: `c${place}`, content: 'x' })),
      },
    ],
  });

  const chatName = ({ choices: [{ message, delta }] }: Body) => (message ?? delta).tool_calls?.[0]?.function.name;
  const ROUTES = [
    {
      path: '/v1/chat/completions',
      body: chat,
      named: chatName,
      streamed: (text: string) =>
        eventsIn(text)
          .chunks.map((chunk) => chatName(chunk))
          .find((name) => name !== undefined),
    },
    {
      path: '/v1/responses',
      body: responses,
      named: ({ output }: Body) => output[0].name,
      streamed: (text: string) =>
        JSON.parse(/^data: (.*response\.completed.*)$/m.exec(text)![1]!).response.output[0].name,
    },
    {
      path: '/v1/messages',
      body: messages,
      named: ({ content }: Body) => content[0].name,
      streamed: (text: string) => messageOf(eventsOf(text)).content[0].name,
    },
  ];
  const CASES = ROUTES.flatMap((route) => MODELS.map((model) => ({ ...route, model })));

  it.each(CASES)(
    '$path to $model: has legal ones that differ, and the caller has its own',
    async ({ path, body, model, ...read }) => {
      for (const index of TOOLS.keys()) {
        calls(index);
        expect(read.named(await call(path, body(model, index)))).toBe(TOOLS[index]);
        expect(read.streamed(await call(path, { ...body(model, index), stream: true }))).toBe(TOOLS[index]);
      }
    },
  );

  it.each(ROUTES)('$path: the caller has its own after a fallback too', async ({ path, body, named }) => {
    calls(1);
    const own = await call(path, body('acme/claude', 1));
    hosted.openai.script(refuses(503, { error: { message: 'down' } }));
    const instead = await call(path, body('acme/chat-or-claude', 1));
    expect([named(own), named(instead)]).toEqual([TOOLS[1], TOOLS[1]]);
    const [sent, again] = hosted.claude.seen.slice(-2).map(({ body: { tools } }) => tools);
    expect(again).toEqual(sent);
  });
});

describe('a conversation that a strict provider refuses as it stands', () => {
  let hosted: HostedApi;
  beforeAll(async () => {
    hosted = await sharedHostedApi();
  });
  beforeEach(() => {
    hosted.openai.script(strictly(refusedByOpenAi, answers('Yes')));
    hosted.claude.script(strictly(refusedByAnthropic, says('Yes')));
  });
  afterAll(() => hosted.close());

  const user = { role: 'user', content: 'Go' };
  const calling = (id: unknown, given: unknown, name = 'read') => ({
    ...(id !== undefined && { id }),
    type: 'function',
    function: { name, ...(given !== undefined && { arguments: given }) },
  });
  const turn = (...tool_calls: object[]) => ({ role: 'assistant', content: null, tool_calls });
  const tool = (more: object) => ({ role: 'tool', content: 'x', ...more });
  const parallel = [turn(calling('', '{}'), calling(undefined, '{}', 'list')), tool({ tool_call_id: '' }), tool({})];

  const CHATS: Readonly<Record<string, object>> = {
    'calls with empty ids': { messages: [user, ...parallel, ...parallel, user] },
    'results that name their tools': {
      messages: [user, parallel[0], tool({ name: 'list', content: 'l' }), tool({ name: 'read' })],
    },
    'parsed arguments': { messages: [user, turn(calling('a', { p: [1] })), tool({ tool_call_id: 'a' })] },
    'no arguments': { messages: [user, turn(calling('a', undefined)), tool({ tool_call_id: 'a' })] },
    'null arguments': { messages: [user, turn(calling('a', null)), tool({ tool_call_id: 'a' })] },
    'a result whose content is null': {
      messages: [user, turn(calling('a', '{}')), tool({ tool_call_id: 'a', content: null })],
    },
    'a result without content': { messages: [user, turn(calling('a', '{}')), { role: 'tool', tool_call_id: 'a' }] },
    'a result without parts': { messages: [user, turn(calling('a', '{}')), tool({ tool_call_id: 'a', content: [] })] },
    'an assistant whose content is null': { messages: [user, { role: 'assistant', content: null }, user] },
    'an assistant without parts': { messages: [user, { role: 'assistant', content: [] }, user] },
    'an assistant with an empty list of calls': {
      messages: [user, { role: 'assistant', content: 'Yes', tool_calls: [] }, user],
    },
    'fields that are null': {
      messages: [
        { ...user, name: null },
        { role: 'assistant', content: 'Yes', tool_calls: null, function_call: null, refusal: null, audio: null },
        user,
      ],
      ...{ tools: null, tool_choice: null, functions: null, function_call: null, response_format: null, stop: null },
    },
    'a speaker whose name has spaces': { messages: [{ ...user, name: 'Ana María <ana@a.example>' }] },
    'no tools, and how to call them': { messages: [user], tools: [], tool_choice: 'auto', parallel_tool_calls: true },
    'an output limit of -1, and settings that are empty texts': {
      ...{ messages: [user], max_tokens: -1, user: '', stop: '', reasoning_effort: '', tool_choice: '' },
    },
    'empty stop sequences': { messages: [user], stop: [''] },
    'a result that is JSON': {
      messages: [user, turn(calling('a', '{}')), tool({ tool_call_id: 'a', content: { ok: 1 } })],
    },
    'the index of a streamed call': {
      messages: [user, turn({ index: 0, ...calling('a', '{}') }), tool({ tool_call_id: 'a' })],
    },
  };
  const CASES = Object.entries(CHATS).flatMap(([what, body]) => MODELS.map((model) => ({ what, body, model })));

  it.each(CASES)('$what: $model takes it', async ({ body, model }) => {
    const { status, body: answer } = await hosted.api.call('POST', '/v1/chat/completions', { model, ...body });
    expect([status, answer.error]).toEqual([200, undefined]);
  });

  it('matches results without ids to calls in their order, or by the names of tools', async () => {
    await hosted.api.call('POST', '/v1/chat/completions', {
      model: 'acme/chat',
      ...CHATS['results that name their tools'],
    });
    const [, assistant, ...results] = hosted.openai.seen.at(-1)!.body.messages;
    const [read, list] = assistant.tool_calls.map(({ id }: Body) => id);
    expect(results.map((result: Body) => [result.tool_call_id, result.content])).toEqual([
      [list, 'l'],
      [read, 'x'],
    ]);
    await hosted.api.call('POST', '/v1/chat/completions', { model: 'acme/chat', ...CHATS['calls with empty ids'] });
    const sent = hosted.openai.seen.at(-1)!.body.messages;
    const ids = sent.flatMap(({ tool_calls: made = [] }: Body) => made.map(({ id }: Body) => id));
    expect(new Set(ids).size).toBe(4);
    expect(sent.flatMap(({ tool_call_id: id }: Body) => id ?? [])).toEqual(ids);
  });

  it.each(MODELS)('a message whose calls have no ids and no object as input: %s takes it', async (model) => {
    const use = (more: object) => ({ type: 'tool_use', name: 'read', ...more });
    const content = [use({ id: '', input: '{"p":1}' }), use({ input: null }), use({ id: null }), use({ input: [1] })];
    const results = ['', undefined, null, ''].map((id, index) => ({
      ...{ type: 'tool_result', tool_use_id: id, content: index === 0 ? 'x' : null },
    }));
    const messages = [user, { role: 'assistant', content }, { role: 'user', content: results }];
    const body = { model, max_tokens: 9, system: null, tools: null, temperature: null, messages };
    expect((await hosted.api.call('POST', '/v1/messages', body)).status).toBe(200);
    if (model !== 'acme/claude') return;
    const [, made, answered] = hosted.claude.seen.at(-1)!.body.messages;
    expect(made.content.map(({ input }: Body) => input)).toEqual([{ p: 1 }, {}, {}, { INVALID_JSON: '[1]' }]);
    expect(answered.content.map((result: Body) => result.tool_use_id)).toEqual(made.content.map(({ id }: Body) => id));
  });

  it.each(MODELS)('a response without ids, with parsed arguments and an empty output: %s takes it', async (model) => {
    const input = [
      user,
      { type: 'function_call', name: 'read', arguments: { p: 1 } },
      { type: 'function_call', call_id: '', name: 'list', arguments: '{}' },
      { type: 'function_call_output', output: null },
      { type: 'function_call_output', call_id: null, output: 'x' },
    ];
    const body = { model, input, tool_choice: 'auto', parallel_tool_calls: true };
    const { status, body: answer } = await hosted.api.call('POST', '/v1/responses', body);
    expect([status, answer.error]).toEqual([200, null]);
    const next = { model, previous_response_id: answer.id, input: 'And?' };
    expect((await hosted.api.call('POST', '/v1/responses', next)).status).toBe(200);
  });
});
