import type { JsonObject } from '#domain/json.js';
import { bodyOf, text } from '#test/support/openai-requests.js';
import type { GenerationRequest } from '../port.js';

const marker = { type: 'ephemeral', ttl: '1h' };

describe('cache markers', () => {
  const cacheControl = marker;
  const asked: GenerationRequest = {
    messages: [
      { role: 'system', content: [{ ...text('Stable'), cacheControl }] },
      { role: 'assistant', content: [{ type: 'tool-call', id: 'c', name: 'now', input: '{}', cacheControl }] },
      { role: 'tool', content: [{ type: 'tool-result', id: 'c', content: [text('12:00')], cacheControl }] },
    ],
    tools: [{ name: 'now', parameters: { properties: { cache_control: { type: 'string' } } }, cacheControl }],
  };
  const schema = { name: 'now', parameters: { properties: { cache_control: { type: 'string' } } } };

  it('reach models that support them, in place', () => {
    expect(bodyOf(asked, { cache_control: 'forward' })).toMatchObject({
      messages: [
        { content: [{ type: 'text', text: 'Stable', cache_control: marker }] },
        { tool_calls: [{ id: 'c', cache_control: marker }] },
        { role: 'tool', content: [{ type: 'text', text: '12:00', cache_control: marker }] },
      ],
      tools: [{ type: 'function', function: schema, cache_control: marker }],
    });
  });

  it('reach no others, while a schema keeps properties of that name', () => {
    const { messages, tools } = bodyOf(asked);
    expect(JSON.stringify(messages)).not.toContain('cache_control');
    expect(tools).toEqual([{ type: 'function', function: schema }]);
  });

  const body: JsonObject = {
    cache_control: marker,
    messages: [
      {
        role: 'user',
        cache_control: marker,
        content: [
          { type: 'text', text: '"cache_control"', cache_control: marker },
          { type: 'tool_result', content: [{ type: 'text', text: 'x', cache_control: marker }] },
          'nonsense',
        ],
      },
      null,
    ],
    tools: [{ type: 'function', function: { ...schema, cache_control: marker }, cache_control: marker }],
    metadata: { cache_control: 'a word of the caller' },
  };
  const verbatim = { style: 'openai', body } as const;

  it("are kept or removed in a caller's own body, which does not change otherwise", () => {
    expect(bodyOf({ verbatim }, { cache_control: 'forward' })).toEqual({ ...body, model: 'big-1' });
    expect(bodyOf({ verbatim })).toEqual({
      ...{ model: 'big-1' },
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: '"cache_control"' },
            { type: 'tool_result', content: [{ type: 'text', text: 'x' }] },
            'nonsense',
          ],
        },
        null,
      ],
      tools: [{ type: 'function', function: schema }],
      metadata: { cache_control: 'a word of the caller' },
    });
  });
});
