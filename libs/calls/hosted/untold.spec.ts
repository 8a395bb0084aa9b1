import { Dropped } from './dropped.js';
import type { GenerationEvent, Style } from './port.js';
import { namingUntold } from './untold.js';

describe('what an answer has that the dialect of the caller has not', () => {
  const foreign = (style: Style, value: object): GenerationEvent => ({
    ...{ type: 'foreign', part: 0, style, isDelta: false },
    value: value as { readonly type?: string },
  });
  const events: readonly GenerationEvent[] = [
    { type: 'text', part: 0, text: 'Hi' },
    foreign('openai', { images: [], odd: 1 }),
    foreign('openai', { annotations: [] }),
    foreign('anthropic', { type: 'server_tool_use', name: 'web_search' }),
    foreign('anthropic', { type: 'citations_delta', citation: { url: 'https://example.com' } }),
    foreign('anthropic', { type: 'citations_delta', citation: { document_index: 0 } }),
  ];

  it.each([
    ['openai', ['answer.server_tool_use', 'answer.citations_delta']],
    ['anthropic', ['answer.images', 'answer.odd']],
    ['openai-responses', ['answer.images', 'answer.odd', 'answer.server_tool_use', 'answer.citations_delta']],
  ] as const)('is named to a caller of style %s, but for sources', (style, names) => {
    const dropped = new Dropped(true);
    const request = { messages: [], verbatim: { style, body: {} } };
    expect(namingUntold(request, dropped)(events)).toBe(events);
    expect(dropped.names).toEqual(names);
  });
});
