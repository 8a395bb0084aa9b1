import fc from 'fast-check';
import { describeAgreement } from '#test/support/agreement.js';
import { decodeMessages } from './decode.js';

/** Values that are right in some place and wrong in others. */
const scalar = fc.constantFrom<unknown>(
  ...['text', '', 0, 0.5, 1, -1, 1.5, 2048, true, false, [], {}, null, 'auto', '\ud800', [null], { type: 'text' }],
);
const rarely = (right: fc.Arbitrary<unknown>) =>
  fc.oneof({ weight: 40, arbitrary: right }, { weight: 1, arbitrary: scalar });
/** Mostly one of the values that are right there. */
const mostly = (...right: unknown[]) => rarely(fc.constantFrom(...right));
const record = (model: Record<string, fc.Arbitrary<unknown>>, ...requiredKeys: string[]) =>
  fc.record(model, { requiredKeys });
const list = (items: fc.Arbitrary<unknown>) => fc.array(items, { maxLength: 2 });

const text = mostly('Hello', '');
const word = mostly('a', 'b');
const flag = mostly(true, false, null);
const cache_control = mostly({ type: 'ephemeral' }, null);
const typed = (type: string, model: Record<string, fc.Arbitrary<unknown>>, ...optional: string[]) =>
  record(
    { type: mostly(type), cache_control, surprise: scalar, ...model },
    'type',
    ...Object.keys(model).filter((name) => !optional.includes(name)),
  );

const source = rarely(
  fc.oneof(
    record({ type: mostly('base64'), media_type: word, data: word }, 'type', 'media_type', 'data'),
    record({ type: mostly('url'), url: word, data: scalar }, 'type', 'url'),
    record({ type: mostly('file'), file_id: word }, 'type', 'file_id'),
    record({ type: mostly('text'), data: text }, 'type', 'data'),
    record({ type: mostly('content', 'later'), content: scalar }, 'type'),
  ),
);
const shown = [
  typed('text', { text }),
  typed('image', { source }),
  typed('document', { source, title: mostly('T', '', null) }, 'title'),
  typed('search_result', { content: scalar }),
];
const block = rarely(
  fc.oneof(
    ...shown,
    typed('thinking', { thinking: text, signature: text }),
    typed('redacted_thinking', { data: word }),
    typed('tool_use', { id: word, name: word, input: mostly({}, { a: 1 }) }),
    typed(
      'tool_result',
      { tool_use_id: word, content: fc.oneof(text, list(rarely(fc.oneof(...shown)))), is_error: flag },
      ...['content', 'is_error'],
    ),
  ),
);
const content = fc.oneof(text, list(block));
const message = rarely(record({ role: mostly('user', 'assistant', 'system'), content }, 'role', 'content'));

const tool = rarely(
  fc.oneof(
    record(
      {
        ...{ type: mostly('custom', null), name: word, description: mostly('D', '', null), strict: flag },
        ...{ input_schema: mostly({}, { type: 'object' }), cache_control, surprise: scalar },
      },
      ...['name', 'input_schema'],
    ),
    record({ type: mostly('web_search_20260318'), name: scalar }, 'type'),
  ),
);
const tool_choice = rarely(
  record(
    { type: mostly('auto', 'any', 'none', 'tool'), name: word, disable_parallel_tool_use: flag },
    ...['type', 'name'],
  ),
);
const thinking = rarely(
  fc.oneof(
    record({ type: mostly('enabled'), budget_tokens: mostly(1024, 4096) }, 'type', 'budget_tokens'),
    record({ type: mostly('adaptive', 'disabled', 'later'), budget_tokens: scalar }, 'type'),
  ),
);
const format = rarely(record({ type: mostly('json_schema'), schema: mostly({}) }, 'type', 'schema'));

const body = record(
  {
    model: word,
    messages: fc.oneof({ weight: 14, arbitrary: list(message) }, { weight: 1, arbitrary: scalar }),
    max_tokens: mostly(0, 1, 100),
    system: content,
    tools: list(tool),
    tool_choice,
    thinking,
    output_config: rarely(record({ effort: mostly('low', 'later', null), format })),
    output_format: format,
    metadata: rarely(record({ user_id: mostly('u', null), surprise: scalar })),
    stop_sequences: mostly([], ['x'], ['x', '']),
    temperature: mostly(0, 1, null),
    top_p: mostly(0, 1, null),
    top_k: mostly(0, 40, null),
    stream: flag,
    ...{ store: flag, project_id: mostly('p', null), threshold: mostly(0.5, null), include_spans: flag },
    ...{ container: scalar, surprise: scalar },
  },
  ...['model', 'messages', 'max_tokens'],
);

const dialect = { version: '2023-06-01', headers: {} } as const;

describeAgreement([
  {
    ...{ title: 'by /v1/messages', schema: 'AnthropicMessagesBody', bodies: body },
    decode: (value) => decodeMessages(value, { ...dialect, generates: true }),
  },
  {
    ...{ title: 'by /v1/messages/count_tokens', schema: 'AnthropicCountTokensBody', bodies: body },
    decode: (value) => decodeMessages(value, { ...dialect, generates: false }),
  },
]);
