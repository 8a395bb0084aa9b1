import fc from 'fast-check';
import { describeAgreement } from '#test/support/agreement.js';
import { decodeGliner2Request } from '../gliner2/decode.js';
import { decodeNativeRequest } from './decode.js';

/** Values that are right in some place and wrong in others, so that bodies are valid, almost valid, and nonsense. */
const scalar = fc.constantFrom<unknown>('city', '', 0, 0.5, 1, 2, -1, 1.5, true, false, [], {}, 'str', 'list');
/** Mostly one of the values that are right there. */
const mostly = (...right: unknown[]) =>
  fc.oneof({ weight: 9, arbitrary: fc.constantFrom(...right) }, { weight: 1, arbitrary: scalar });
const label = mostly('person', 'city', '__proto__');
const flag = mostly(true, false);
const share = mostly(0, 0.5, 1);
const entity = fc.oneof(
  { weight: 5, arbitrary: label },
  {
    weight: 3,
    arbitrary: fc.record(
      { name: label, threshold: share, dtype: mostly('str', 'list'), description: label },
      { requiredKeys: ['name'] },
    ),
  },
  { weight: 1, arbitrary: fc.record({ threshold: share }) },
);
const details = { description: label, threshold: share };
const taskDetails = { labels: fc.array(label, { maxLength: 3 }), multi_label: flag, top_k: mostly(1, 2) };
const task = fc.record({ task: mostly('mood', 'topic'), ...taskDetails }, { requiredKeys: ['task'] });
const mapOf = (values: fc.Arbitrary<unknown>) =>
  fc.dictionary(fc.constantFrom('city', 'mood', 'trip', ''), values, { maxKeys: 2 });
const entities = fc.oneof(
  fc.array(entity, { maxLength: 3 }),
  mapOf(fc.oneof(label, fc.record({ ...details, dtype: mostly('str', 'list') }, { requiredKeys: [] }))),
);
const field = fc.oneof(
  { weight: 2, arbitrary: fc.constantFrom('to', 'to::str', 'to::[a|b]', 'to::list::[a]::a town') },
  { weight: 1, arbitrary: mostly('::str', '', 7) },
  {
    weight: 2,
    arbitrary: fc.record(
      {
        ...{ name: mostly('from', ''), dtype: mostly('str', 'list') },
        ...{ choices: fc.array(label, { maxLength: 2 }), ...details },
      },
      { requiredKeys: ['name'] },
    ),
  },
);
/** No two of one name: that a field stands there twice is beyond what a document can say. */
const fields = fc.uniqueArray(field, {
  maxLength: 3,
  selector: (given) => (typeof given === 'string' ? given.split('::')[0] : (given as { name?: unknown })?.name),
});
const structures = mapOf(fc.oneof(fields, fc.record({ fields }), scalar));
const ends = { head: label, tail: label, ...details };
const relation = fc.oneof(
  label,
  ...['name', 'relation', 'type'].map((key) =>
    fc.tuple(label, fc.record(ends, { requiredKeys: [] })).map(([name, more]) => ({ [key]: name, ...more })),
  ),
);
const relations = fc.oneof(
  fc.array(relation, { maxLength: 2 }),
  mapOf(fc.oneof(label, fc.record(ends, { requiredKeys: [] }))),
);
const heads = fc.oneof(
  ...[
    { entities },
    {
      classifications: fc.oneof(
        fc.array(task, { maxLength: 1 }),
        mapOf(fc.oneof(fc.array(label), fc.record(taskDetails))),
      ),
    },
    { structures },
    { relations },
    { entities, relations },
  ].map((model) => fc.record(model as Record<string, fc.Arbitrary<unknown>>)),
);
const schema = fc.oneof(
  { weight: 2, arbitrary: fc.array(entity, { maxLength: 3 }) },
  { weight: 4, arbitrary: heads },
  { weight: 1, arbitrary: scalar.filter((value) => JSON.stringify(value) !== '{}') },
);
/** One in ten bodies has a field that no route knows. */
const orMore = (bodies: fc.Arbitrary<object>) =>
  fc.tuple(bodies, fc.nat(9), scalar).map(([body, n, surprise]) => (n === 0 ? { ...body, surprise } : body));
const text = mostly('Maria', '', ['a', 'b'], ['a', 1]);
const encoderBody = fc.record(
  {
    model_id: label,
    text,
    schema,
    threshold: share,
    store: flag,
    include_spans: flag,
    include_confidence: flag,
    project_id: label,
  },
  { requiredKeys: ['model_id', 'text'] },
);

const content = fc.oneof(
  mostly('Hello'),
  fc.array(fc.record({ type: mostly('text'), text: mostly('Hi') }), { maxLength: 2 }),
);
const message = fc.oneof(
  { weight: 9, arbitrary: fc.record({ role: mostly('system', 'user', 'assistant'), content }) },
  { weight: 1, arbitrary: fc.oneof(scalar, fc.record({ content })) },
);
const decoderBody = fc.record(
  {
    model_id: label,
    messages: fc.oneof({ weight: 9, arbitrary: fc.array(message, { maxLength: 2 }) }, { weight: 1, arbitrary: scalar }),
    task: mostly('generate'),
    max_tokens: mostly(1, 100),
    temperature: mostly(0, 2),
    top_p: share,
    stop: mostly('x', ['x', 'y'], []),
    store: flag,
    project_id: label,
  },
  { requiredKeys: ['model_id', 'messages'] },
);

/** With a schema that its task takes: the document says of schemas only that they follow the task. */
const gliner2Body = fc
  .constantFrom<[string, unknown]>(
    ['extract_entities', ['city']],
    ['classify_text', { categories: ['a', 'b'] }],
    ['extract_json', { trip: ['to::str'] }],
    ['schema', { entities: { city: 'a town' }, entity_dtype: 'str' }],
  )
  .chain(([name, asked]) =>
    fc.record(
      {
        task: fc.constant(name),
        schema: fc.constant(asked),
        text,
        threshold: share,
        include_confidence: flag,
        include_spans: flag,
        format_results: flag,
        store: flag,
      },
      { requiredKeys: ['task', 'schema', 'text'] },
    ),
  );

describeAgreement([
  { title: 'of an encoder', schema: 'EncoderInferenceBody', bodies: orMore(encoderBody), decode: decodeNativeRequest },
  { title: 'of a decoder', schema: 'DecoderInferenceBody', bodies: orMore(decoderBody), decode: decodeNativeRequest },
  { title: 'by /gliner-2', schema: 'Gliner2Body', bodies: orMore(gliner2Body), decode: decodeGliner2Request },
]);
