import { everywhere, GENERATORS, type DialectFields, type Fate, type FieldTable } from './field.js';

/** Fields of the API that no model here supports: requests are translated for every provider. */
export const NOT_THERE = {
  ...{ access_programs: 'refused', client_metadata: 'dropped', context_management: 'dropped', conversation: 'refused' },
  ...{ image: 'refused', moderation: 'refused', prompt: 'refused', prompt_cache_options: 'dropped' },
} as const satisfies Readonly<Record<string, Fate>>;

/** Types of items about tools that a provider or a client of its own ran, or about itself: history, which no other model can go on with. */
export const FOREIGN_ITEM =
  '^(?!(?:function|custom_tool)_call)(?:mcp_\\w+|tool_search_\\w+|\\w+_call(?:_output)?|program(?:_output)?|configuration_update|compaction_\\w+|\\w+_(?:compaction|snapshot))$';

/** What an answer may be asked to hold beside its text (`include`). */
export const INCLUDED: ReadonlySet<string> = new Set([
  ...['file_search_call.results', 'web_search_call.results', 'web_search_call.action.sources'],
  ...['message.input_image.image_url', 'computer_call_output.output.image_url', 'code_interpreter_call.outputs'],
  ...['reasoning.encrypted_content', 'message.output_text.logprobs'],
]);

const MESSAGE: FieldTable = {
  'input[message].content': ['-> messages[user].content', '-> messages[user].content', 'sent', 'sent'],
  'input[message].content[input_text].text': ['-> messages.content', '-> messages.content', 'sent', 'sent'],
  'input[message].content[input_text].prompt_cache_breakpoint': ['dropped', 'dropped', 'dropped', 'dropped'],
  'input[message].content[input_image].image_url': [
    '-> messages.content[image_url].image_url.url',
    '-> messages.content[image].source.url',
    'refused',
    'refused',
  ],
  'input[message].content[input_image].file_id': ['refused', 'refused', 'refused', 'refused'],
  'input[message].content[input_image].detail': [
    '-> messages.content[image_url].image_url.detail',
    'dropped',
    'refused',
    'refused',
  ],
  'input[message].content[input_image].prompt_cache_breakpoint': ['dropped', 'dropped', 'refused', 'refused'],
  'input[message].content[input_file].file_data': [
    '-> messages.content[file].file.file_data',
    '-> messages.content[document].source.data',
    'refused',
    'refused',
  ],
  'input[message].content[input_file].file_id': ['refused', 'refused', 'refused', 'refused'],
  'input[message].content[input_file].file_url': [
    'refused',
    '-> messages.content[document].source.url',
    'refused',
    'refused',
  ],
  'input[message].content[input_file].filename': [
    '-> messages.content[file].file.filename',
    '-> messages.content[document].title',
    'refused',
    'refused',
  ],
  'input[message].content[input_file].detail': ['dropped', 'dropped', 'refused', 'refused'],
  'input[message].content[input_file].prompt_cache_breakpoint': ['dropped', 'dropped', 'refused', 'refused'],
  'input[message].content[output_text].text': [
    '-> messages[assistant].content',
    '-> messages[assistant].content',
    'sent',
    'unused',
  ],
  'input[message].content[output_text].annotations': ['unused', 'unused', 'unused', 'unused'],
  'input[message].content[output_text].logprobs': ['unused', 'unused', 'unused', 'unused'],
  'input[message].content[refusal]': [
    '-> messages[assistant].content[refusal].refusal',
    '-> messages[assistant].content',
    'sent',
    'unused',
  ],
  'input[message].reasoning_details': ['dropped', 'dropped', 'dropped', 'dropped'],
  'input[message].phase': ['dropped', 'dropped', 'dropped', 'dropped'],
  'input[message].id': ['unused', 'unused', 'unused', 'unused'],
  'input[message].status': ['unused', 'unused', 'unused', 'unused'],
};

