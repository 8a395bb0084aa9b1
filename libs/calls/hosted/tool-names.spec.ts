import type { JsonObject } from '#domain/json.js';
import type { ProviderStyle } from './provider-styles.js';
import type { FunctionTool, GenerationEvent, GenerationRequest } from './port.js';
import { STYLES } from './styles.js';
import { ToolNames, toolNameFor } from './tool-names.js';

const ODD = [
  'files.read',
  'files/read',
  'files read',
  'files:read',
  'datei_lösen',
  '__proto__.x',
  '.',
  'x'.repeat(200),
];
const LEGAL = { openai: /^[a-zA-Z0-9_-]{1,64}$/, anthropic: /^[a-zA-Z0-9_-]{1,128}$/ } as const;
const STYLE_NAMES = ['openai', 'anthropic'] as const;

const namesFor = (style: ProviderStyle) => new ToolNames(style, STYLES[style].namedTools);
const answer = async (names: ToolNames, ...events: GenerationEvent[]) => {
  const given = (async function* () {
    yield events;
  })();
  const all: GenerationEvent[] = [];
  const answered = names.answered(given);
  for (let next = await answered.next(); !next.done; next = await answered.next()) all.push(...next.value);
  return all;
};
const tool = (name: string): FunctionTool => ({ name, parameters: {} });

describe.each(STYLE_NAMES)('names of tools for a provider of style %s', (style) => {
  it('are legal, differ where the given ones do, and are the same each time', () => {
    const sent = [...ODD, `${'x'.repeat(200)}y`].map((name) => toolNameFor(style, name));
    for (const name of sent) expect(name).toMatch(LEGAL[style]);
    expect(new Set(sent).size).toBe(sent.length);
    expect(sent.slice(0, ODD.length)).toEqual(ODD.map((name) => toolNameFor(style, name)));
    expect(toolNameFor(style, 'mcp__github-1__list')).toBe('mcp__github-1__list');
  });

  it('leave a request alone whose names are taken', () => {
    const request: GenerationRequest = { messages: [], tools: [tool('read')], toolChoice: { name: 'read' } };
    expect(namesFor(style).sent(request)).toBe(request);
  });

  it.each(ODD)('have %j back in the answer', async (name) => {
    const names = namesFor(style);
    const call = { type: 'tool-call', id: 'c', name, input: '{}' } as const;
    const sent = names.sent({
      messages: [{ role: 'assistant', content: [call] }],
      tools: [tool(name), tool('other')],
      toolChoice: { name },
    });
    const renamed = toolNameFor(style, name);
    expect(sent.tools).toEqual([tool(renamed), tool('other')]);
    expect([sent.toolChoice, sent.messages[0]!.content[0]]).toEqual([{ name: renamed }, { ...call, name: renamed }]);
    const called = (each: string) => ({ type: 'tool-call', part: 0, id: 'c', name: each }) as const;
    expect(await answer(names, called(renamed), called('other'))).toEqual([called(name), called('other')]);
  });
});

describe("names of tools in a body of the provider's own style", () => {
  const sentBody = (style: ProviderStyle, body: JsonObject) =>
    namesFor(style).sent({ messages: [], verbatim: { style, body } }).verbatim!.body;

  it('are replaced wherever chat completions have them', () => {
    const bodyWith = (name: string) => ({
      tools: [
        { type: 'function', function: { name, description: 'Read a.b' } },
        { type: 'custom', custom: { name } },
      ],
      functions: [{ name }],
      tool_choice: {
        type: 'allowed_tools',
        allowed_tools: { mode: 'auto', tools: [{ type: 'function', function: { name } }] },
      },
      function_call: { name },
      messages: [
        { role: 'user', name: 'Anna', content: 'a.b' },
        {
          role: 'assistant',
          tool_calls: [{ id: 'c', type: 'function', function: { name, arguments: '{"name":"a.b"}' } }],
        },
        { role: 'tool', name, tool_call_id: 'c', content: 'x' },
        { role: 'assistant', function_call: { name, arguments: '{}' } },
        { role: 'function', name, content: 'x' },
      ],
      response_format: { type: 'json_schema', json_schema: { name, schema: { properties: { name: {} } } } },
    });
    expect(sentBody('openai', bodyWith('a.b'))).toEqual(bodyWith(toolNameFor('openai', 'a.b')));
    const forced = (name: string) => ({ tool_choice: { type: 'function', function: { name } } });
    expect(sentBody('openai', forced('a.b'))).toEqual(forced(toolNameFor('openai', 'a.b')));
  });

  it("are replaced wherever messages have them, and the provider's own tools keep theirs", () => {
    const found = (name: string) => [{ type: 'tool_reference', tool_name: name }];
    const bodyWith = (name: string) => ({
      tools: [
        { name, input_schema: { properties: { name: {} } } },
        { type: 'custom', name, input_schema: {} },
        { type: 'web_search_20250305', name: 'web_search' },
      ],
      tool_choice: { type: 'tool', name },
      messages: [
        { role: 'user', content: 'a.b' },
        { role: 'assistant', content: [{ type: 'tool_use', id: 'c', name, input: { name: 'a.b', type: 'tool_use' } }] },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c', content: found(name) }] },
        {
          role: 'assistant',
          content: [
            { type: 'server_tool_use', id: 's', name: 'tool_search_tool_regex', input: {} },
            {
              type: 'tool_search_tool_result',
              tool_use_id: 's',
              content: { type: 'tool_search_tool_search_result', tool_references: found(name) },
            },
          ],
        },
      ],
    });
    expect(sentBody('anthropic', bodyWith('a.b'))).toEqual(bodyWith(toolNameFor('anthropic', 'a.b')));
  });

  it.each([
    [
      'openai',
      (name: string) => ({ tool_calls: [{ index: 0, id: 'c', type: 'custom', custom: { name, input: '' } }] }),
    ],
    [
      'anthropic',
      (name: string) => ({ type: 'tool_use', id: 'c', name, input: {}, caller: { type: 'code_execution' } }),
    ],
  ] as const)('of parts that only style %s has are given back', async (style, partWith) => {
    const names = namesFor(style);
    names.sent({ messages: [], tools: [tool('a.b')] });
    const event = (value: JsonObject) => ({ type: 'foreign', part: 0, style, value, isDelta: false }) as const;
    expect(await answer(names, event(partWith(toolNameFor(style, 'a.b'))))).toEqual([event(partWith('a.b'))]);
  });
});
