import type { Samples } from './samples.js';

const hello = { role: 'user', content: 'Hello' };
const ephemeral = { cache_control: { type: 'ephemeral' } };
const text = (more: object = {}) => ({ type: 'text', text: 'Marked', ...more });
const user = (...content: readonly object[]) => ({ messages: [{ role: 'user', content: [...content, text()] }] });
const assistant = (...content: readonly object[]) => ({ messages: [hello, { role: 'assistant', content }, hello] });
const image = (more: object = {}) => ({
  ...{ type: 'image', source: { type: 'url', url: 'https://example.com/a.png' } },
  ...more,
});
const pdf = (more: object = {}) => ({
  ...{ type: 'document', title: 'a.pdf', source: { type: 'base64', media_type: 'application/pdf', data: 'JVBERg==' } },
  ...more,
});
const calling = (call: object = {}, result: object = {}) => ({
  messages: [
    hello,
    { role: 'assistant', content: [{ type: 'tool_use', id: 't1', name: 'look', input: { a: 'b' }, ...call }] },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't1', content: 'Sunny', ...result }] },
    hello,
  ],
});
const reminding = (fields: object) => ({
  messages: [hello, { role: 'system', content: 'Be brief', ...fields }, hello],
});
const schema = { type: 'object', properties: { a: { type: 'string' } }, additionalProperties: false };
const tool = (more: object = {}) => ({
  tools: [{ type: 'custom', name: 'look', description: 'Looks', input_schema: schema, strict: true, ...more }],
});
const choosing = (tool_choice: object) => ({ ...tool(), tool_choice });
const thinking = (fields: object) => ({ max_tokens: 4096, thinking: fields });
const format = { type: 'json_schema', schema };

