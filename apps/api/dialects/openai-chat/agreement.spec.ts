import fc from 'fast-check';
import { describeAgreement } from '#test/support/agreement.js';
import { decodeCompletion } from '../openai-completions/decode.js';
import { decodeChat } from './decode.js';

/** Values that are right in some place and wrong in others. */
const scalar = fc.constantFrom<unknown>(
  'text',
  '',
  0,
  0.5,
  1,
  -1,
  1.5,
  200,
  true,
  false,
  [],
  {},
  null,
  'auto',
  '\ud800',
);
/** Mostly one of the values that are right there. */
const mostly = (...right: unknown[]) => rarely(fc.constantFrom(...right));
const rarely = (right: fc.Arbitrary<unknown>) =>
  fc.oneof({ weight: 14, arbitrary: right }, { weight: 1, arbitrary: scalar });
const record = (model: Record<string, fc.Arbitrary<unknown>>, ...requiredKeys: string[]) =>
  fc.record(model, { requiredKeys });
const list = (items: fc.Arbitrary<unknown>) => fc.array(items, { maxLength: 2 });

const text = mostly('Hello', '');
const word = mostly('a', 'b');
const flag = mostly(true, false, null);
const cache_control = mostly({ type: 'ephemeral' }, null);
const IMAGES = ['https://x.example/a.png', 'data:image/png;base64,AAAA', 'data:image/png,AAAA', 'data:;base64,AAAA'];
const file = record({
  file_data: mostly('AAAA', 'data:application/pdf;base64,AAAA', null),
  file_id: mostly('file_1', null, null),
  filename: mostly('a.pdf', null),
});
const part = fc.oneof(
  record({ type: mostly('text'), text, cache_control, surprise: scalar }, 'type', 'text'),
  record({ type: mostly('refusal'), refusal: text }, 'type', 'refusal'),
  record(
    {
      type: mostly('image_url'),
      image_url: rarely(record({ url: mostly(...IMAGES), detail: mostly('low', null) }, 'url')),
    },
    ...['type', 'image_url'],
  ),
  record({ type: mostly('input_audio'), input_audio: rarely(record({ data: word, format: word }, 'data', 'format')) }),
  record({ type: mostly('file'), file: rarely(file) }, 'type', 'file'),
  record({ type: mostly('video', '__proto__', 'constructor'), video: scalar }),
);
const content = fc.oneof({ weight: 4, arbitrary: text }, { weight: 3, arbitrary: rarely(list(part)) });
const called = record({ name: word, arguments: mostly('{}', '', 'no JSON') }, 'name', 'arguments');
const toolCall = fc.oneof(
  record(
    { id: word, type: mostly('function', null), function: rarely(called), index: mostly(0), cache_control },
    ...['id', 'function'],
  ),
  record({ id: word, type: mostly('custom'), custom: scalar }),
);
const thought = fc.oneof(
  record({ type: mostly('thinking', null), thinking: text, signature: mostly('s', null) }, 'thinking'),
  record({ type: mostly('redacted_thinking'), data: text }, 'type', 'data'),
);
const message = fc.oneof(
  { weight: 1, arbitrary: scalar },
  {
    weight: 8,
    arbitrary: record(
      { role: mostly('user', 'system', 'developer'), content, name: mostly('ada', null), cache_control },
      ...['role', 'content'],
    ),
  },
  {
    weight: 8,
    arbitrary: record(
      {
        role: mostly('assistant'),
        content: fc.oneof(content, fc.constant(null)),
        refusal: mostly('No', '', null),
        tool_calls: rarely(list(toolCall)),
        function_call: rarely(fc.oneof(called, fc.constant(null))),
        audio: mostly({ id: 'a' }, null, { id: 7 }),
        reasoning_content: mostly('Hm', '', null),
        reasoning: mostly('Hm', null),
        thinking_blocks: rarely(list(thought)),
        annotations: scalar,
      },
      'role',
    ),
  },
  { weight: 4, arbitrary: record({ role: mostly('tool'), content, tool_call_id: word, name: scalar }, 'role') },
  {
    weight: 3,
    arbitrary: record({ role: mostly('function'), content: fc.oneof(content, fc.constant(null)), name: word }),
  },
);

