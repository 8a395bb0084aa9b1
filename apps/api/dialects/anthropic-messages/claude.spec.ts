import { CLAUDE, messageOf, serveMessages, type ServedMessages } from '#test/support/messages.js';
import { says, textBlock, thinkingBlock, toolUseBlock } from '#test/support/scripted-anthropic.js';

const EPHEMERAL = { type: 'ephemeral', ttl: '1h' };

/** A body with many fields unknown here. */
const BODY = {
  ...CLAUDE,
  system: [{ type: 'text', text: 'Be brief', cache_control: EPHEMERAL }],
  messages: [
    { role: 'user', content: 'a string' },
    {
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: 'Hm', signature: 'sig' },
        { type: 'redacted_thinking', data: 'opaque' },
        { type: 'tool_use', id: 't1', name: 'look', input: { at: 'sky' }, caller: { type: 'later', tool_id: 'x' } },
      ],
    },
    {
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: 't1', content: [{ type: 'new_result', value: [1, null] }], odd: true },
        { type: 'document', source: { type: 'later', at: 1 }, citations: { enabled: true }, cache_control: EPHEMERAL },
        { type: 'block_of_next_year', deep: { a: [{ b: null }] } },
        { type: 'text', text: '', cache_control: null },
      ],
    },
    { role: 'system', content: 'in between' },
  ],
  tools: [
    { name: 'look', input_schema: { type: 'object' }, cache_control: EPHEMERAL, input_examples: [{}] },
    { type: 'web_search_20260318', name: 'web_search', max_uses: 2 },
  ],
  tool_choice: { type: 'auto', later: 1 },
  thinking: { type: 'adaptive', display: 'omitted' },
  metadata: { user_id: 'u1', more: 1 },
  context_management: { edits: [{ type: 'x' }] },
  service_tier: 'auto',
  field_of_next_year: { a: null },
};

describe('POST /v1/messages for a Claude-style model', () => {
  let served: ServedMessages;
  beforeAll(async () => {
    served = await serveMessages();
  });
  afterAll(() => served.close());

  const sent = () => served.claude.seen.at(-1)!;

  it.each([false, true])('the request is sent unchanged except for the model: stream %s', async (stream) => {
    const ours = { store: false, project_id: null, schema: null, threshold: null, include_spans: null };
    const { status } = await served.post({ ...BODY, ...ours, stream });
    expect(status).toBe(200);
    expect(sent().body).toEqual({ ...BODY, model: 'claude', stream });
  });

  it('accepts a body without `stream`, and a system prompt that is a string', async () => {
    const body = { ...CLAUDE, system: 'Be brief' };
    await served.post(body);
    expect(sent().body).toEqual({ ...body, model: 'claude' });
  });

  it.each([
    [{}, '2023-06-01', undefined],
    [{ 'anthropic-version': '2023-06-01', 'anthropic-beta': 'a-1,b-2' }, '2023-06-01', 'a-1,b-2'],
    [{ 'anthropic-version': '2026-10-21' }, '2026-10-21', undefined],
  ])('forwards the version and the betas: %j', async (headers, version, betas) => {
    await served.post(CLAUDE, headers);
    expect([sent().headers['anthropic-version'], sent().headers['anthropic-beta']]).toEqual([version, betas]);
    expect(sent().headers['x-api-key']).not.toBe(served.api.key);
  });

  const CITATION = { type: 'char_location', cited_text: 'x', document_index: 0 };
  const SEARCH = { type: 'server_tool_use', id: 's1', name: 'web_search', input: { query: 'q' } };
  const FOUND = {
    type: 'web_search_tool_result',
    tool_use_id: 's1',
    content: [{ type: 'web_search_result', url: 'u' }],
  };
  const ANSWER = {
    content: [
      thinkingBlock('Let me think', 'sig'),
      { type: 'redacted_thinking', data: 'opaque' },
      SEARCH,
      FOUND,
      { ...textBlock('It is so'), citations: [CITATION] },
      toolUseBlock('t1', 'look', { at: 'sky' }),
      toolUseBlock('t2', 'rest', {}),
    ],
    usage: {
      ...{ input_tokens: 12, output_tokens: 30, cache_read_input_tokens: 5, cache_creation_input_tokens: 7 },
      output_tokens_details: { thinking_tokens: 9, later: 1 },
      cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 7 },
      server_tool_use: { web_search_requests: 1 },
      service_tier: 'standard',
    },
    fields: { container: { id: 'c1' }, pioneer_inference_id: 'of another installation' },
  };

  it.each(['whole', 'stream'])('returns every block and count as the provider sent it: %s', async (way) => {
    served.claude.script(says(ANSWER));
    const message = way === 'whole' ? (await served.post(CLAUDE)).body : messageOf(await served.stream(CLAUDE));
    const content = message.content.map(({ json, ...block }: { json?: string }) =>
      json === undefined ? block : { ...block, input: JSON.parse(json) },
    );
    const direct = { caller: { type: 'direct' } };
    expect(content).toEqual([
      ...ANSWER.content.slice(0, 5),
      { ...ANSWER.content[5], ...direct },
      { ...ANSWER.content[6], ...direct },
    ]);
    expect(message).toMatchObject({
      ...{ model: 'acme/claude', stop_reason: 'tool_use', container: { id: expect.stringMatching(/^c1\./) } },
      usage: { ...ANSWER.usage, inference_geo: null },
    });
    await served.post({ ...CLAUDE, container: message.container.id });
    expect(served.claude.seen.at(-1)!.body.container).toBe('c1');
    expect(message.id).toMatch(/^msg_[0-9a-f-]{36}$/);
    expect(message.pioneer_inference_id).toBe(message.id.slice(4));
  });

  it("a stream begins with the provider's count of input tokens", async () => {
    served.claude.script(says(ANSWER));
    const [start] = await served.stream(CLAUDE);
    expect(start.message.usage).toMatchObject({ input_tokens: 12, cache_read_input_tokens: 5, output_tokens: 1 });
  });

  it.each([
    ['stop_sequence', 'END'],
    ['model_context_window_exceeded', undefined],
    ['pause_turn', undefined],
    ['reason_of_next_year', undefined],
  ])('keeps the provider’s own stop reason: %s', async (stopReason, stopSequence) => {
    served.claude.script(says({ content: 'x', stopReason, ...(stopSequence !== undefined && { stopSequence }) }));
    for (const message of [(await served.post(CLAUDE)).body, messageOf(await served.stream(CLAUDE))])
      expect([message.stop_reason, message.stop_sequence]).toEqual([stopReason, stopSequence ?? null]);
  });

  it('passes on the reason for a refusal', async () => {
    const stop_details = { type: 'refusal', category: 'bio', explanation: 'no' };
    served.claude.script(says({ content: '', stopReason: 'refusal', fields: { stop_details } }));
    expect((await served.post(CLAUDE)).body).toMatchObject({ stop_reason: 'refusal', stop_details });
  });

  it('accepts max_tokens: 0, which only fills the cache', async () => {
    served.claude.script(says({ content: [], stopReason: 'max_tokens' }));
    const { body } = await served.post({ ...CLAUDE, max_tokens: 0 });
    expect([body.content, body.stop_reason, sent().body.max_tokens]).toEqual([[], 'max_tokens', 0]);
  });
});
