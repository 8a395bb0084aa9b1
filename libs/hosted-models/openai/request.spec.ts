import type { JsonObject } from '#domain/json.js';
import { HostedModelError, textMessage, type ContentPart, type GenerationRequest, type Role } from '../port.js';
import { checkProviders } from '../providers.js';
import { requestFor } from './request.js';

const providerWith = (settings: object = {}) =>
  checkProviders(
    { providers: { acme: { style: 'openai', base_url: 'https://acme.example/v1', ...settings } } },
    {},
  ).get('acme')!;
const posted = (request: GenerationRequest, settings: object = {}, stream = false) => {
  const { path, body } = requestFor(providerWith(settings), 'big-1', request, stream);
  return { path, body: JSON.parse(body) as JsonObject };
};
const bodyOf = (request: Partial<GenerationRequest>, settings: object = {}) =>
  posted({ messages: [], ...request }, settings).body;
const messagesOf = (role: Role, content: readonly ContentPart[], settings: object = {}) =>
  bodyOf({ messages: [{ role, content }] }, settings)['messages'];
const refusal = (request: Partial<GenerationRequest>, settings: object = {}): string => {
  try {
    bodyOf(request, settings);
  } catch (error) {
    expect(error).toBeInstanceOf(HostedModelError);
    expect(error).toMatchObject({ kind: 'rejected', details: { upstreamStatus: 422 } });
    return (error as HostedModelError).message;
  }
  throw new Error('it was sent');
};
const text = (said: string): ContentPart => ({ type: 'text', text: said });
const marker = { type: 'ephemeral', ttl: '1h' };

describe('a request in the style of OpenAI', () => {
  test('says how to generate', () => {
    const asked: Partial<GenerationRequest> = {
      ...{ temperature: 0.5, topP: 0.9, topK: 40, stop: ['\n'], seed: 7, choices: 2, logprobs: { top: 3 } },
      ...{ frequencyPenalty: -1, presencePenalty: 1, logitBias: { '50256': -100 }, endUser: 'u-1' },
      thinking: { effort: 'high' },
    };
    expect(bodyOf(asked)).toEqual({
      ...{ model: 'big-1', messages: [], temperature: 0.5, top_p: 0.9, top_k: 40, stop: ['\n'] },
      ...{ seed: 7, n: 2, logprobs: true, top_logprobs: 3, frequency_penalty: -1, presence_penalty: 1 },
      ...{ logit_bias: { '50256': -100 }, user: 'u-1', reasoning_effort: 'high' },
    });
  });

  test('asks for log probabilities of the chosen tokens alone', () => {
    expect(bodyOf({ logprobs: { top: 0 } })).toMatchObject({ logprobs: true });
    expect(bodyOf({ logprobs: { top: 0 } })).not.toHaveProperty('top_logprobs');
  });

  test('names the limit on output as the provider does', () => {
    expect(bodyOf({ maxTokens: 5 })).toMatchObject({ max_tokens: 5 });
    const newer = bodyOf({ maxTokens: 5 }, { max_tokens_field: 'max_completion_tokens' });
    expect(newer).toMatchObject({ max_completion_tokens: 5 });
    expect(newer).not.toHaveProperty('max_tokens');
  });

  test('of a stream asks for its usage', () => {
    const { body } = posted({ messages: [] }, {}, true);
    expect(body).toMatchObject({ stream: true, stream_options: { include_usage: true } });
  });

  test('passes fields on that nobody here knows, but never over those that are known', () => {
    const unknownFields = JSON.parse('{"provider_magic": [1], "model": "other", "__proto__": {"x": 1}}') as JsonObject;
    const { body } = posted({ messages: [], unknownFields });
    expect(body).toMatchObject({ provider_magic: [1], model: 'big-1' });
    expect(Object.getOwnPropertyDescriptor(body, '__proto__')?.value).toEqual({ x: 1 });
  });

  test('carries tools, which of them to call, and how many at once', () => {
    const parameters = { type: 'object', properties: { city: { type: 'string' } } };
    const tools = [
      { name: 'weather', description: 'Tells it', parameters, strict: true },
      { name: 'now', parameters },
    ];
    expect(bodyOf({ tools, toolChoice: { name: 'now' }, parallelToolCalls: false })).toMatchObject({
      tools: [
        { type: 'function', function: { name: 'weather', description: 'Tells it', parameters, strict: true } },
        { type: 'function', function: { name: 'now', parameters } },
      ],
      tool_choice: { type: 'function', function: { name: 'now' } },
      parallel_tool_calls: false,
    });
    expect(bodyOf({ toolChoice: 'required' })).toMatchObject({ tool_choice: 'required' });
  });

  test('carries the shape of the answer', () => {
    expect(bodyOf({ responseFormat: { type: 'json_object' } })).toMatchObject({
      response_format: { type: 'json_object' },
    });
    const format = { name: 'row', description: 'A row', schema: { type: 'object' }, strict: true } as const;
    expect(bodyOf({ responseFormat: { type: 'json_schema', ...format } })).toMatchObject({
      response_format: { type: 'json_schema', json_schema: format },
    });
  });

  test.each([
    [{ thinking: { mode: 'adaptive' } as const }, undefined],
    [{ thinking: { mode: 'enabled', effort: 'low' } as const }, 'low'],
    [{ thinking: { mode: 'disabled' } as const }, 'none'],
  ])('%j asks for the effort %s', (asked, effort) => {
    expect(bodyOf(asked)['reasoning_effort']).toBe(effort);
  });

  test.each<[string, Partial<GenerationRequest>, RegExp]>([
    ['a budget for thinking', { thinking: { mode: 'enabled', budgetTokens: 1024 } }, /budget of tokens for thinking/],
    ['an effort without thinking', { thinking: { mode: 'disabled', effort: 'high' } }, /effort without thinking/],
    ['tools of another style', { tools: [{ foreign: 'anthropic', name: 'web_search_20250305' }] }, /web_search_2025/],
    ['the best of several', { candidates: 3 }, /best_of/],
    [
      'what only another style knows',
      { verbatim: { style: 'anthropic', body: {}, only: ['mcp_servers', 'container'] } },
      /^mcp_servers, container cannot/,
    ],
  ])('does not carry %s, and says so', (_, asked, message) => {
    expect(refusal(asked)).toMatch(message);
  });
});

