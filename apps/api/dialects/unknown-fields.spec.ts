import type { HostedApi } from '#test/support/hosted-api.js';
import { answers } from '#test/support/scripted-answers.js';
import { says } from '#test/support/scripted-anthropic.js';
import { sharedHostedApi } from '#test/support/shared-api.js';
import { refusals as refusedByAnthropic } from '#test/support/strict-anthropic.js';
import { refusals as refusedByOpenAi, strictly } from '#test/support/strict-openai.js';

const user = { role: 'user', content: 'Go' };
const strange = { strange: { a: 1 } };
const found = {
  type: 'search_result',
  source: 'https://a.example',
  title: 'Museum',
  content: [{ type: 'text', text: 'It opened.' }],
};
const use = { type: 'tool_use', id: 'c1', name: 'read', input: {} };
const result = { type: 'tool_result', tool_use_id: 'c1' };

const CHAT = {
  messages: [
    { ...user, ...strange },
    {
      ...{ role: 'assistant', content: null, artifact: 'x' },
      tool_calls: [{ id: 'c1', type: 'function', function: { name: 'read', arguments: '{}', ...strange }, ...strange }],
    },
    { role: 'tool', tool_call_id: 'c1', content: 'x', status: 'success' },
    { role: 'user', content: [{ type: 'text', text: 'Go on', ...strange }] },
  ],
  tools: [{ type: 'function', function: { name: 'read', parameters: {}, ...strange }, ...strange }],
  response_format: { type: 'json_schema', json_schema: { name: 'a', schema: { type: 'object' }, ...strange } },
};
const RESPONSES = {
  input: [
    { ...user, ...strange },
    { type: 'function_call', call_id: 'c1', name: 'read', arguments: '{}', ...strange },
    { type: 'function_call_output', call_id: 'c1', output: 'x', ...strange },
  ],
  tools: [{ type: 'function', name: 'read', parameters: {}, ...strange }],
  text: { format: { type: 'text', ...strange } },
};
const MESSAGES = {
  max_tokens: 9,
  system: [{ type: 'text', text: 'Be brief', ...strange }],
  messages: [
    { ...user, ...strange },
    { role: 'assistant', content: [{ ...use, ...strange }] },
    { role: 'user', content: [{ ...result, content: [{ type: 'text', text: 'x', ...strange }], ...strange }] },
  ],
  tools: [{ name: 'read', input_schema: { type: 'object' }, ...strange }],
};

describe('a field that no dialect knows, within a message, a tool or a format', () => {
  let hosted: HostedApi;
  beforeAll(async () => {
    hosted = await sharedHostedApi();
    hosted.openai.script(strictly(refusedByOpenAi, answers('Yes')));
    hosted.claude.script(strictly(refusedByAnthropic, says('Yes')));
  });
  afterAll(() => hosted.close());

  const droppedOf = async (path: string, body: object): Promise<readonly string[]> => {
    const { status, headers, body: answer } = await hosted.api.call('POST', path, body);
    if (status !== 200) throw new Error(`${status} ${JSON.stringify(answer)}`);
    return headers.get('x-anneal-dropped')?.split(', ') ?? [];
  };

  it.each([
    [
      ...(['/v1/chat/completions', 'acme/claude', CHAT] as const),
      ['messages.0.strange', 'messages.1.artifact', 'messages.1.tool_calls.0.function.strange', 'messages.2.status'],
    ],
    [
      ...(['/v1/responses', 'acme/chat', RESPONSES] as const),
      ['input.0.strange', 'input.1.strange', 'input.2.strange', 'tools.0.strange', 'text.format.strange'],
    ],
    [
      ...(['/v1/messages', 'acme/chat', MESSAGES] as const),
      ['system.0.strange', 'messages.1.content.0.strange', 'messages.2.content.0.content.0.strange', 'tools.0.strange'],
    ],
  ] as const)('%s to %s: is dropped, and named', async (path, model, body, names) => {
    expect(await droppedOf(path, { model, ...body })).toEqual(expect.arrayContaining([...names]));
    const sent = (model === 'acme/chat' ? hosted.openai : hosted.claude).seen.at(-1)!.body;
    expect(JSON.stringify(sent)).not.toMatch(/strange|artifact|success/);
  });

  it('reaches a provider of the same style', async () => {
    expect(await droppedOf('/v1/chat/completions', { model: 'acme/chat', ...CHAT })).toEqual([]);
    expect(hosted.openai.seen.at(-1)!.body.messages[0]).toEqual({ ...user, ...strange });
  });

  it.each([
    [
      '/v1/messages',
      'acme/chat',
      { max_tokens: 9, tools: [{ ...MESSAGES.tools[0], allowed_callers: ['code_execution'] }] },
    ],
    ['/v1/messages', 'acme/chat', { max_tokens: 9, thinking: { type: 'hologram' } }],
    ['/v1/responses', 'acme/claude', { tools: [{ ...RESPONSES.tools[0], allowed_callers: ['programmatic'] }] }],
  ])('%s to %s: is refused where a dialect knows it, and it changes the answer', async (path, model, more) => {
    const body = { model, ...(path === '/v1/responses' ? { input: 'Go' } : { messages: [user] }), ...more };
    const { status, body: answer } = await hosted.api.call('POST', path, body);
    expect([status, answer.error.message]).toEqual([422, expect.stringMatching(/allowed_callers|thinking/)]);
  });

  it.each([[[found]], [[{ ...result, content: [found] }]]])(
    'search results in %j are told as text to a model of another style',
    async (content) => {
      const messages = [user, { role: 'assistant', content: [use] }, { role: 'user', content: [result, ...content] }];
      const own = content[0]!.type === 'tool_result' ? [messages[0], messages[1], { role: 'user', content }] : messages;
      const dropped = await droppedOf('/v1/messages', { model: 'acme/chat', max_tokens: 9, messages: own });
      expect(dropped).toEqual([expect.stringMatching(/search_result$/)]);
      expect(JSON.stringify(hosted.openai.seen.at(-1)!.body)).toMatch(/https:\/\/a.example.*It opened\./);
    },
  );
});
