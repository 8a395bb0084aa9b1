import fc from 'fast-check';
import { describeAgreement } from '#test/support/agreement.js';
import { decodeResponses } from './decode.js';

/** Values that are right in some place and wrong in others. */
const scalar = fc.constantFrom<unknown>('text', '', 0, 0.5, 1, -1, 1.5, true, false, [], {}, 'auto', '__proto__');
/** Mostly one of the values that are right there. */
const mostly = (...right: unknown[]) =>
  fc.oneof({ weight: 40, arbitrary: fc.constantFrom(...right) }, { weight: 1, arbitrary: scalar });
const rarely = (right: fc.Arbitrary<unknown>) =>
  fc.oneof({ weight: 40, arbitrary: right }, { weight: 1, arbitrary: scalar });
const record = (model: Record<string, fc.Arbitrary<unknown>>, ...requiredKeys: string[]) =>
  fc.record(model, { requiredKeys });
const list = (items: fc.Arbitrary<unknown>) => fc.array(items, { maxLength: 2 });

const text = mostly('Hello', '', null, '\ud800');
const required = mostly('Hello', 'a');
const flag = mostly(true, false, null);
const cache_control = mostly({ type: 'ephemeral' }, null);
const part = fc.oneof(
  record({ type: mostly('input_text', 'output_text'), text: mostly('Hi', ''), cache_control }, 'type', 'text'),
  record({ type: mostly('refusal'), refusal: mostly('No') }, 'type', 'refusal'),
  record(
    {
      type: mostly('input_image'),
      image_url: mostly(
        ...Array<string>(8).fill('data:image/png;base64,AAAA'),
        'https://x.example',
        'ftp://x',
        'data:,A',
      ),
      detail: mostly('low', 'original'),
    },
    ...['type', 'image_url'],
  ),
  record({ type: mostly('input_image'), file_id: mostly('file-1') }, 'type'),
  record(
    { type: mostly('input_file'), file_data: mostly('data:application/pdf;base64,AAAA'), filename: mostly('a.pdf') },
    'type',
  ),
  record({ type: mostly('input_file'), file_url: mostly('https://x.example/a'), file_id: mostly('f') }, 'type'),
  record({
    type: mostly('input_audio'),
    input_audio: record({ data: mostly('AAAA'), format: mostly('mp3', 'wav') }, 'data', 'format'),
  }),
);
const content = fc.oneof(mostly('Hello', ''), list(rarely(part)));
const thoughts = rarely(list(record({ type: mostly('summary_text'), text: mostly('Hm', '') }, 'text')));
const item = fc.oneof(
  {
    weight: 4,
    arbitrary: record(
      { type: mostly('message'), role: mostly('user', 'assistant', 'system', 'developer'), content },
      ...['role', 'content'],
    ),
  },
  record(
    { type: mostly('function_call'), call_id: required, name: required, arguments: mostly('{}', ''), cache_control },
    ...['type', 'call_id', 'name', 'arguments'],
  ),
  record({ type: mostly('function_call_output'), call_id: required, output: content }, 'type', 'call_id', 'output'),
  record({ type: mostly('reasoning'), summary: thoughts, content: thoughts, encrypted_content: required }, 'type'),
  record({ type: mostly('item_reference'), id: required }, 'id'),
);
const tool = fc.oneof(
  record(
    {
      ...{ type: mostly('function'), name: mostly('f'), description: text },
      ...{ parameters: mostly({ type: 'object' }, null), strict: flag, cache_control },
    },
    ...['type', 'name'],
  ),
  record({ type: mostly('web_search', 'mcp') }),
);
const choice = fc.oneof(
  mostly('none', 'auto', 'required'),
  // Of tools that there are: that it names one of them is beyond what a document can say.
  record({ type: mostly('web_search', 'mcp'), name: fc.constant('f') }, 'type'),
  record({ type: fc.constant('allowed_tools'), mode: mostly('auto', 'required'), tools: fc.constant([]) }, 'type'),
);
const schema = fc.constantFrom<unknown>({ type: 'object' }, { $ref: '#/x' }, ['person'], { entities: ['person'] }, {});
const encoderSchema = mostly(['person'], { entities: ['person'] }).filter((value) => JSON.stringify(value) !== '{}');
const format = fc.oneof(
  record({ type: mostly('text', 'json_object') }, 'type'),
  record({ type: mostly('json_schema'), name: required, schema, strict: flag, description: text }, 'type', 'name'),
  record({ schema: encoderSchema }),
);
const body = record(
  {
    model: required,
    // An empty list may stand where something is continued.
    input: fc.oneof(
      { weight: 8, arbitrary: fc.array(item, { minLength: 1, maxLength: 2 }) },
      { weight: 4, arbitrary: fc.constantFrom<unknown>('Hello', '', {}, 7, true) },
    ),
    instructions: text,
    previous_response_id: mostly('resp_1', null),
    tools: rarely(list(tool)),
    tool_choice: choice,
    parallel_tool_calls: flag,
    text: rarely(record({ format, verbosity: mostly('low', 'medium') })),
    reasoning: rarely(record({ effort: mostly('low', 'max', null), summary: mostly('auto', null) })),
    max_output_tokens: mostly(1, 100, null),
    temperature: mostly(0, 2, null),
    top_p: mostly(0, 1, null),
    top_logprobs: mostly(0, 20, null),
    include: rarely(list(mostly('message.output_text.logprobs', 'reasoning.encrypted_content'))),
    metadata: mostly({ run: '7' }, null, {}),
    stream: flag,
    user: mostly('u', null),
    prompt_cache_key: mostly('k', null),
    service_tier: mostly('auto', 'flex', null),
    max_tool_calls: mostly(1, null),
    truncation: mostly('disabled', null),
    background: mostly(false, null),
    store: flag,
    project_id: mostly('p', null),
    surprise: scalar,
  },
  ...['model', 'input'],
);

describeAgreement([
  { title: 'by /v1/responses', schema: 'ResponsesBody', bodies: body, decode: decodeResponses, runs: 5_000 },
]);
