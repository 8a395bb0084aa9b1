import { Dropped } from '../dropped.js';
import type { JsonObject } from '#domain/json.js';
import { bodyOf, posted, refusal } from '#test/support/openai-requests.js';
import { textMessage, type GenerationRequest } from '../port.js';

describe('a request in the style of OpenAI', () => {
  it('has the sampling settings', () => {
    const asked: Partial<GenerationRequest> = {
      ...{ temperature: 0.5, topP: 0.9, topK: 40, stop: ['\n'], seed: 7, choices: 2, logprobs: { top: 3 } },
      ...{ frequencyPenalty: -1, presencePenalty: 1, logitBias: { '50256': -100 }, endUser: 'u-1' },
      thinking: { effort: 'high' },
      ...{ verbosity: 'low', promptCacheKey: 'k', promptCacheRetention: '24h', serviceTier: 'flex' },
    };
    expect(bodyOf(asked)).toEqual({
      ...{ model: 'big-1', messages: [], temperature: 0.5, top_p: 0.9, top_k: 40, stop: ['\n'] },
      ...{ seed: 7, n: 2, logprobs: true, top_logprobs: 3, frequency_penalty: -1, presence_penalty: 1 },
      ...{ logit_bias: { '50256': -100 }, user: 'u-1', reasoning_effort: 'high' },
      ...{ verbosity: 'low', prompt_cache_key: 'k', prompt_cache_retention: '24h', service_tier: 'flex' },
    });
  });

  it('asks for log probabilities of the chosen tokens only', () => {
    expect(bodyOf({ logprobs: { top: 0 } })).toMatchObject({ logprobs: true });
    expect(bodyOf({ logprobs: { top: 0 } })).not.toHaveProperty('top_logprobs');
  });

  it('names the limit on output as the provider does', () => {
    expect(bodyOf({ maxTokens: 5 })).toMatchObject({ max_tokens: 5 });
    const newer = bodyOf({ maxTokens: 5 }, { max_tokens_field: 'max_completion_tokens' });
    expect(newer).toMatchObject({ max_completion_tokens: 5 });
    expect(newer).not.toHaveProperty('max_tokens');
  });

  it('asks for usage in a stream', () => {
    const { body } = posted({ messages: [] }, {}, true);
    expect(body).toMatchObject({ stream: true, stream_options: { include_usage: true } });
  });

  it('forwards unknown fields, but never over known ones', () => {
    const unknownFields = JSON.parse('{"provider_magic": [1], "model": "other", "__proto__": {"x": 1}}') as JsonObject;
    const { body } = posted({ messages: [], unknownFields });
    expect(body).toMatchObject({ provider_magic: [1], model: 'big-1' });
    expect(Object.getOwnPropertyDescriptor(body, '__proto__')?.value).toEqual({ x: 1 });
  });

  it('has tools, the tool choice, and whether calls are parallel', () => {
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
    expect(bodyOf({ tools: [] })).not.toHaveProperty('tools');
  });

  it("has the answer's format", () => {
    expect(bodyOf({ responseFormat: { type: 'json_object' } })).toMatchObject({
      response_format: { type: 'json_object' },
    });
    const format = { name: 'row', description: 'A row', schema: { type: 'object' }, strict: true } as const;
    expect(bodyOf({ responseFormat: { type: 'json_schema', ...format } })).toMatchObject({
      response_format: { type: 'json_schema', json_schema: format },
    });
  });

  it.each([
    [{ thinking: { mode: 'adaptive' } as const }, undefined],
    [{ thinking: { mode: 'enabled', effort: 'low' } as const }, 'low'],
    [{ thinking: { mode: 'disabled' } as const }, 'none'],
    [{ thinking: { mode: 'enabled', budgetTokens: 1_024 } as const }, 'low'],
    [{ thinking: { mode: 'enabled', budgetTokens: 4_096 } as const }, 'medium'],
    [{ thinking: { mode: 'enabled', budgetTokens: 31_999 } as const }, 'high'],
  ])('%j asks for the effort %s', (asked, effort) => {
    expect(bodyOf(asked)['reasoning_effort']).toBe(effort);
  });

  it('replaces a long user id by its hash, which is short enough', () => {
    expect(bodyOf({ endUser: 'u'.repeat(64) })['user']).toBe('u'.repeat(64));
    expect(bodyOf({ endUser: 'u'.repeat(65) })['user']).toMatch(/^[0-9a-f]{64}$/);
  });

  const functions = [{ name: 'look', parameters: {} }];
  const hints: readonly [string, Partial<GenerationRequest>][] = [
    ['output_config.effort', { thinking: { mode: 'disabled', effort: 'high' } }],
    ['tools.web_search_20250305', { tools: [...functions, { foreign: 'anthropic', name: 'web_search_20250305' }] }],
    [
      'redacted_thinking',
      { messages: [{ role: 'assistant', content: [{ type: 'thinking', text: '', signature: 's', redacted: true }] }] },
    ],
    [
      'context_management, thinking.display, metadata.session',
      {
        verbatim: {
          style: 'anthropic',
          body: {},
          only: ['context_management', 'thinking.display', 'metadata.session'],
        },
      },
    ],
  ];
  it.each(hints)('drops %s, which is a hint, and reports it, unless the provider is strict', (names, asked) => {
    const dropped = new Dropped(false);
    const { body } = posted({ messages: [], ...asked }, {}, false, dropped);
    expect(dropped.names.join(', ')).toBe(names);
    expect(JSON.stringify(body)).not.toMatch(/web_search|context_management|redacted|"high"/);
    expect(() => posted({ messages: [], ...asked }, {}, false, new Dropped(true))).toThrow(
      `${names.split(',')[0]} cannot`,
    );
  });

  it.each<[string, Partial<GenerationRequest>, RegExp]>([
    ['tools of another style', { tools: [{ foreign: 'anthropic', name: 'web_search_20250305' }] }, /web_search_2025/],
    ['the best of several', { candidates: 3 }, /best_of/],
    ['the best of several as a field that nobody knows', { unknownFields: { best_of: 20 } }, /best_of/],
    ["the best of several in a caller's body", { verbatim: { style: 'openai', body: { best_of: 20 } } }, /best_of/],
    [
      'a part of another style',
      { verbatim: { style: 'anthropic', body: {}, only: ['mcp_servers', 'container'] } },
      /^mcp_servers, container cannot/,
    ],
  ])('is refused with %s', (_, asked, message) => {
    expect(refusal(asked)).toMatch(message);
  });
});

