import type { HostedApi } from '#test/support/hosted-api.js';
import type { TestApi } from '#test/support/api.js';
import { answers } from '#test/support/scripted-answers.js';
import type { ScriptedProvider } from '#test/support/scripted-provider.js';
import { sharedHostedApi } from '#test/support/shared-api.js';

const TEXT = { type: 'string' } as const;
const fn = (name: string, more: object = {}) => ({
  ...{ type: 'function', name, description: `Does ${name}.`, strict: false },
  parameters: { type: 'object', properties: { target: TEXT }, required: ['target'], additionalProperties: false },
  ...more,
});
const agents = {
  ...{ type: 'namespace', name: 'multi_agent_v1', description: 'Tools for sub-agents.' },
  tools: [fn('close_agent'), fn('spawn_agent')],
};
const GRAMMAR = { type: 'grammar', syntax: 'lark', definition: 'start: /[\\s\\S]+/' };
const exec = { type: 'custom', name: 'exec', description: 'Runs JavaScript.', format: GRAMMAR };

/** A request as Codex CLI 0.169 makes it: its tools in `tools`. */
const CODEX = {
  ...{ tool_choice: 'auto', parallel_tool_calls: true, reasoning: { summary: 'auto' }, store: true },
  ...{ include: ['reasoning.encrypted_content'], prompt_cache_key: '01a207f2-db82-74f3-acd2-462a12a56358' },
  client_metadata: { session_id: '01a2', 'x-codex-turn-metadata': '{"cwd":"/home/ann/secret-project"}' },
  tools: [fn('exec_command'), agents, { type: 'web_search', external_web_access: true }],
};
/** The same, as it makes it for models that it knows: its tools are an item of the input. */
const LITE = {
  ...{ tool_choice: 'auto', parallel_tool_calls: false, reasoning: { effort: 'low', context: 'all_turns' } },
  ...{ store: true, text: { verbosity: 'low' } },
};
const offered = {
  ...{ type: 'additional_tools', id: 'at_1', role: 'developer' },
  tools: [{ type: 'namespace', name: 'functions', description: '', tools: [exec, fn('wait')] }, agents],
};
const user = { type: 'message', id: 'msg_1', role: 'user', content: [{ type: 'input_text', text: 'Go' }] };

