import type { Samples } from './samples.js';

const hello = { role: 'user', content: 'Hello' };
const saying = (...messages: readonly object[]) => ({ messages: [...messages, hello] });
const text = (more: object = {}) => ({ type: 'text', text: 'Marked', ...more });
const user = (...content: readonly object[]) => ({ messages: [{ role: 'user', content: [text(), ...content] }] });
const pause = { prompt_cache_breakpoint: { mode: 'explicit' } };
const url = 'https://example.com/a.png';
const image = (more: object) => ({ type: 'image_url', image_url: { url, ...more } });
const pdf = { filename: 'a.pdf', file_data: 'data:application/pdf;base64,JVBERg==' };
const schema = { type: 'object', properties: { a: { type: 'string' } }, additionalProperties: false };
const named = { name: 'look', description: 'Looks', parameters: schema };
const tool = { type: 'function', function: { ...named, strict: true } };
const called = { id: 'call_1', type: 'function', function: { name: 'look', arguments: '{"a":"b"}' } };
const calling = (...more: readonly object[]) => ({
  messages: [hello, { role: 'assistant', content: null, tool_calls: [called] }, ...more],
});
const result = (content: unknown) => calling({ role: 'tool', tool_call_id: 'call_1', content });
const functionCall = {
  messages: [
    hello,
    { role: 'assistant', content: null, function_call: called.function },
    { role: 'function', name: 'look', content: 'Sunny' },
  ],
};
const format = { type: 'json_schema', json_schema: { name: 'row', description: 'A row', schema, strict: true } };
const assistant = (fields: object) => saying(hello, { role: 'assistant', content: 'Hi', ...fields });