const CALLS: FieldTable = {
  'input[function_call].call_id': ['-> messages.tool_calls.id', '-> messages.content[tool_use].id', 'sent', 'unused'],
  'input[function_call].name': [
    '-> messages.tool_calls.function.name',
    '-> messages.content[tool_use].name',
    'sent',
    'unused',
  ],
  'input[function_call].namespace': [
    '-> messages.tool_calls.function.name',
    '-> messages.content[tool_use].name',
    'sent',
    'unused',
  ],
  'input[function_call].arguments': [
    '-> messages.tool_calls.function.arguments',
    '-> messages.content[tool_use].input',
    'sent',
    'unused',
  ],
  'input[function_call].id': ['unused', 'unused', 'unused', 'unused'],
  'input[function_call].status': ['unused', 'unused', 'unused', 'unused'],
  'input[function_call].caller': ['refused', 'refused', 'refused', 'refused'],
  'input[function_call].async': ['refused', 'refused', 'refused', 'refused'],
  'input[function_call_output].call_id': [
    '-> messages.tool_call_id',
    '-> messages.content[tool_result].tool_use_id',
    'sent',
    'unused',
  ],
  'input[function_call_output].output': [
    '-> messages[tool].content',
    '-> messages.content[tool_result].content',
    'sent',
    'unused',
  ],
  'input[function_call_output].name': ['unused', 'unused', 'unused', 'unused'],
  'input[function_call_output].namespace': ['unused', 'unused', 'unused', 'unused'],
  'input[function_call_output].id': ['unused', 'unused', 'unused', 'unused'],
  'input[function_call_output].status': ['unused', 'unused', 'unused', 'unused'],
  'input[function_call_output].caller': ['refused', 'refused', 'refused', 'refused'],
  'input[custom_tool_call]': [
    '-> messages.tool_calls.function.arguments',
    '-> messages.content[tool_use].input',
    'sent',
    'unused',
  ],
  'input[custom_tool_call_output]': [
    '-> messages[tool].content',
    '-> messages.content[tool_result].content',
    'sent',
    'unused',
  ],
  'input[reasoning].summary': [
    '-> messages.reasoning_content',
    '-> messages.content[thinking].thinking',
    'unused',
    'unused',
  ],
  'input[reasoning].content': [
    '-> messages.reasoning_content',
    '-> messages.content[thinking].thinking',
    'unused',
    'unused',
  ],
  'input[reasoning].encrypted_content': ['unused', '-> messages.content[thinking].signature', 'unused', 'unused'],
  'input[reasoning].id': ['unused', 'unused', 'unused', 'unused'],
  'input[reasoning].status': ['unused', 'unused', 'unused', 'unused'],
  'input[additional_tools]': ['-> tools.function.name', '-> tools.name', 'sent', 'refused'],
  'input[item_reference]': ['here', 'here', 'here', 'here'],
  'input[compaction]': ['-> messages.content', '-> messages.content', 'sent', 'unused'],
  'input[*]': ['dropped', 'dropped', 'dropped', 'dropped'],
};

const TOOLS: FieldTable = {
  'tools[function].name': ['-> tools.function.name', '-> tools.name', 'sent', 'refused'],
  'tools[function].description': ['-> tools.function.description', '-> tools.description', 'sent', 'refused'],
  'tools[function].parameters': ['-> tools.function.parameters', '-> tools.input_schema', 'sent', 'refused'],
  'tools[function].strict': ['-> tools.function.strict', '-> tools.strict', 'unused', 'refused'],
  'tools[function].defer_loading': ['dropped', 'dropped', 'dropped', 'refused'],
  'tools[function].async': ['refused', 'refused', 'refused', 'refused'],
  'tools[function].allowed_callers': ['refused', 'refused', 'refused', 'refused'],
  'tools[function].output_schema': ['dropped', 'dropped', 'dropped', 'refused'],
  'tools[custom].name': ['-> tools.function.name', '-> tools.name', 'sent', 'refused'],
  'tools[custom].description': ['-> tools.function.description', '-> tools.description', 'sent', 'refused'],
  'tools[custom].format': ['dropped', 'dropped', 'dropped', 'refused'],
  'tools[custom].defer_loading': ['dropped', 'dropped', 'dropped', 'refused'],
  'tools[custom].async': ['refused', 'refused', 'refused', 'refused'],
  'tools[custom].allowed_callers': ['refused', 'refused', 'refused', 'refused'],
  'tools[namespace]': ['-> tools.function.name', '-> tools.name', 'sent', 'refused'],
  'tools[*]': ['dropped', 'dropped', 'dropped', 'refused'],
  tool_choice: ['sent', '-> tool_choice.type', 'sent', 'refused'],
  'tool_choice[function]': ['-> tool_choice.function.name', '-> tool_choice.name', 'sent', 'refused'],
  'tool_choice[allowed_tools]': ['-> tools.function.name', '-> tools.name', 'sent', 'refused'],
  'tool_choice[*]': ['refused', 'refused', 'refused', 'refused'],
  parallel_tool_calls: ['sent', '-> tool_choice.disable_parallel_tool_use', 'refused', 'refused'],
};