describe('POST /v1/responses as Codex sends it', () => {
  let provider: ScriptedProvider;
  let system: HostedApi;
  let api: TestApi;
  const ask = (body: object) => api.call('POST', '/v1/responses', { model: 'acme/chat', input: [user], ...body });
  const sent = () => provider.seen.at(-1)!.body;
  const sentTools = () => sent().tools.map((tool: { function: object }) => tool.function);
  const eventsOf = (body: unknown) =>
    [...(body as string).matchAll(/^data: (.*)$/gm)].map(([, data]) => JSON.parse(data!));

  beforeAll(async () => {
    system = await sharedHostedApi();
    ({ api, openai: provider } = system);
  });
  beforeEach(() => provider.script(answers('Done')));
  afterAll(() => system.close());

  it('gives a model the tools of a namespace as functions, and drops hosted tools with a notice', async () => {
    const { status, headers, body } = await ask(CODEX);
    expect(status).toBe(200);
    expect(sentTools()).toMatchObject([
      { name: 'exec_command', description: 'Does exec_command.' },
      { name: 'multi_agent_v1__close_agent', description: 'Tools for sub-agents.\n\nDoes close_agent.' },
      {
        name: 'multi_agent_v1__spawn_agent',
        description: 'Does spawn_agent.',
        parameters: agents.tools[1]!.parameters,
      },
    ]);
    expect(headers.get('x-anneal-dropped')).toBe('client_metadata, tools.web_search');
    expect(body.tools).toEqual(CODEX.tools.map((tool) => expect.objectContaining(tool)));
  });

  it('forwards no local path of client_metadata', async () => {
    await ask(CODEX);
    expect(JSON.stringify([sent(), provider.seen.at(-1)!.headers])).not.toContain('secret-project');
  });

  const CALL = { id: 'call_1', name: 'multi_agent_v1__spawn_agent', input: '{"target":"a"}' };
  const called = { call_id: 'call_1', name: 'spawn_agent', namespace: 'multi_agent_v1', arguments: CALL.input };

  it('names the namespace and the tool in a call, whether whole, retrieved or streamed', async () => {
    provider.script(answers({ toolCalls: [CALL] }));
    const { body } = await ask(CODEX);
    expect(body.output).toMatchObject([{ type: 'function_call', ...called }]);
    expect((await api.call('GET', `/v1/responses/${body.id}`)).body.output).toEqual(body.output);
    provider.script(answers({ toolCalls: [CALL] }));
    const events = eventsOf((await ask({ ...CODEX, stream: true })).body);
    const items = events.filter(({ type }) => /output_item/.test(type));
    expect(items.map(({ item }) => item)).toMatchObject([{ ...called, arguments: '' }, called]);
    const done = events.find(({ type }) => type === 'response.function_call_arguments.done');
    expect(done).toMatchObject({ name: 'spawn_agent', arguments: CALL.input });
  });

  it('replays such a call under the name that the model was given, from the input and from an earlier turn', async () => {
    const output = { type: 'function_call_output', call_id: 'call_1', output: 'Closed' };
    const names = () =>
      sent().messages.flatMap((message: { tool_calls?: { function: { name: string } }[] }) =>
        (message.tool_calls ?? []).map((call) => call.function.name),
      );
    await ask({ ...CODEX, input: [user, { type: 'function_call', ...called }, output] });
    expect(names()).toEqual([CALL.name]);
    provider.script(answers({ toolCalls: [CALL] }), answers('Done'));
    const { body: first } = await ask(CODEX);
    const { status } = await ask({ ...CODEX, input: [output], previous_response_id: first.id });
    expect([status, names()]).toEqual([200, [CALL.name]]);
  });

  it('offers a model the tools that an input item adds, also in later turns', async () => {
    const { status, headers, body } = await ask({ ...LITE, input: [offered, user] });
    expect(status).toBe(200);
    const names = ['functions__exec', 'functions__wait', 'multi_agent_v1__close_agent', 'multi_agent_v1__spawn_agent'];
    expect(sentTools().map(({ name }: { name: string }) => name)).toEqual(names);
    expect(sent().messages).toEqual([{ role: 'user', content: 'Go' }]);
    expect(headers.get('x-anneal-dropped')).toBe('tools.format, reasoning.context');
    await ask({ input: 'Go on', previous_response_id: body.id });
    expect(sentTools().map(({ name }: { name: string }) => name)).toEqual(names);
    const items = await api.call('GET', `/v1/responses/${body.id}/input_items?order=asc`);
    expect(items.body.data[0]).toMatchObject(offered);
  });

  it('gives a model a custom tool as a function with one text argument, and the grammar in its description', async () => {
    await ask({ ...LITE, tools: [exec] });
    const [{ name, description, parameters }] = sentTools();
    expect([name, parameters.required]).toEqual(['exec', ['input']]);
    expect(description).toContain('Runs JavaScript.');
    expect(description).toContain(GRAMMAR.definition);
  });

  it('returns a custom tool call with its text, whole and in a stream, and replays it', async () => {
    const call = { id: 'call_2', name: 'functions__exec', input: '{"input":"say(\\"hi\\")"}' };
    const item = {
      ...{ type: 'custom_tool_call', call_id: 'call_2', name: 'exec', namespace: 'functions' },
      input: 'say("hi")',
    };
    provider.script(answers({ toolCalls: [call] }), answers({ toolCalls: [call] }), answers('Done'));
    const { body } = await ask({ ...LITE, input: [offered, user] });
    expect(body.output).toMatchObject([item]);
    const events = eventsOf((await ask({ ...LITE, input: [offered, user], stream: true })).body);
    expect(events.map(({ type }) => type.replace('response.', ''))).toEqual([
      ...['created', 'in_progress', 'output_item.added', 'custom_tool_call_input.delta', 'custom_tool_call_input.done'],
      ...['output_item.done', 'completed'],
    ]);
    expect(events.at(-1).response.output).toMatchObject([item]);
    const output = { type: 'custom_tool_call_output', call_id: 'call_2', output: 'hi' };
    const { status } = await ask({ ...LITE, input: [offered, user, item, output] });
    expect(status).toBe(200);
    expect(sent().messages.slice(1)).toMatchObject([
      { role: 'assistant', tool_calls: [{ id: 'call_2', function: { name: call.name, arguments: call.input } }] },
      { role: 'tool', tool_call_id: 'call_2', content: 'hi' },
    ]);
  });

  it.each<[string, object]>([
    ['by its own name', { type: 'function', name: 'spawn_agent' }],
    ['by namespace and name', { type: 'function', name: 'spawn_agent', namespace: 'multi_agent_v1' }],
    [
      'among those allowed',
      { type: 'allowed_tools', mode: 'required', tools: [{ type: 'function', name: 'spawn_agent' }] },
    ],
  ])('a tool of a namespace is chosen %s', async (_, choice) => {
    const { status } = await ask({ ...CODEX, tool_choice: choice });
    expect(status).toBe(200);
    expect(sentTools().map(({ name }: { name: string }) => name)).toContain(CALL.name);
  });

  it.each<[string, string, object]>([
    [
      'two tools of one name',
      'tools.1.tools.0.name',
      { tools: [fn('a__b'), { ...agents, name: 'a', tools: [fn('b')] }] },
    ],
    [
      'a choice that several namespaces have',
      'tool_choice.namespace',
      {
        ...{ tools: [agents, { ...agents, name: 'other' }], tool_choice: { type: 'function', name: 'spawn_agent' } },
      },
    ],
    ['a namespace without a name', 'tools.0.name', { tools: [{ ...agents, name: '' }] }],
    [
      'hosted tools alone',
      'web_search',
      { tools: [{ type: 'namespace', name: 'a', tools: [{ type: 'web_search' }] }] },
    ],
  ])('refuses %s', async (_, name, body) => {
    const { status, body: answer } = await ask(body);
    expect(status).toBe(422);
    expect(`${answer.error.param} ${answer.error.message}`).toContain(name);
  });

  it('tells what a local shell of another model was asked and answered as texts', async () => {
    const shell = { type: 'local_shell_call', call_id: 'c1', status: 'completed', action: { command: ['ls'] } };
    const { status, body } = await ask({
      input: [user, shell, { type: 'function_call_output', call_id: 'c1', output: 'a.txt' }],
    });
    expect([status, body.error]).toEqual([200, null]);
  });

  it('names an item of an unknown type, its place, and the types that are taken', async () => {
    const { status, body } = await ask({ input: [user, { type: 'hologram', id: 'x' }] });
    expect([status, body.error.param]).toEqual([422, 'input.1.type']);
    expect(body.error.message).toMatch(/message, function_call, .* item_reference, .*not "hologram"/);
    expect((await ask({ input: [user, 7] })).body.error).toMatchObject({ param: 'input.1' });
  });

  it("keeps a message's phase when the input is retrieved", async () => {
    const said = {
      type: 'message',
      role: 'assistant',
      content: [{ type: 'output_text', text: 'I look' }],
      phase: 'commentary',
    };
    const { body } = await ask({ input: [user, said, user] });
    const items = await api.call('GET', `/v1/responses/${body.id}/input_items?order=asc`);
    expect(items.body.data[1]).toMatchObject(said);
  });
});
