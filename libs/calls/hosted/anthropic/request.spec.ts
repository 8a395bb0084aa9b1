import type { JsonObject } from '#domain/json.js';
import { CLAUDE_KEY, CLAUDE_REQUEST, ClaudeForTests } from '#test/support/claude.js';
import { textMessage, type GenerationRequest } from '../port.js';

const ephemeral = { type: 'ephemeral' };
const HELLO = [{ role: 'user', content: 'Say hello' }];

describe('a request to a hosted model of style anthropic', () => {
  const claude = new ClaudeForTests();
  beforeEach(() => claude.start());
  afterEach(() => claude.stop());

  it('has the key, the version and the body', async () => {
    const body = await claude.sent({
      messages: [textMessage('system', 'Be brief'), textMessage('user', 'Say hello')],
      temperature: 0.5,
      topK: 5,
      stop: ['END'],
      endUser: 'user-1',
      unknownFields: { service_tier: 'auto' },
    });
    expect(claude.provider.seen[0]).toMatchObject({ path: '/v1/messages' });
    const { headers } = claude.provider.seen[0]!;
    expect(headers).toMatchObject({ 'x-api-key': CLAUDE_KEY, 'anthropic-version': '2023-06-01' });
    expect(headers).not.toHaveProperty('authorization');
    expect(headers).not.toHaveProperty('anthropic-beta');
    expect(body).toEqual({
      ...{ model: 'claude-1', max_tokens: 20, stream: true, service_tier: 'auto' },
      ...{ system: 'Be brief', messages: [{ role: 'user', content: 'Say hello' }] },
      ...{ temperature: 0.5, top_k: 5, stop_sequences: ['END'], metadata: { user_id: 'user-1' } },
    });
  });

  it('is for a whole answer on request, and gets a token limit if it has none', async () => {
    const { maxTokens: _, ...unlimited } = CLAUDE_REQUEST;
    await claude.generate(unlimited, { stream: false });
    expect(claude.provider.seen[0]!.body).toMatchObject({ max_tokens: 4096, stream: false });
  });

  it("has the operator's version and betas, and those of a caller of the same style", async () => {
    claude.open({ headers: { 'Anthropic-Beta': 'a-2026', 'anthropic-version': '2026-10-21' } });
    await claude.sent({});
    expect(claude.provider.seen[0]!.headers).toMatchObject({
      'anthropic-version': '2026-10-21',
      'anthropic-beta': 'a-2026',
    });
    const headers = { 'anthropic-version': '2023-06-01', 'anthropic-beta': 'b-2026,c-2026', 'x-api-key': 'theirs' };
    await claude.sent({ verbatim: { style: 'anthropic', body: { messages: [] }, headers } });
    expect(claude.provider.seen[1]!.headers).toMatchObject({
      ...{ 'anthropic-version': '2023-06-01', 'anthropic-beta': 'a-2026,b-2026,c-2026', 'x-api-key': CLAUDE_KEY },
    });
  });

  it('of the same style is unchanged, except the model and streaming', async () => {
    const body: JsonObject = {
      ...{ model: 'acme/claude', max_tokens: 7, messages: [{ role: 'user', content: [{ type: 'new', x: null }] }] },
      ...{ thinking: { type: 'between_tools' }, tools: [{ type: 'web_search_20260318', name: 'web_search' }] },
      ...{ system: [{ type: 'text', text: 'Be brief', cache_control: { type: 'ephemeral', ttl: '1h' } }] },
    };
    const verbatim = { style: 'anthropic', body } as const;
    expect(await claude.sent({ verbatim, maxTokens: 7 })).toEqual({ ...body, model: 'claude-1', stream: true });
    expect(await claude.sent({ verbatim, seed: 1 }, { stream: false })).toEqual({ ...body, model: 'claude-1' });
  });

  it("has turns: system apart, messages of one side joined, results first, with the caller's cache markers", async () => {
    const { system, messages } = await claude.sent({
      messages: [
        { role: 'system', content: [{ type: 'text', text: 'Long', cacheControl: ephemeral }] },
        textMessage('user', 'One'),
        { role: 'user', content: [{ type: 'text', text: 'Two', cacheControl: ephemeral }] },
        {
          role: 'assistant',
          content: [
            { type: 'thinking', text: 'Hm', signature: 'sig' },
            { type: 'thinking', text: '', signature: 'opaque', redacted: true },
            { type: 'text', text: '' },
            { type: 'tool-call', id: 't1', name: 'look', input: '{"a": 1}' },
            { type: 'tool-call', id: 't2', name: 'look', input: '' },
          ],
        },
        textMessage('user', 'Also'),
        {
          role: 'tool',
          name: 'look',
          content: [{ type: 'tool-result', id: 't1', content: [{ type: 'text', text: '42' }] }],
        },
        { role: 'tool', content: [{ type: 'tool-result', id: 't2', content: [], isError: true }] },
        textMessage('system', 'Later'),
      ],
    });
    expect(system).toEqual([
      { type: 'text', text: 'Long', cache_control: ephemeral },
      { type: 'text', text: 'Later' },
    ]);
    expect(messages).toEqual([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'One' },
          { type: 'text', text: 'Two', cache_control: ephemeral },
        ],
      },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'Hm', signature: 'sig' },
          { type: 'redacted_thinking', data: 'opaque' },
          { type: 'tool_use', id: 't1', name: 'look', input: { a: 1 } },
          { type: 'tool_use', id: 't2', name: 'look', input: {} },
        ],
      },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 't1', content: '42' },
          { type: 'tool_result', tool_use_id: 't2', is_error: true },
          { type: 'text', text: 'Also' },
        ],
      },
    ]);
  });

  it('has images and documents of every source', async () => {
    const image = { type: 'image', source: { kind: 'base64', mediaType: 'image/png', data: 'QUJD' } } as const;
    claude.open({ allow_fields: ['file_id'] });
    const { messages } = await claude.sent({
      messages: [
        { role: 'assistant', content: [{ type: 'tool-call', id: 't', name: 'look', input: '{}' }] },
        {
          role: 'user',
          content: [
            { ...image, detail: 'high', cacheControl: ephemeral },
            { type: 'image', source: { kind: 'url', url: 'https://example.com/a.png' } },
            { type: 'image', source: { kind: 'file', id: 'file_1' } },
            { type: 'document', source: { kind: 'base64', mediaType: 'application/pdf', data: 'QUJD' }, title: 'A' },
            { type: 'document', source: { kind: 'base64', mediaType: 'text/plain', data: 'QUJD' } },
            { type: 'document', source: { kind: 'text', text: 'plain' } },
            { type: 'document', source: { kind: 'url', url: 'https://example.com/a.pdf' } },
            { type: 'document', source: { kind: 'file', id: 'file_2' } },
            { type: 'tool-result', id: 't', content: [image] },
          ],
        },
      ],
    });
    const png = { type: 'base64', media_type: 'image/png', data: 'QUJD' };
    const plain = (data: string) => ({ type: 'document', source: { type: 'text', media_type: 'text/plain', data } });
    expect(messages[1].content).toEqual([
      { type: 'tool_result', tool_use_id: 't', content: [{ type: 'image', source: png }] },
      { type: 'image', source: png, cache_control: ephemeral },
      { type: 'image', source: { type: 'url', url: 'https://example.com/a.png' } },
      { type: 'image', source: { type: 'file', file_id: 'file_1' } },
      {
        ...{ type: 'document', title: 'A' },
        source: { type: 'base64', media_type: 'application/pdf', data: 'QUJD' },
      },
      ...[plain('ABC'), plain('plain')],
      { type: 'document', source: { type: 'url', url: 'https://example.com/a.pdf' } },
      { type: 'document', source: { type: 'file', file_id: 'file_2' } },
    ]);
  });

  const tool = { name: 'look', description: 'Looks', strict: false, parameters: { type: 'object', properties: {} } };
  it.each<[string, Partial<GenerationRequest>, object]>([
    ['auto', { toolChoice: 'auto' }, { tool_choice: { type: 'auto' } }],
    ['required', { toolChoice: 'required' }, { tool_choice: { type: 'any' } }],
    ['none', { toolChoice: 'none', parallelToolCalls: false }, { tool_choice: { type: 'none' } }],
    ['one', { toolChoice: { name: 'look' } }, { tool_choice: { type: 'tool', name: 'look' } }],
    ['nothing', { parallelToolCalls: true }, {}],
    ['one at a time', { parallelToolCalls: false }, { tool_choice: { type: 'auto', disable_parallel_tool_use: true } }],
    [
      'one at a time of all',
      { toolChoice: 'required', parallelToolCalls: false },
      { tool_choice: { type: 'any', disable_parallel_tool_use: true } },
    ],
  ])('has tools, and how they are chosen: %s', async (_, asked, choice) => {
    const strict = { name: 'find', parameters: {}, strict: true, cacheControl: ephemeral };
    const { tools, tool_choice } = await claude.sent({ tools: [tool, strict], ...asked });
    expect(tools).toEqual([
      { name: 'look', description: 'Looks', input_schema: tool.parameters },
      {
        name: 'find',
        input_schema: { type: 'object', additionalProperties: false },
        strict: true,
        cache_control: ephemeral,
      },
    ]);
    expect({ tool_choice }).toEqual({ tool_choice: undefined, ...choice });
  });

  it('has no tool choice without tools', async () => {
    expect(await claude.sent({ toolChoice: 'auto', parallelToolCalls: false })).not.toHaveProperty('tool_choice');
  });

  it.each<[Partial<GenerationRequest>, object]>([
    [
      { maxTokens: 4_096, thinking: { mode: 'enabled', budgetTokens: 2048 } },
      { thinking: { type: 'enabled', budget_tokens: 2048 } },
    ],
    [{ thinking: { mode: 'enabled' } }, { thinking: { type: 'adaptive' } }],
    [{ thinking: { mode: 'disabled' } }, { thinking: { type: 'disabled' } }],
    [{ thinking: { effort: 'none' } }, { thinking: { type: 'disabled' } }],
    [{ thinking: { effort: 'minimal' } }, { output_config: { effort: 'low' } }],
    [{ thinking: { effort: 'high' } }, { output_config: { effort: 'high' } }],
    [
      { thinking: { mode: 'adaptive', effort: 'max' } },
      { thinking: { type: 'adaptive' }, output_config: { effort: 'max' } },
    ],
    [
      { responseFormat: { type: 'json_schema', name: 'row', strict: true, schema: { type: 'object' } } },
      { output_config: { format: { type: 'json_schema', schema: { type: 'object', additionalProperties: false } } } },
    ],
  ])('has thinking and a format: %j', async (asked, expected) => {
    const { model: _, messages: __, max_tokens: ___, stream: ____, ...rest } = await claude.sent(asked);
    expect(rest).toEqual(expected);
  });

  const user = (part: GenerationRequest['messages'][number]['content'][number]) => ({
    messages: [{ role: 'user', content: [part] } as const],
  });
  it.each<[string, Partial<GenerationRequest>]>([
    ['prompt', { messages: [], prompts: ['Once'] }],
    ['n, best_of', { choices: 2, candidates: 2 }],
    ['logprobs', { logprobs: { top: 2 } }],
    ['logit_bias', { logitBias: { '5': 1 } }],
    ['audio', user({ type: 'audio', format: 'wav', data: '' })],
    ['odd parts', user({ type: 'foreign', style: 'openai', name: 'odd' })],
    [
      'a document of type text/csv',
      user({ type: 'document', source: { kind: 'base64', mediaType: 'text/csv', data: '' } }),
    ],
    ['the tool web_search', { tools: [{ foreign: 'openai-responses', name: 'web_search' }] }],
    ['audio_config', { verbatim: { style: 'openai', body: {}, only: ['audio_config'] } }],
  ])('is refused with %s', async (what, asked) => {
    expect(await claude.failure({ ...CLAUDE_REQUEST, ...asked })).toMatchObject({
      ...{ kind: 'rejected', message: expect.stringMatching(`^${what} cannot be sent to this model's provider`) },
      details: { upstreamStatus: 422 },
    });
    expect(claude.provider.seen).toEqual([]);
  });

  const call = { type: 'tool-call', id: 't1', name: 'look', input: '' } as const;
  const hints: readonly [string, Partial<GenerationRequest>, object][] = [
    ['seed', { seed: 1 }, {}],
    ['verbosity', { verbosity: 'low' }, {}],
    ['prompt_cache_key', { promptCacheKey: 'k' }, {}],
    ['prompt_cache_retention', { promptCacheRetention: '24h' }, {}],
    ['service_tier', { serviceTier: 'flex' }, {}],
    ['response_format', { responseFormat: { type: 'json_object' } }, {}],
    ['frequency_penalty, presence_penalty', { frequencyPenalty: 1, presencePenalty: -1 }, {}],
    ['temperature', { temperature: 1.5 }, { temperature: 1 }],
    ['top_p', { temperature: 0.5, topP: 0.9 }, { temperature: 0.5 }],
    ['stop', { stop: ['\n', 'END'] }, { stop_sequences: ['END'] }],
    ['messages.name', { messages: [{ ...textMessage('user', 'Say hello'), name: 'Ann' }] }, {}],
    [
      'reasoning_content',
      {
        messages: [
          textMessage('user', 'Say hello'),
          { role: 'assistant', content: [{ type: 'thinking', text: 'Hm' }] },
          {
            role: 'assistant',
            content: [
              { type: 'thinking', text: 'Hm' },
              { type: 'text', text: 'Hello' },
            ],
          },
        ],
      },
      { messages: [...HELLO, { role: 'assistant', content: 'Hello' }] },
    ],
    [
      'image_url.detail',
      user({ type: 'image', detail: 'low', source: { kind: 'url', url: 'https://a.example/b.png' } }),
      {
        messages: [
          { role: 'user', content: [{ type: 'image', source: { type: 'url', url: 'https://a.example/b.png' } }] },
        ],
      },
    ],
    [
      'tools.web_search',
      { tools: [tool, { foreign: 'openai-responses', name: 'web_search' }] },
      { tools: [{ name: 'look', description: 'Looks', input_schema: tool.parameters }] },
    ],
    [
      'reasoning.context, client_metadata',
      { verbatim: { style: 'openai-responses', body: {}, only: ['reasoning.context', 'client_metadata'] } },
      {},
    ],
    [
      'reasoning_content, thinking',
      {
        maxTokens: 4_096,
        thinking: { mode: 'enabled', budgetTokens: 2_048 },
        messages: [{ role: 'assistant', content: [{ type: 'thinking', text: 'Hm' }, call] }],
      },
      { messages: [{ role: 'assistant', content: [{ type: 'tool_use', id: 't1', name: 'look', input: {} }] }] },
    ],
  ];
  it.each(hints)('drops %s, which is a hint, and reports it', async (names, asked, sent) => {
    const dropped: string[] = [];
    const onDropped = (told: readonly string[]) => dropped.push(...told);
    expect(await claude.sent(asked, { onDropped })).toEqual({
      ...{ model: 'claude-1', max_tokens: asked.maxTokens ?? 20, stream: true, messages: HELLO },
      ...sent,
    });
    expect(dropped.join(', ')).toBe(names);
  });

  it.each(hints)('is refused with %s, if its entry says strict', async (names, asked) => {
    claude.open({ strict: true });
    const { message } = await claude.failure({ ...CLAUDE_REQUEST, ...asked });
    expect(message).toBe(`${names.split(', ')[0]} cannot be sent to this model's provider`);
    expect(claude.provider.seen).toEqual([]);
  });

  it('omits penalties and similar fields without effect', async () => {
    const body = await claude.sent({ choices: 1, frequencyPenalty: 0, presencePenalty: 0, logitBias: {} });
    expect(Object.keys(body).sort()).toEqual(['max_tokens', 'messages', 'model', 'stream']);
  });
});