/** Fields of `POST /v1/responses`. */
export const OPENAI_RESPONSES: DialectFields = {
  name: 'Responses',
  path: '/v1/responses',
  backends: GENERATORS,
  beyondSdk: [
    ...['client_metadata', 'presence_penalty', 'frequency_penalty', 'stream_options.*', 'include.*', '*'],
    'input[message].reasoning_details',
  ],
  fields: {
    ...everywhere({ model: 'here', store: 'here', metadata: 'here', include: 'here', previous_response_id: 'here' }),
    ...everywhere({ background: 'refused', 'include.*': 'dropped', ...NOT_THERE }),
    stream: ['sent', 'sent', 'here', 'here'],
    'stream_options.include_obfuscation': ['dropped', 'dropped', 'dropped', 'dropped'],
    'stream_options.*': ['dropped', 'dropped', 'dropped', 'dropped'],
    instructions: ['-> messages[system].content', '-> system', 'sent', 'unused'],
    input: ['-> messages.content', '-> messages.content', 'sent', 'sent'],
    ...MESSAGE,
    ...CALLS,
    ...TOOLS,
    max_output_tokens: ['-> max_tokens', '-> max_tokens', 'sent', 'unused'],
    max_tool_calls: ['unused', 'unused', 'unused', 'unused'],
    temperature: ['sent', 'sent', 'sent', 'unused'],
    top_p: ['sent', 'sent', 'sent', 'unused'],
    presence_penalty: ['sent', 'dropped', 'sent', 'unused'],
    frequency_penalty: ['sent', 'dropped', 'sent', 'unused'],
    top_logprobs: ['sent', 'refused', 'sent', 'refused'],
    'reasoning.effort': ['-> reasoning_effort', '-> output_config.effort', 'dropped', 'refused'],
    'reasoning.summary': ['unused', 'unused', 'unused', 'unused'],
    'reasoning.generate_summary': ['unused', 'unused', 'unused', 'unused'],
    'reasoning.context': ['dropped', 'dropped', 'dropped', 'dropped'],
    'reasoning.mode': ['dropped', 'dropped', 'dropped', 'dropped'],
    'text.format[text]': ['unused', 'unused', 'unused', 'unused'],
    'text.format[json_object]': ['-> response_format.type', 'dropped', 'sent', 'refused'],
    'text.format[json_schema].schema': [
      '-> response_format.json_schema.schema',
      '-> output_config.format.schema',
      'sent',
      'refused',
    ],
    'text.format[json_schema].name': ['-> response_format.json_schema.name', 'unused', 'unused', 'refused'],
    'text.format[json_schema].description': [
      '-> response_format.json_schema.description',
      'unused',
      'unused',
      'refused',
    ],
    'text.format[json_schema].strict': ['-> response_format.json_schema.strict', 'unused', 'unused', 'refused'],
    'text.verbosity': ['-> verbosity', 'dropped', 'dropped', 'dropped'],
    truncation: ['dropped', 'dropped', 'dropped', 'dropped'],
    user: ['sent', '-> metadata.user_id', 'unused', 'unused'],
    safety_identifier: ['-> user', '-> metadata.user_id', 'unused', 'unused'],
    service_tier: ['sent', 'dropped', 'dropped', 'dropped'],
    prompt_cache_key: ['sent', 'dropped', 'dropped', 'dropped'],
    prompt_cache_retention: ['sent', 'dropped', 'dropped', 'dropped'],
    '*': ['sent', 'sent', 'refused', 'unused'],
  },
};