describe('messages in the style of OpenAI', () => {
  test('one text is a string, several are parts', () => {
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

  test.each<[ContentPart, object]>([
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
    expect(messagesOf('user', [text('See:'), part])).toEqual([
      { role: 'user', content: [{ type: 'text', text: 'See:' }, expected] },
    ]);
  });

  test('what a model said before: words, refusals, thoughts, calls', () => {
    const call = { type: 'tool-call', id: 'c1', name: 'now', input: '{"a":1}' } as const;
    const called = { id: 'c1', type: 'function', function: { name: 'now', arguments: '{"a":1}' } };
    expect(messagesOf('assistant', [call])).toEqual([{ role: 'assistant', content: null, tool_calls: [called] }]);
    const thought = { type: 'thinking', text: 'Hm', signature: 'sig' } as const;
    expect(messagesOf('assistant', [thought, text('Wait'), call])).toEqual([
      { role: 'assistant', content: 'Wait', reasoning_content: 'Hm', tool_calls: [called] },
    ]);
    expect(messagesOf('assistant', [{ type: 'refusal', text: 'No' }])).toEqual([
      { role: 'assistant', content: [{ type: 'refusal', refusal: 'No' }] },
    ]);
  });

  test('signed thoughts go back to where Claude-style models stand behind the style', () => {
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
    expect(refusal({ messages: [{ role: 'assistant', content: thoughts }] })).toMatch(/redacted thinking/);
  });

  test('results of tools are messages of their own, before the rest', () => {
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

  test.each<[string, Role, ContentPart, RegExp]>([
    [
      'a document by address',
      'user',
      { type: 'document', source: { kind: 'url', url: 'https://a.example' } },
      /address/,
    ],
    ['an image by a file', 'user', { type: 'image', source: { kind: 'file', id: 'f' } }, /images by the id of a file/],
    ['an image of the system', 'system', { type: 'image', source: { kind: 'url', url: 'x' } }, /image parts in system/],
    [
      'an image that a tool gave',
      'tool',
      { type: 'tool-result', id: 'c', content: [{ type: 'image', source: { kind: 'url', url: 'x' } }] },
      /image parts in results of tools/,
    ],
    [
      'what only another style has',
      'user',
      { type: 'foreign', style: 'anthropic', name: 'search_result' },
      /^search_re/,
    ],
  ])('%s is refused by name', (_, role, part, message) => {
    expect(refusal({ messages: [{ role, content: [part] }] })).toMatch(message);
  });
});

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

  test('reach models that take them, where they were', () => {
    expect(bodyOf(asked, { cache_control: 'forward' })).toMatchObject({
      messages: [
        { content: [{ type: 'text', text: 'Stable', cache_control: marker }] },
        { tool_calls: [{ id: 'c', cache_control: marker }] },
        { role: 'tool', content: [{ type: 'text', text: '12:00', cache_control: marker }] },
      ],
      tools: [{ type: 'function', function: schema, cache_control: marker }],
    });
  });

  test('reach no others, and a schema keeps what it names so', () => {
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

  test("in a caller's own body stay, or go, and nothing else does", () => {
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

describe("a caller's own body", () => {
  const body = { model: 'alias', messages: [{ role: 'developer', content: 'x' }], web_search_options: {}, n: null };
  const verbatim = { style: 'openai', body } as const;
  const messages = [textMessage('user', 'what nobody reads')];

  test('goes unchanged but for the model and the stream', () => {
    expect(bodyOf({ verbatim, messages })).toEqual({ ...body, model: 'big-1' });
    const streamed = { ...body, stream: true, stream_options: { include_obfuscation: false, include_usage: false } };
    const asked = { messages, verbatim: { style: 'openai', body: streamed } } as const;
    expect(posted(asked, {}, true).body).toEqual({
      ...{ ...body, model: 'big-1', stream: true },
      stream_options: { include_obfuscation: false, include_usage: true },
    });
    expect(posted(asked).body).toEqual({ ...body, model: 'big-1', stream: false });
  });

  test('has a limit on its output set where it lacks one', () => {
    expect(bodyOf({ verbatim, maxTokens: 9 })).toMatchObject({ max_tokens: 9 });
    const settings = { max_tokens_field: 'max_completion_tokens' };
    expect(bodyOf({ verbatim, maxTokens: 9 }, settings)).toMatchObject({ max_completion_tokens: 9 });
    for (const field of ['max_tokens', 'max_completion_tokens']) {
      const limited = { style: 'openai', body: { ...body, [field]: 5 } } as const;
      expect(bodyOf({ verbatim: limited, maxTokens: 5 })).toEqual({
        ...{ ...body, model: 'big-1' },
        [field]: 5,
      });
    }
  });

  test('of another style is not sent', () => {
    const sent = bodyOf({ messages, verbatim: { style: 'anthropic', body: { system: 'x' } } });
    expect(sent).toEqual({ model: 'big-1', messages: [{ role: 'user', content: 'what nobody reads' }] });
  });

  test('nested without an end is refused', () => {
    const deep = JSON.parse(`${'['.repeat(1e5)}${']'.repeat(1e5)}`) as JsonObject[];
    expect(refusal({ verbatim: { style: 'openai', body: { ...body, deep } } })).toMatch(/nested too deeply/);
    expect(refusal({ unknownFields: { deep } })).toMatch(/nested too deeply/);
  });
});

describe('texts to be continued', () => {
  const asked: GenerationRequest = { messages: [], prompts: ['Once', 'Twice'] };

  test('go to the route for them', () => {
    const more = { maxTokens: 9, candidates: 3, choices: 2, logprobs: { top: 0 }, stop: ['.'], topK: 3 };
    expect(posted({ ...asked, ...more }, { max_tokens_field: 'max_completion_tokens' })).toEqual({
      path: '/completions',
      body: {
        ...{ model: 'big-1', prompt: ['Once', 'Twice'], max_tokens: 9, best_of: 3, n: 2, logprobs: 0 },
        ...{ stop: ['.'], top_k: 3 },
      },
    });
    expect(posted({ ...asked, prompts: ['Once'] }, {}, true).body).toEqual({
      ...{ model: 'big-1', prompt: 'Once', stream: true, stream_options: { include_usage: true } },
    });
  });

  test("in the caller's own body keep what only that route has", () => {
    const body = { prompt: [1, 2, 3], echo: true, suffix: '.', best_of: 2 };
    const { path, body: sent } = posted({ ...asked, maxTokens: 16, verbatim: { style: 'openai-completions', body } });
    expect([path, sent]).toEqual(['/completions', { ...body, model: 'big-1', max_tokens: 16 }]);
  });

  test.each<[Partial<GenerationRequest>, RegExp]>([
    [{ tools: [] }, /tools beside/],
    [{ responseFormat: { type: 'json_object' } }, /a response format beside/],
    [{ thinking: { effort: 'low' } }, /thinking beside/],
    [{ messages: [textMessage('user', 'x')] }, /messages beside/],
    [{ verbatim: { style: 'openai', body: {}, only: ['echo'] } }, /^echo/],
  ])('carry nothing of a conversation: %j', (more, message) => {
    expect(refusal({ ...asked, ...more })).toMatch(message);
  });
});
