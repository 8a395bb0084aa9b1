import { bodyOf, messagesOf, refusal, text } from '#test/support/openai-requests.js';
import type { ContentPart, Message, MessageRole } from '../port.js';

describe('messages in the style of OpenAI', () => {
  it('have a single text as a string, and several as parts', () => {
    expect(messagesOf('system', [text('Be brief')])).toEqual([{ role: 'system', content: 'Be brief' }]);
    expect(messagesOf('user', [text('a'), text('b')])).toEqual([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'a' },
          { type: 'text', text: 'b' },
        ],
      },
    ]);
    expect(bodyOf({ messages: [{ role: 'user', name: 'anna', content: [] }] })['messages']).toEqual([
      { role: 'user', name: 'anna', content: '' },
    ]);
  });

  it.each<[ContentPart, object]>([
    [
      { type: 'image', source: { kind: 'url', url: 'https://a.example/b.png' }, detail: 'low' },
      { type: 'image_url', image_url: { url: 'https://a.example/b.png', detail: 'low' } },
    ],
    [
      { type: 'image', source: { kind: 'base64', mediaType: 'image/png', data: 'AAAA' } },
      { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
    ],
    [
      { type: 'document', source: { kind: 'base64', mediaType: 'application/pdf', data: 'AAAA' }, title: 'a.pdf' },
      { type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,AAAA' } },
    ],
    [
      { type: 'document', source: { kind: 'base64', mediaType: 'application/pdf', data: 'AAAA' } },
      { type: 'file', file: { filename: 'document.pdf', file_data: 'data:application/pdf;base64,AAAA' } },
    ],
    [
      { type: 'document', source: { kind: 'file', id: 'file-1' } },
      { type: 'file', file: { file_id: 'file-1' } },
    ],
    [
      { type: 'document', source: { kind: 'text', text: 'Once upon a time' }, title: 'A tale' },
      { type: 'text', text: 'A tale\n\nOnce upon a time' },
    ],
    [
      { type: 'audio', data: 'AAAA', format: 'wav' },
      { type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } },
    ],
  ])('%j becomes %j', (part, expected) => {
    expect(messagesOf('user', [text('See:'), part], { allow_fields: ['file_id'] })).toEqual([
      { role: 'user', content: [{ type: 'text', text: 'See:' }, expected] },
    ]);
  });

  it("keep the model's earlier turns: text, refusals, thinking, calls", () => {
    const call = { type: 'tool-call', id: 'c1', name: 'now', input: '{"a":1}' } as const;
    const called = { id: 'c1', type: 'function', function: { name: 'now', arguments: '{"a":1}' } };
    expect(messagesOf('assistant', [call])).toEqual([{ role: 'assistant', content: null, tool_calls: [called] }]);
    const silent = { ...called, function: { name: 'now', arguments: '{}' } };
    expect(messagesOf('assistant', [{ ...call, input: '' }])).toMatchObject([{ tool_calls: [silent] }]);
    const thought = { type: 'thinking', text: 'Hm', signature: 'sig' } as const;
    expect(messagesOf('assistant', [thought, text('Wait'), call])).toEqual([
      { role: 'assistant', content: 'Wait', reasoning_content: 'Hm', tool_calls: [called] },
    ]);
    expect(messagesOf('assistant', [{ type: 'refusal', text: 'No' }])).toEqual([
      { role: 'assistant', content: [{ type: 'refusal', refusal: 'No' }] },
    ]);
  });

  it('return signed thinking to Claude-style models behind the style', () => {
    const thoughts: ContentPart[] = [
      { type: 'thinking', text: 'Hm', signature: 'sig' },
      { type: 'thinking', text: '', signature: 'opaque', redacted: true },
    ];
    expect(messagesOf('assistant', [...thoughts, text('Hi')], { cache_control: 'forward' })).toEqual([
      {
        ...{ role: 'assistant', content: 'Hi', reasoning_content: 'Hm' },
        thinking_blocks: [
          { type: 'thinking', thinking: 'Hm', signature: 'sig' },
          { type: 'redacted_thinking', data: 'opaque' },
        ],
      },
    ]);
  });

  it('put tool results into separate messages, before the rest', () => {
    const results: ContentPart[] = [
      { type: 'tool-result', id: 'c1', content: [text('12:00')] },
      { type: 'tool-result', id: 'c2', content: [text('no such city')], isError: true },
      { type: 'tool-result', id: 'c3', content: [] },
    ];
    expect(messagesOf('user', [...results, text('And now?')])).toEqual([
      { role: 'tool', tool_call_id: 'c1', content: '12:00' },
      {
        role: 'tool',
        tool_call_id: 'c2',
        content: [
          { type: 'text', text: 'Error:' },
          { type: 'text', text: 'no such city' },
        ],
      },
      { role: 'tool', tool_call_id: 'c3', content: '' },
      { role: 'user', content: 'And now?' },
    ]);
  });

  it('put images from tools after all results of the turn, as from the user', () => {
    const image = (name: string): ContentPart => ({
      type: 'image',
      source: { kind: 'url', url: `https://a.example/${name}` },
    });
    const shown = (name: string) => ({ type: 'image_url', image_url: { url: `https://a.example/${name}` } });
    const result = (id: string, content: ContentPart[]): Message => ({
      role: 'tool',
      content: [{ type: 'tool-result', id, content }],
    });
    const elsewhere = '(The image is in the next message.)';
    const results = [result('c1', [text('A map'), image('1.png')]), result('c2', [image('2.png')])];
    const sent = [
      {
        role: 'tool',
        tool_call_id: 'c1',
        content: [
          { type: 'text', text: 'A map' },
          { type: 'text', text: elsewhere },
        ],
      },
      { role: 'tool', tool_call_id: 'c2', content: elsewhere },
    ];
    expect(bodyOf({ messages: results })['messages']).toEqual([
      ...sent,
      { role: 'user', content: [shown('1.png'), shown('2.png')] },
    ]);
    expect(bodyOf({ messages: [...results, { role: 'user', content: [text('So?')] }] })['messages']).toEqual([
      ...sent,
      { role: 'user', content: [shown('1.png'), shown('2.png'), { type: 'text', text: 'So?' }] },
    ]);
    const goesOn: Message = { role: 'assistant', content: [text('I see')] };
    expect(bodyOf({ messages: [...results, goesOn] })['messages']).toEqual([
      ...sent,
      { role: 'user', content: [shown('1.png'), shown('2.png')] },
      { role: 'assistant', content: 'I see' },
    ]);
    expect(messagesOf('user', [...results.flatMap(({ content }) => content), text('So?')])).toEqual([
      ...sent,
      { role: 'user', content: [shown('1.png'), shown('2.png'), { type: 'text', text: 'So?' }] },
    ]);
  });

  it.each<[string, MessageRole, ContentPart, RegExp]>([
    [
      'a document by address',
      'user',
      { type: 'document', source: { kind: 'url', url: 'https://a.example' } },
      /address/,
    ],
    ['an image by a file', 'user', { type: 'image', source: { kind: 'file', id: 'f' } }, /images by the id of a file/],
    ['an image of the system', 'system', { type: 'image', source: { kind: 'url', url: 'x' } }, /image parts in system/],
    ['a field of another style', 'user', { type: 'foreign', style: 'anthropic', name: 'search_result' }, /^search_re/],
  ])('with %s are refused by name', (_, role, part, message) => {
    expect(refusal({ messages: [{ role, content: [part] }] })).toMatch(message);
  });
});