export const CHAT_SAMPLES: Samples = {
  base: { messages: [hello] },
  bodies: {
    model: {},
    store: { store: true },
    metadata: { metadata: { a: 'b' } },
    stream: { stream: true },
    'stream_options.include_usage': { stream: true, stream_options: { include_usage: true } },
    'stream_options.include_obfuscation': { stream: true, stream_options: { include_obfuscation: true } },
    'stream_options.*': { stream: true, stream_options: { strange: true } },
    'messages[developer].content': saying({ role: 'developer', content: 'Be brief' }),
    'messages[developer].content.text': saying({ role: 'developer', content: [text()] }),
    'messages[developer].content.prompt_cache_breakpoint': saying({ role: 'developer', content: [text(pause)] }),
    'messages[developer].name': saying({ role: 'developer', content: 'Be brief', name: 'Ann' }),
    'messages[system].content': saying({ role: 'system', content: 'Be brief' }),
    'messages[system].content.text': saying({ role: 'system', content: [text()] }),
    'messages[system].content.prompt_cache_breakpoint': saying({ role: 'system', content: [text(pause)] }),
    'messages[system].name': saying({ role: 'system', content: 'Be brief', name: 'Ann' }),
    'messages[user].content[text].text': user(),
    'messages[user].content[text].prompt_cache_breakpoint': user(text(pause)),
    'messages[user].content[text].cache_control': user(text({ cache_control: { type: 'ephemeral' } })),
    'messages[user].content[image_url].image_url.url': user(image({})),
    'messages[user].content[image_url].image_url.detail': user(image({ detail: 'low' })),
    'messages[user].content[image_url].prompt_cache_breakpoint': user({ ...image({}), ...pause }),
    'messages[user].content[input_audio]': user({
      type: 'input_audio',
      input_audio: { data: 'UklGRg==', format: 'wav' },
    }),
    'messages[user].content[file].file.file_data': user({ type: 'file', file: pdf }),
    'messages[user].content[file].file.filename': user({ type: 'file', file: pdf }),
    'messages[user].content[file].file.file_id': user({ type: 'file', file: { file_id: 'file-1' } }),
    'messages[user].content[file].prompt_cache_breakpoint': user({ type: 'file', file: pdf, ...pause }),
    'messages[user].name': { messages: [{ ...hello, name: 'Ann' }] },
    'messages[assistant].content[text].text': saying(hello, { role: 'assistant', content: [text()] }),
    'messages[assistant].content[text].prompt_cache_breakpoint': saying(hello, {
      ...{ role: 'assistant', content: [text(pause)] },
    }),
    'messages[assistant].content[refusal].refusal': saying(hello, {
      ...{ role: 'assistant', content: [{ type: 'refusal', refusal: 'I cannot' }] },
    }),
    'messages[assistant].refusal': saying(hello, { role: 'assistant', content: null, refusal: 'I cannot' }),
    'messages[assistant].name': assistant({ name: 'Ann' }),
    'messages[assistant].audio': assistant({ audio: { id: 'audio_1' } }),
    'messages[assistant].function_call.name': functionCall,
    'messages[assistant].function_call.arguments': functionCall,
    'messages[assistant].tool_calls[function].id': result('Sunny'),
    'messages[assistant].tool_calls[function].function.name': result('Sunny'),
    'messages[assistant].tool_calls[function].function.arguments': result('Sunny'),
    'messages[assistant].tool_calls[custom]': {
      messages: [
        hello,
        {
          role: 'assistant',
          content: null,
          tool_calls: [{ id: 'call_1', type: 'custom', custom: { name: 'look', input: 'there' } }],
        },
        { role: 'tool', tool_call_id: 'call_1', content: 'Sunny' },
      ],
    },
    'messages[assistant].reasoning_content': assistant({ reasoning_content: 'Hm' }),
    'messages[assistant].provider_specific_fields': assistant({ provider_specific_fields: { refusal: null } }),
    'messages[assistant].id': assistant({ id: 'msg_1' }),
    'messages[assistant].prefix': assistant({ prefix: true }),
    'messages[assistant].reasoning_details': assistant({ reasoning_details: [{ type: 'reasoning.text', text: 'Hm' }] }),
    'messages[assistant].tool_calls[function].extra_content': assistant({
      tool_calls: [{ ...called, extra_content: { google: { thought_signature: 'sig' } } }],
    }),
    'reasoning.effort': { reasoning: { effort: 'high' } },
    'reasoning.max_tokens': { reasoning: { max_tokens: 2048 } },
    'reasoning.*': { reasoning: { strange: true } },
    'messages[assistant].thinking_blocks': assistant({
      thinking_blocks: [{ type: 'thinking', thinking: 'Hm', signature: 'sig' }],
    }),
    'messages[tool].content': result('Sunny'),
    'messages[tool].content.text': result([text()]),
    'messages[tool].content.prompt_cache_breakpoint': result([text(pause)]),
    'messages[tool].tool_call_id': result('Sunny'),
    'messages[function].content': functionCall,
    'messages[function].name': functionCall,
    max_tokens: { max_tokens: 7 },
    max_completion_tokens: { max_completion_tokens: 7 },
    temperature: { temperature: 0.5 },
    top_p: { top_p: 0.5 },
    top_k: { top_k: 5 },
    stop: { stop: ['END'] },
    seed: { seed: 7 },
    n: { n: 2 },
    frequency_penalty: { frequency_penalty: 0.5 },
    presence_penalty: { presence_penalty: 0.5 },
    logit_bias: { logit_bias: { 5: 1 } },
    logprobs: { logprobs: true },
    top_logprobs: { logprobs: true, top_logprobs: 2 },
    reasoning_effort: { reasoning_effort: 'high' },
    'thinking[enabled]': { thinking: { type: 'enabled' } },
    'thinking[enabled].budget_tokens': { thinking: { type: 'enabled', budget_tokens: 2048 } },
    'thinking[enabled].clear_thinking': { thinking: { type: 'enabled', clear_thinking: false } },
    'thinking[enabled].keep': { thinking: { type: 'enabled', keep: 'all' } },
    'thinking[adaptive]': { thinking: { type: 'adaptive' } },
    'thinking[disabled]': { thinking: { type: 'disabled' } },
    'thinking[*]': { thinking: { type: 'between_tools' } },
    'response_format[text]': { response_format: { type: 'text' } },
    'response_format[json_object]': { response_format: { type: 'json_object' } },
    'response_format[json_schema].json_schema.schema': { response_format: format },
    'response_format[json_schema].json_schema.name': { response_format: format },
    'response_format[json_schema].json_schema.description': { response_format: format },
    'response_format[json_schema].json_schema.strict': { response_format: format },
    'tools[function].function.name': { tools: [tool] },
    'tools[function].function.description': { tools: [tool] },
    'tools[function].function.parameters': { tools: [tool] },
    'tools[function].function.strict': { tools: [tool] },
    'tools[*]': { tools: [tool, { type: 'custom', custom: { name: 'free' } }] },
    tool_choice: { tools: [tool], tool_choice: 'required' },
    'tool_choice[function]': { tools: [tool], tool_choice: { type: 'function', function: { name: 'look' } } },
    'tool_choice[*]': {
      tools: [tool],
      tool_choice: { type: 'custom', custom: { name: 'look' } },
    },
    parallel_tool_calls: { tools: [tool], parallel_tool_calls: false },
    'functions.name': { functions: [named] },
    'functions.description': { functions: [named] },
    'functions.parameters': { functions: [named] },
    function_call: { functions: [named], function_call: { name: 'look' } },
    user: { user: 'u-1' },
    safety_identifier: { safety_identifier: 'u-1' },
    audio: { audio: { format: 'wav', voice: 'alloy' } },
    modalities: { modalities: ['text', 'audio'] },
    moderation: { moderation: { model: 'm' } },
    prediction: { prediction: { type: 'content', content: 'Hello' } },
    prompt_cache_key: { prompt_cache_key: 'k' },
    prompt_cache_options: { prompt_cache_options: { mode: 'explicit' } },
    prompt_cache_retention: { prompt_cache_retention: '24h' },
    service_tier: { service_tier: 'flex' },
    verbosity: { verbosity: 'low' },
    web_search_options: { web_search_options: { search_context_size: 'low' } },
    '*': { strange: 1 },
  },
  kinds: { 'thinking[*]': 'between_tools', 'tools[*]': 'custom', 'tool_choice[*]': 'custom' },
  becomes: {
    'thinking[enabled]': [{ type: 'adaptive' }],
    'messages[assistant].thinking_blocks': [{ type: 'thinking', thinking: 'Hm', signature: 'sig' }],
    'messages[user].content[file].file.file_data': ['JVBERg=='],
    'messages[assistant].function_call.arguments': [{ a: 'b' }],
    'messages[assistant].tool_calls[function].function.arguments': [{ a: 'b' }],
    'messages[tool].content.text': ['Marked'],
    'tool_choice[function]': ['look'],
    function_call: ['look'],
    tool_choice: ['any'],
    parallel_tool_calls: [true],
    'messages[function].name': [expect.any(String)],
  },
  named: {
    'messages[user].content[input_audio]': 'audio',
    'reasoning.effort': 'reasoning_effort',
    'reasoning.max_tokens': 'thinking.budget_tokens',
    'tools[*]': 'tools',
    top_logprobs: 'logprobs',
    'stream_options.*': 'stream_options',
    '*': 'strange',
  },
};