export const MESSAGES_SAMPLES: Samples = {
  base: { messages: [hello], max_tokens: 9 },
  bodies: {
    model: {},
    fallbacks: { fallbacks: [{ model: 'claude' }] },
    stream: { stream: true },
    system: { system: 'Be brief' },
    'system.text': { system: [text()] },
    'system.cache_control': { system: [text(ephemeral)] },
    'system.citations': { system: [text({ citations: [{ type: 'char_location' }] })] },
    'messages.content': { messages: [{ role: 'user', content: 'Hi there' }] },
    'messages.content[text].text': user(),
    'messages.content[text].cache_control': user(text(ephemeral)),
    'messages.content[text].citations': user(text({ citations: [{ type: 'char_location' }] })),
    'messages.content[image].source': user(image()),
    'messages.content[image].cache_control': user(image(ephemeral)),
    'messages.content[image].transformations': user(image({ transformations: { oversized_image: 'reject' } })),
    'messages.content[document].source': user(pdf()),
    'messages.content[document].title': user(pdf()),
    'messages.content[document].context': user(pdf({ context: 'A manual' })),
    'messages.content[document].citations': user(pdf({ citations: { enabled: true } })),
    'messages.content[document].cache_control': user(pdf(ephemeral)),
    'messages.content[thinking].thinking': assistant({ type: 'thinking', thinking: 'Hm', signature: 'sig' }, text()),
    'messages.content[thinking].signature': assistant({ type: 'thinking', thinking: 'Hm', signature: 'sig' }, text()),
    'messages.content[redacted_thinking]': assistant({ type: 'redacted_thinking', data: 'opaque' }, text()),
    'messages.content[tool_use].id': calling(),
    'messages.content[tool_use].name': calling(),
    'messages.content[tool_use].input': calling(),
    'messages.content[tool_use].cache_control': calling(ephemeral),
    'messages.content[tool_use].caller': calling({ caller: { type: 'code_execution_20260120', tool_id: 't0' } }),
    'messages.content[tool_use].toolset_name': calling({ toolset_name: 'browser' }),
    'messages.content[tool_result].tool_use_id': calling(),
    'messages.content[tool_result].content': calling(),
    'messages.content[tool_result].is_error': calling({}, { is_error: true }),
    'messages.content[tool_result].cache_control': calling({}, ephemeral),
    'messages.content[tool_result].toolset_name': calling({}, { toolset_name: 'browser' }),
    'messages.clear_at': reminding({ clear_at: 'next_user_message' }),
    'messages.output_config': reminding({ output_config: { effort: 'low' } }),
    'messages.content[server_tool_use]': assistant(
      { type: 'server_tool_use', id: 's1', name: 'web_search', input: { query: 'museum' } },
      text(),
    ),
    'messages.content[compaction]': assistant({ type: 'compaction', content: 'They said hello.' }, text()),
    'messages.content[web_search_tool_result]': assistant(
      { type: 'web_search_tool_result', tool_use_id: 's1', content: [{ url: 'https://example.com' }] },
      text(),
    ),
    'messages.content[search_result]': user({ type: 'search_result', source: 'a', title: 'A', content: [text()] }),
    'messages.content[*]': user({ type: 'hologram', content: [text()] }),
    max_tokens: { max_tokens: 7 },
    temperature: { temperature: 0.5 },
    top_p: { top_p: 0.5 },
    top_k: { top_k: 5 },
    stop_sequences: { stop_sequences: ['\n'] },
    'thinking[enabled].budget_tokens': thinking({ type: 'enabled', budget_tokens: 2048 }),
    'thinking[enabled].display': thinking({ type: 'enabled', budget_tokens: 2048, display: 'omitted' }),
    'thinking[enabled].block_binding': thinking({
      ...{ type: 'enabled', budget_tokens: 2048, block_binding: { prefix_mismatch_behavior: 'drop' } },
    }),
    'thinking[disabled]': thinking({ type: 'disabled' }),
    'thinking[adaptive]': thinking({ type: 'adaptive' }),
    'thinking[adaptive].display': thinking({ type: 'adaptive', display: 'omitted' }),
    'thinking[adaptive].block_binding': thinking({
      ...{ type: 'adaptive', block_binding: { prefix_mismatch_behavior: 'drop' } },
    }),
    'thinking[*]': thinking({ type: 'between_tools' }),
    'output_config.effort': { output_config: { effort: 'high' } },
    'output_config.format': { output_config: { format } },
    'output_config.task_budget': { output_config: { task_budget: { type: 'tokens', total: 9 } } },
    output_format: { output_format: format },
    'tools[custom].name': tool(),
    'tools[custom].description': tool(),
    'tools[custom].input_schema': tool(),
    'tools[custom].strict': tool(),
    'tools[custom].cache_control': tool(ephemeral),
    'tools[custom].eager_input_streaming': tool({ eager_input_streaming: true }),
    'tools[custom].defer_loading': tool({ defer_loading: true }),
    'tools[custom].allowed_callers': tool({ allowed_callers: ['code_execution_20260120'] }),
    'tools[custom].input_examples': tool({ input_examples: [{ a: 'b' }] }),
    'tools[*]': { tools: [...tool().tools, { type: 'web_search_20260318', name: 'web_search' }] },
    tool_choice: choosing({ type: 'any' }),
    'tool_choice.name': choosing({ type: 'tool', name: 'look' }),
    'tool_choice.disable_parallel_tool_use': choosing({ type: 'auto', disable_parallel_tool_use: true }),
    'metadata.user_id': { metadata: { user_id: 'u-1' } },
    'metadata.*': { metadata: { strange: 's-1' } },
    cache_control: ephemeral,
    billing_policy: { billing_policy: 'standard' },
    compaction: { compaction: { type: 'auto' } },
    container: { container: { skills: [{ skill_id: 'pptx' }] } },
    'container.skills': { container: { skills: [{ skill_id: 'pptx' }] } },
    'container.id': { container: { id: 'c-1' } },
    context_management: { context_management: { edits: [{ type: 'clear_tool_uses_20250919' }] } },
    diagnostics: { diagnostics: { previous_message_id: 'msg_1' } },
    fallback_credit_token: { fallback_credit_token: 'token' },
    inference_geo: { inference_geo: 'eu' },
    mcp_servers: { mcp_servers: [{ type: 'url', name: 'm', url: 'https://mcp.example' }] },
    service_tier: { service_tier: 'standard_only' },
    speed: { speed: 'fast' },
    thread: { thread: { type: 'create' } },
    '*': { strange: 1 },
  },
  kinds: {
    'tools[*]': 'web_search_20260318',
    'messages.content[*]': 'hologram',
    'thinking[*]': 'between_tools',
  },
  becomes: {
    'messages.content[image].source': ['https://example.com/a.png'],
    'messages.content[document].source': ['data:application/pdf;base64,JVBERg=='],
    'messages.content[tool_use].input': ['{"a":"b"}'],
    'messages.content[tool_result].is_error': [
      [
        { type: 'text', text: 'Error:' },
        { type: 'text', text: 'Sunny' },
      ],
    ],
    'system.text': ['Marked'],
    'thinking[enabled].budget_tokens': ['medium'],
    'thinking[disabled]': ['none'],
    'output_config.format': [schema],
    output_format: [schema],
    tool_choice: ['required'],
    'tool_choice.disable_parallel_tool_use': [false],
  },
  named: {
    'messages.content[*]': 'hologram',
    'messages.content[search_result]': 'messages.0.content.0.search_result',
    'messages.content[redacted_thinking]': 'redacted_thinking',
    'messages.content[compaction]': 'messages.1.content.0.compaction',
    'messages.content[server_tool_use]': 'messages.1.content.0.server_tool_use',
    'messages.content[web_search_tool_result]': 'messages.1.content.0.web_search_tool_result',
    'tools[*]': 'tools',
    'metadata.*': 'metadata',
    '*': 'strange',
  },
};