const schema = mostly({ type: 'object' }, {}, null);
const described = { name: word, description: mostly('What it does', '', null), strict: flag };
const func = record({ ...described, parameters: schema, cache_control, surprise: scalar }, 'name');
const tool = fc.oneof(
  record({ type: mostly('function'), function: rarely(func), cache_control }, 'type', 'function'),
  record({ type: mostly('custom', 'web_search'), custom: scalar }),
);
const format = fc.oneof(
  record({ type: mostly('text', 'json_object', 'grammar'), grammar: scalar }),
  record(
    { type: mostly('json_schema'), json_schema: rarely(record({ ...described, schema }, 'name')) },
    ...['type', 'json_schema'],
  ),
);
const toolChoice = fc.oneof(
  mostly('none', 'auto', 'required', null),
  record({ type: mostly('function'), function: rarely(record({ name: word }, 'name')) }, 'type', 'function'),
  record({ type: mostly('allowed_tools', 'custom'), allowed_tools: scalar }),
);

const sampling = {
  temperature: mostly(0, 2, null),
  top_p: mostly(0, 1, null),
  frequency_penalty: mostly(-2, 2, null),
  presence_penalty: mostly(-2, 2, null),
  stop: mostly('x', ['x', 'y'], [], null, ['x', null]),
  seed: mostly(0, -7, 4_711, null),
  n: mostly(1, 2, null),
  logit_bias: mostly({ 50256: -100 }, {}, null, { 1: null }, { 1: 101 }),
  user: mostly('u', null),
  stream: flag,
  stream_options: mostly({ include_usage: true }, { include_obfuscation: false, more: 1 }, {}, null, {
    include_obfuscation: true,
  }),
  store: flag,
  project_id: mostly('p', null),
  surprise: scalar,
};
const PLAIN = { model: 'm', messages: [{ role: 'user', content: 'Hello' }] };
/** A few fields at a time: with all of them, hardly any body would be good. */
const chat = fc.oneof(
  record({ model: word, messages: rarely(fc.array(message, { maxLength: 2 })) }, 'model', 'messages'),
  record(sampling),
  record({
    tools: rarely(list(tool)),
    tool_choice: toolChoice,
    parallel_tool_calls: flag,
    functions: rarely(list(func)),
    function_call: mostly('none', 'auto', null, { name: 'f' }, 'required'),
    response_format: rarely(fc.oneof(format, fc.constant(null))),
  }),
  record({
    reasoning_effort: mostly('none', 'max', null, 'most'),
    safety_identifier: mostly('u', null),
    metadata: mostly({ run: '7' }, {}, null, { run: 7 }),
    logprobs: flag,
    schema: fc.constantFrom(['city'], { entities: ['city'] }, null, 7),
    threshold: mostly(0, 1, null),
    include_spans: flag,
    include_confidence: flag,
  }),
  record(
    Object.fromEntries(
      ['audio', 'modalities', 'prediction', 'service_tier', 'verbosity', 'web_search_options'].map((name) => [
        name,
        scalar,
      ]),
    ),
  ),
);
/** One of two names; and what only goes with another field, which a document does not say. */
const limits = fc.oneof(
  fc.constant({}),
  record({ max_tokens: mostly(1, 100, null) }),
  record({ max_completion_tokens: mostly(1, 100, null) }),
  record({ top_logprobs: mostly(0, 20, null) }).map((some) => ({ ...(some as object), logprobs: true })),
);
const chatBody = fc.tuple(chat, limits).map((parts) => Object.assign({}, PLAIN, ...parts) as unknown);
const textBody = record(
  {
    model: word,
    prompt: mostly('Once', '', ['a', ''], ['a', 1], [1, 2], [[1]]),
    ...sampling,
    max_tokens: mostly(1, 100, null),
    logprobs: mostly(0, 5, null),
    echo: flag,
    suffix: mostly('the end', '', null),
  },
  ...['model', 'prompt'],
);

describeAgreement([
  { title: 'by /v1/chat/completions', schema: 'ChatCompletionBody', bodies: chatBody, decode: decodeChat, runs: 5_000 },
  {
    title: 'by /v1/completions',
    schema: 'TextCompletionBody',
    bodies: textBody,
    decode: decodeCompletion,
    runs: 5_000,
  },
]);
