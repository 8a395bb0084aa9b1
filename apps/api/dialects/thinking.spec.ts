import { ThoughtsBook } from '#calls/signed-thoughts.js';
import type { Message } from '#calls/hosted/port.js';
import { inferenceDocuments } from '#projections/inferences/queries.js';
import type { HostedApi } from '#test/support/hosted-api.js';
import type { TestApi } from '#test/support/api.js';
import { answers } from '#test/support/scripted-answers.js';
import { says, thinkingBlock, toolUseBlock } from '#test/support/scripted-anthropic.js';
import type { ScriptedProvider } from '#test/support/scripted-provider.js';
import { sharedHostedApi } from '#test/support/shared-api.js';

/** Thoughts that clients repeat without the signature which a Claude-style provider needs. */
describe('the thinking blocks of a tool loop', () => {
  let provider: ScriptedProvider;
  let claude: ScriptedProvider;
  let system: HostedApi;
  let api: TestApi;

  beforeAll(async () => {
    system = await sharedHostedApi();
    ({ api, openai: provider, claude } = system);
  });
  afterAll(() => system.close());

  let number = 0;
  const tools = [{ type: 'function', function: { name: 'weather', parameters: { type: 'object' } } }];
  const user = { role: 'user', content: 'Say hello' };
  const chat = (body: object, key = api.key) =>
    api.call(
      'POST',
      '/v1/chat/completions',
      { model: 'acme/claude', tools, reasoning_effort: 'low', messages: [user], ...body },
      { 'x-api-key': key },
    );
  /** Lets Claude think and call a tool. @returns the id of the call */
  const thinks = (): string => {
    const id = `toolu_${(number += 1)}`;
    const redacted = { type: 'redacted_thinking', data: 'aGlkZGVu' };
    const blocks = [thinkingBlock('Let me think', 'c2ln'), redacted, toolUseBlock(id, 'weather', { city: 'Paris' })];
    claude.script(says({ content: blocks }), says('Sunny it is'));
    return id;
  };
  /** The next turn, as clients make it that know of `reasoning_content` alone. */
  const goingOn = (id: string) => [
    user,
    {
      ...{ role: 'assistant', content: '', reasoning_content: 'Let me think' },
      tool_calls: [{ id, type: 'function', function: { name: 'weather', arguments: '{"city":"Paris"}' } }],
    },
    { role: 'tool', tool_call_id: id, content: 'Sunny' },
  ];
  /** The types of the blocks that Claude was sent last as its own turn. */
  const ownBlocks = () => claude.seen.at(-1)!.body.messages[1].content as { type: string }[];
  const types = () => ownBlocks().map(({ type }) => type);

  it.each([
    ['whole', {}],
    ['streamed', { stream: true }],
  ])('get their signature back when a client repeats only the text, after an answer that was %s', async (_, more) => {
    const id = thinks();
    expect((await chat(more)).status).toBe(200);
    const { status, headers } = await chat({ messages: goingOn(id) });
    expect([status, headers.get('x-anneal-dropped')]).toEqual([200, null]);
    expect(ownBlocks()).toMatchObject([
      { type: 'thinking', thinking: 'Let me think', signature: 'c2ln' },
      { type: 'redacted_thinking', data: 'aGlkZGVu' },
      { type: 'tool_use', id },
    ]);
  });

  it('are found in the record by another process than the one that answered', async () => {
    const id = thinks();
    const { body } = await chat({});
    await api.drained();
    const { body: record } = await api.call('GET', `/inferences/${body.x_pioneer.inference_id}`);
    const { workspaceId } = (await inferenceDocuments.get(api.application.ports.readStore, record.id))!;
    const other = new ThoughtsBook(api.application.ports.readStore);
    const turn: Message = {
      role: 'assistant',
      content: [
        { type: 'thinking', text: 'Let me think' },
        { type: 'tool-call', id, name: 'weather', input: '{}' },
      ],
    };
    const [restored] = await other.restored(workspaceId!, { name: 'claude', model: 'claude' }, [turn]);
    expect(restored!.content).toEqual([
      { type: 'thinking', text: 'Let me think', signature: 'c2ln' },
      { type: 'thinking', text: '', signature: 'aGlkZGVu', redacted: true },
      turn.content[1],
    ]);
  });

  it.each<[string, object]>([
    ['nothing was stored', { store: false }],
    ['another provider gave them', { model: 'acme/claude-or-chat' }],
  ])('are dropped with a notice if %s', async (_, more) => {
    const id = thinks();
    await chat(more);
    const { status, headers } = await chat({ messages: goingOn(id) });
    expect([status, headers.get('x-anneal-dropped')]).toEqual([200, 'reasoning_content']);
    expect(types()).toEqual(['tool_use']);
  });

  it("are not found from another workspace that knows the call's id", async () => {
    const id = thinks();
    await chat({});
    await api.drained();
    const { key } = await api.colleague();
    expect((await chat({ messages: goingOn(id) }, key)).status).toBe(200);
    expect(types()).toEqual(['tool_use']);
  });

  it('reach a provider without signatures as text', async () => {
    const id = thinks();
    await chat({});
    provider.script(answers('Sunny it is'));
    expect((await chat({ model: 'acme/chat', messages: goingOn(id) })).status).toBe(200);
    expect(provider.seen.at(-1)!.body.messages[1].reasoning_content).toBe('Let me think');
  });

  const respond = (body: object) =>
    api.call('POST', '/v1/responses', {
      tools: [{ type: 'function', name: 'weather', parameters: { type: 'object' } }],
      ...{ max_output_tokens: 100, input: 'Say hello', ...body },
    });
  const output = (id: string) => [{ type: 'function_call_output', call_id: id, output: 'Sunny' }];

  it('of Claude reach another provider as text when it continues the response', async () => {
    const id = thinks();
    const { body: first } = await respond({ model: 'acme/claude' });
    provider.script(answers('Sunny it is'));
    const { status } = await respond({ model: 'acme/chat', input: output(id), previous_response_id: first.id });
    expect(status).toBe(200);
    const [, own] = provider.seen.at(-1)!.body.messages;
    expect(own).toMatchObject({ reasoning_content: 'Let me think', tool_calls: [{ id }] });
  });

  it('lose their signature when another provider continues the response', async () => {
    const id = thinks();
    const { body: first } = await respond({ model: 'acme/claude' });
    const { status } = await respond({ model: 'acme/claude', input: output(id), previous_response_id: first.id });
    expect([status, types()]).toEqual([200, ['thinking', 'redacted_thinking', 'tool_use']]);
    claude.script(says('Sunny it is'));
    const next = await respond({ model: 'acme/other-claude', input: output(id), previous_response_id: first.id });
    expect([next.status, next.headers.get('x-anneal-dropped')]).toEqual([200, 'reasoning_content']);
    expect(types()).toEqual(['tool_use']);
  });

  it('of another provider are dropped with a notice when Claude continues the response', async () => {
    const call = { id: 'call_1', name: 'weather', input: '{"city":"Paris"}' };
    provider.script(answers({ thinking: 'Let me think', toolCalls: [call] }));
    const { body: first } = await respond({ model: 'acme/chat' });
    claude.script(says('Sunny it is'));
    const next = await respond({ model: 'acme/claude', input: output('call_1'), previous_response_id: first.id });
    expect([next.status, next.headers.get('x-anneal-dropped')]).toEqual([200, 'reasoning_content']);
    expect(types()).toEqual(['tool_use']);
  });
});
