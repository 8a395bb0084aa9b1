import { InvalidError } from '#domain/errors.js';
import { decodeMessages, type MessagesDialect } from './decode.js';

const DIALECT: MessagesDialect = {
  version: '2023-06-01',
  headers: { 'anthropic-version': '2023-06-01' },
  generates: true,
};
const user = (content: unknown) => [{ role: 'user', content }];
const BODY = { model: 'm', max_tokens: 10, messages: user('Hi') };

const generation = (more: object, dialect: Partial<MessagesDialect> = {}) =>
  decodeMessages({ ...BODY, ...more }, { ...DIALECT, ...dialect }).generation;
/** The fields that only a provider of the same style can carry. */
const only = (more: object) => generation(more).verbatim!.only ?? [];

/** Paths and types of the faults. */
function refused(body: unknown, dialect: Partial<MessagesDialect> = {}): readonly string[] {
  try {
    decodeMessages(body, { ...DIALECT, ...dialect });
    return [];
  } catch (error) {
    if (!(error instanceof InvalidError)) throw error;
    return error.fields.map(({ path, type }) => `${path.slice(1).join('.')}: ${type}`);
  }
}

describe('the body of POST /v1/messages', () => {
  it('translates every field that other styles have', () => {
    const asked = generation({
      system: [{ type: 'text', text: 'Be brief', cache_control: { type: 'ephemeral', ttl: '1h' } }],
      temperature: 0.5,
      top_p: 0.9,
      top_k: 40,
      stop_sequences: ['END'],
      tools: [
        { name: 'look', description: 'Looks', input_schema: { type: 'object' }, strict: true, cache_control: {} },
        { type: 'web_search_20260318', name: 'web_search', max_uses: 1 },
      ],
      tool_choice: { type: 'any', disable_parallel_tool_use: true },
      thinking: { type: 'enabled', budget_tokens: 2048 },
      output_config: { effort: 'low', format: { type: 'json_schema', schema: { type: 'object' } } },
      metadata: { user_id: 'u1' },
      future: { field: 1 },
    });
    const { verbatim: _, ...rest } = asked;
    expect(rest).toEqual({
      messages: [
        {
          role: 'system',
          content: [{ type: 'text', text: 'Be brief', cacheControl: { type: 'ephemeral', ttl: '1h' } }],
        },
        { role: 'user', content: [{ type: 'text', text: 'Hi' }] },
      ],
      maxTokens: 10,
      temperature: 0.5,
      topP: 0.9,
      topK: 40,
      stop: ['END'],
      tools: [
        { name: 'look', description: 'Looks', parameters: { type: 'object' }, strict: true, cacheControl: {} },
        { foreign: 'anthropic', name: 'web_search_20260318' },
      ],
      toolChoice: 'required',
      parallelToolCalls: false,
      thinking: { mode: 'enabled', budgetTokens: 2048, effort: 'low' },
      responseFormat: { type: 'json_schema', name: 'output', schema: { type: 'object' }, strict: true },
      endUser: 'u1',
      unknownFields: { future: { field: 1 } },
    });
  });

  it.each([
    [{ type: 'auto' }, { toolChoice: 'auto' }],
    [{ type: 'none' }, { toolChoice: 'none' }],
    [{ type: 'tool', name: 'look', disable_parallel_tool_use: false }, { toolChoice: { name: 'look' } }],
  ])('is decoded with tool_choice %j', (tool_choice, expected) => {
    const { toolChoice, parallelToolCalls } = generation({ tool_choice });
    expect({ toolChoice, ...(parallelToolCalls !== undefined && { parallelToolCalls }) }).toEqual(expected);
  });

  it.each([
    [{ thinking: { type: 'disabled' } }, { mode: 'disabled' }],
    [
      { thinking: { type: 'adaptive' }, output_config: { effort: 'max' } },
      { mode: 'adaptive', effort: 'max' },
    ],
    [{ output_config: { effort: 'high' } }, { effort: 'high' }],
    [{ thinking: null, output_config: { effort: null } }, undefined],
  ])('is decoded with thinking %j', (asked, expected) => {
    expect(generation(asked).thinking).toEqual(expected);
  });

  it('may give a schema in the older field', () => {
    const older = { type: 'json_schema', schema: { title: 'older' } };
    const newer = { type: 'json_schema', schema: { title: 'newer' } };
    const titled = (more: object) => (generation(more).responseFormat as { schema: object }).schema;
    expect(titled({ output_format: older })).toEqual({ title: 'older' });
    expect(titled({ output_format: older, output_config: { format: newer } })).toEqual({ title: 'newer' });
    expect(titled({ output_format: older, output_config: { effort: 'low' } })).toEqual({ title: 'older' });
  });

  it('may contain blocks of every kind', () => {
    const document = (source: object, more: object = {}) => ({ type: 'document', source, ...more });
    const { messages } = generation({
      messages: user([
        { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } },
        { type: 'image', source: { type: 'url', url: 'https://example.com/a.png' } },
        { type: 'image', source: { type: 'file', file_id: 'file_1' }, cache_control: { type: 'ephemeral' } },
        document(
          { type: 'text', media_type: 'text/plain', data: 'One' },
          { title: 'T', citations: { enabled: false } },
        ),
        document({
          type: 'content',
          content: [
            { type: 'text', text: 'a' },
            { type: 'text', text: 'b' },
          ],
        }),
        document({ type: 'content', content: [{ type: 'image', source: {} }] }),
        { type: 'search_result', source: 's', title: 't', content: [] },
      ]),
    });
    expect(messages[0]!.content).toEqual([
      { type: 'image', source: { kind: 'base64', mediaType: 'image/png', data: 'AAAA' } },
      { type: 'image', source: { kind: 'url', url: 'https://example.com/a.png' } },
      { type: 'image', source: { kind: 'file', id: 'file_1' }, cacheControl: { type: 'ephemeral' } },
      { type: 'document', source: { kind: 'text', text: 'One' }, title: 'T' },
      { type: 'document', source: { kind: 'text', text: 'a\nb' } },
      { type: 'foreign', style: 'anthropic', name: 'document' },
      { type: 'text', text: 'search_result {"source":"s","title":"t","content":[]}' },
    ]);
  });

  it('keeps thinking and tool calls of a turn; tool results become messages, in order', () => {
    const { messages } = generation({
      messages: [
        {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: 'Hm', signature: 'sig' },
            { type: 'redacted_thinking', data: 'opaque' },
            { type: 'tool_use', id: 't1', name: 'look', input: { at: 'sky' }, caller: { type: 'direct' } },
          ],
        },
        {
          role: 'user',
          content: [
            { type: 'tool_result', tool_use_id: 't1', content: 'blue', is_error: true },
            {
              type: 'tool_result',
              tool_use_id: 't2',
              content: [{ type: 'text', text: 'x' }, { type: 'tool_reference' }],
            },
            { type: 'tool_result', tool_use_id: 't3' },
            { type: 'text', text: 'So?' },
          ],
        },
      ],
    });
    expect(messages).toEqual([
      {
        role: 'assistant',
        content: [
          { type: 'thinking', text: 'Hm', signature: 'sig' },
          { type: 'thinking', text: '', signature: 'opaque', redacted: true },
          { type: 'tool-call', id: 't1', name: 'look', input: '{"at":"sky"}' },
        ],
      },
      {
        role: 'tool',
        content: [
          { type: 'tool-result', id: 't1', content: [{ type: 'text', text: 'blue' }], isError: true },
          {
            type: 'tool-result',
            id: 't2',
            content: [
              { type: 'text', text: 'x' },
              { type: 'foreign', style: 'anthropic', name: 'tool_reference' },
            ],
          },
          { type: 'tool-result', id: 't3', content: [] },
        ],
      },
      { role: 'user', content: [{ type: 'text', text: 'So?' }] },
    ]);
  });

  it.each([
    [7, '7'],
    [{ id: 'u1' }, '{"id":"u1"}'],
  ])('takes the id %j of a user as a text', (user_id, id) => {
    const { endUser, verbatim } = generation({ metadata: { user_id } });
    expect([endUser, verbatim!.body['metadata']]).toEqual([id, { user_id: id }]);
  });

  it('is checked for fields that no other style carries, which are named', () => {
    expect(
      only({
        messages: user([
          { type: 'text', text: 'x', citations: [{ type: 'char_location' }] },
          { type: 'document', source: { type: 'url', url: 'u' }, context: 'c', citations: { enabled: true } },
          { type: 'image', source: { type: 'url', url: 'u' }, transformations: { oversized_image: 'error' } },
        ]),
        tools: [{ name: 'f', input_schema: {}, input_examples: [{}], defer_loading: true, allowed_callers: ['x'] }],
        tool_choice: { type: 'auto', later: 1 },
        thinking: { type: 'between_tools', display: 'omitted' },
        output_config: { effort: 'extreme', task_budget: { total: 1 } },
        metadata: { user_id: null, more: 'x' },
        max_tokens: 0,
        ...{ container: 'c1', service_tier: 'standard_only', mcp_servers: [{}], n: 2 },
      }).toSorted(),
    ).toEqual([
      'container.id',
      'max_tokens',
      'mcp_servers',
      'messages.0.content.0.citations',
      'messages.0.content.1.citations',
      'messages.0.content.1.context',
      'messages.0.content.2.transformations',
      'metadata.more',
      'n',
      'output_config.effort',
      'output_config.task_budget',
      'service_tier',
      'thinking.display',
      'thinking.type',
      'tool_choice.later',
      'tools.0.allowed_callers',
      'tools.0.input_examples',
      'tools.defer_loading',
    ]);
  });

  it('names no fields without effect', () => {
    expect(
      only({
        messages: [
          { role: 'assistant', content: [{ type: 'text', text: 'x', citations: null }] },
          { role: 'system', content: 'y' },
        ],
        tools: [{ type: 'custom', name: 'f', input_schema: {}, allowed_callers: ['direct'], defer_loading: false }],
        ...{ container: null, service_tier: 'auto', speed: 'standard', mcp_servers: [], cache_control: {}, n: 1 },
      }),
    ).toEqual([]);
  });

  it('is forwarded unchanged, except for the fields of this installation', () => {
    const body = {
      ...BODY,
      messages: [...user([{ type: 'new_kind', deep: [{ a: null }] }]), { role: 'user', content: 'x', odd: 1 }],
      system: 'S',
      tools: [],
      future: null,
    };
    const ours = { store: false, threshold: 0.1, schema: null, project_id: null, include_spans: true };
    const { verbatim } = decodeMessages({ ...body, ...ours }, DIALECT).generation;
    expect(verbatim).toMatchObject({ style: 'anthropic', headers: DIALECT.headers });
    expect(verbatim!.body).toEqual(body);
  });

  it.each<[string, unknown, readonly string[]]>([
    ['nothing', {}, ['model: missing', 'messages: missing', 'max_tokens: missing']],
    ['null for a required field', { ...BODY, max_tokens: null }, ['max_tokens: missing']],
    ['no messages', { ...BODY, messages: [] }, ['messages: out_of_range']],
    ['a text for a number', { ...BODY, max_tokens: 'ten' }, ['max_tokens: wrong_type']],
    ['half a token', { ...BODY, max_tokens: 1.5 }, ['max_tokens: wrong_type']],
    ['less than none', { ...BODY, max_tokens: -1 }, ['max_tokens: out_of_range']],
    ['heat', { ...BODY, temperature: 1.1 }, ['temperature: out_of_range']],
    ['a role', { ...BODY, messages: [{ role: 'human', content: 'x' }] }, ['messages.0.role: not_allowed']],
    ['an invalid message', { ...BODY, messages: ['x'] }, ['messages.0: wrong_type']],
    ['content of a number', { ...BODY, messages: user(5) }, ['messages.0.content: wrong_type']],
    ['a block without type', { ...BODY, messages: user([{}]) }, ['messages.0.content.0.type: missing']],
    [
      'a text block without text',
      { ...BODY, messages: user([{ type: 'text' }]) },
      ['messages.0.content.0.text: missing'],
    ],
    [
      'an image without data',
      { ...BODY, messages: user([{ type: 'image', source: { type: 'base64', media_type: 'image/png' } }]) },
      ['messages.0.content.0.source.data: missing'],
    ],
    ['a tool without schema', { ...BODY, tools: [{ name: 'f' }] }, ['tools.0.input_schema: missing']],
    ['a choice without name', { ...BODY, tool_choice: { type: 'tool' } }, ['tool_choice.name: missing']],
    ['no budget', { ...BODY, thinking: { type: 'enabled' } }, ['thinking.budget_tokens: missing']],
    [
      'a small budget',
      { ...BODY, thinking: { type: 'enabled', budget_tokens: 5 } },
      ['thinking.budget_tokens: out_of_range'],
    ],
    ['a stop that is not a string', { ...BODY, stop_sequences: [1] }, ['stop_sequences.0: wrong_type']],
    [
      'a marker that is not an object',
      { ...BODY, messages: user([{ type: 'text', text: 'x', cache_control: 'y' }]) },
      ['messages.0.content.0.cache_control: wrong_type'],
    ],
  ])('is refused: %s', (_, body, expected) => {
    expect(refused(body)).toEqual(expected);
  });

  it.each(['temperature', 'top_p', 'top_k'])('version 2026-10-21 refuses %s', (field) => {
    const body = { ...BODY, [field]: 1 };
    expect(refused(body)).toEqual([]);
    expect(refused(body, { version: '2026-10-21' })).toEqual([`${field}: not_allowed`]);
    expect(refused({ ...BODY, [field]: null }, { version: '2026-10-21' })).toEqual([]);
  });

  it("carries a source's extra fields only to providers of the same style", () => {
    const text = { type: 'text', text: 'x', citations: [{ type: 'char_location' }] };
    const content = [
      { type: 'document', source: { type: 'content', content: [text], odd: 1 } },
      { type: 'image', source: { type: 'url', url: 'https://x.example/y.png', odd: 2 } },
    ];
    expect(only({ messages: [{ role: 'user', content }] })).toEqual([
      'messages.0.content.0.source.odd',
      'messages.0.content.0.source.content.0.citations',
      'messages.0.content.1.source.odd',
    ]);
  });

  it('needs no max_tokens when tokens are only counted', () => {
    const { max_tokens: _, ...body } = BODY;
    expect(refused(body)).toEqual(['max_tokens: missing']);
    expect(refused(body, { generates: false })).toEqual([]);
  });
});