describe("a caller's own body", () => {
  const body = { model: 'alias', messages: [{ role: 'developer', content: 'x' }], web_search_options: {} };
  const verbatim = { style: 'openai', body: { ...body, n: null } } as const;
  const messages = [textMessage('user', 'what nobody reads')];

  it('is sent unchanged except for the model, streaming and nulls', () => {
    expect(bodyOf({ verbatim, messages })).toEqual({ ...body, model: 'big-1' });
    const streamed = { ...body, stream: true, stream_options: { include_obfuscation: false, include_usage: false } };
    const asked = { messages, verbatim: { style: 'openai', body: streamed } } as const;
    expect(posted(asked, {}, true).body).toEqual({
      ...{ ...body, model: 'big-1', stream: true },
      stream_options: { include_obfuscation: false, include_usage: true },
    });
    const padded = { ...body, stream: true, stream_options: { include_obfuscation: true } };
    expect(posted({ messages, verbatim: { style: 'openai', body: padded } }, {}, true).body).toMatchObject({
      stream_options: { include_usage: true },
    });
    expect(posted(asked).body).toEqual({ ...body, model: 'big-1', stream: false });
  });

  it('gets one limit on output if it has none, or two', () => {
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
    const twice = { style: 'openai', body: { ...body, max_tokens: 5, max_completion_tokens: 7 } } as const;
    expect(bodyOf({ verbatim: twice, maxTokens: 5 }, settings)).toEqual({
      ...{ ...body, model: 'big-1' },
      max_completion_tokens: 5,
    });
  });

  it('is not sent to another style', () => {
    const sent = bodyOf({ messages, verbatim: { style: 'anthropic', body: { system: 'x' } } });
    expect(sent).toEqual({ model: 'big-1', messages: [{ role: 'user', content: 'what nobody reads' }] });
  });

  it('nested very deeply is refused', () => {
    const deep = JSON.parse(`${'['.repeat(1e5)}${']'.repeat(1e5)}`) as JsonObject[];
    expect(refusal({ verbatim: { style: 'openai', body: { ...body, deep } } })).toMatch(/nested too deeply/);
    expect(refusal({ unknownFields: { deep } })).toMatch(/nested too deeply/);
  });
});

describe('prompts for completion', () => {
  const asked: GenerationRequest = { messages: [], prompts: ['Once', 'Twice'] };

  it('are sent to their own route', () => {
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

  it("keep the route's own fields in the caller's body", () => {
    const body = { prompt: [1, 2, 3], echo: true, suffix: '.', best_of: 2 };
    const { path, body: sent } = posted({ ...asked, maxTokens: 16, verbatim: { style: 'openai-completions', body } });
    expect([path, sent]).toEqual(['/completions', { ...body, model: 'big-1', max_tokens: 16 }]);
  });

  it("are limited by their own field in the caller's body, not by that of chat completions", () => {
    const body = { prompt: 'Once', max_completion_tokens: 100_000 };
    const { body: sent } = posted({ ...asked, maxTokens: 16, verbatim: { style: 'openai-completions', body } });
    expect(sent).toMatchObject({ max_tokens: 16 });
  });

  it.each<[Partial<GenerationRequest>, RegExp]>([
    [{ tools: [] }, /tools beside/],
    [{ responseFormat: { type: 'json_object' } }, /a response format beside/],
    [{ thinking: { effort: 'low' } }, /thinking beside/],
    [{ messages: [textMessage('user', 'x')] }, /messages beside/],
    [{ verbatim: { style: 'openai', body: {}, only: ['echo'] } }, /^echo/],
  ])('are refused with fields of a conversation: %j', (more, message) => {
    expect(refusal({ ...asked, ...more })).toMatch(message);
  });
});
