import * as fc from 'fast-check';
import { kindOfField, Reference, reference } from './references.js';
import type { Schema } from './document.js';
import type { Schemas } from './schemas.js';
import { ADMIN, HUB_TOKEN } from './world.js';

const DEEPEST = 6;

/**
 * Values as a schema describes them; fields that name something mostly hold references.
 * @param likely hardly anything but what is required, with values that make sense: what may well succeed
 */
export function valid(schemas: Schemas, schema: Schema, likely = false, field = '', depth = 0): fc.Arbitrary<unknown> {
  // A field of the same name may be an object elsewhere.
  const words = likely && !schemas.resolved(schema).properties ? SENSIBLE[field] : undefined;
  const own = words ? fc.constantFrom(...words) : described(schemas, schemas.resolved(schema), likely, field, depth);
  const kind = kindOfField(field);
  if (likely && kind) return reference(kind, 'own');
  return kind ? fc.oneof({ arbitrary: reference(kind), weight: 6 }, own) : own;
}

function described(
  schemas: Schemas,
  schema: Schema,
  likely: boolean,
  field: string,
  depth: number,
): fc.Arbitrary<unknown> {
  if (depth > DEEPEST) return fc.constant(null);
  const inner = (one: Schema, name = field) => valid(schemas, one, likely, name, depth + 1);
  if (schema.enum) return fc.constantFrom(...schema.enum);
  const choices = schema.oneOf ?? schema.anyOf;
  if (choices) return fc.oneof(...choices.map((one) => inner(one)));
  if (schema.allOf)
    return fc
      .tuple(...schema.allOf.map((one) => inner(one)))
      .map((parts) => (parts.length === 1 ? parts[0] : Object.assign({}, ...parts)));
  if (Array.isArray(schema.type)) {
    const [type, ...others] = schema.type as readonly string[];
    const first = { arbitrary: inner({ ...schema, type: type! }), weight: 4 };
    return fc.oneof(first, ...others.map((other) => inner({ type: other })));
  }
  switch (schema.type) {
    case 'null':
      return fc.constant(null);
    case 'string':
      return text(schema);
    case 'integer':
      return fc.integer({ min: schema.minimum ?? -1000, max: Math.min(schema.maximum ?? 5000, 2 ** 31 - 1) });
    case 'number':
      return fc.double({
        min: schema.minimum ?? schema.exclusiveMinimum ?? -1e6,
        max: schema.maximum ?? 1e6,
        noNaN: true,
      });
    case 'boolean':
      return fc.boolean();
    case 'array':
      return fc.array(inner(schema.items ?? {}), { minLength: Math.min(schema.minItems ?? 0, 5), maxLength: 4 });
    case 'object':
      return object(schema, likely, inner);
    default:
      return schema.properties ? object(schema, likely, inner) : fc.jsonValue({ maxDepth: 3 });
  }
}

function object(
  schema: Schema,
  likely: boolean,
  inner: (schema: Schema, name: string) => fc.Arbitrary<unknown>,
): fc.Arbitrary<unknown> {
  const { required = [], additionalProperties } = schema;
  const properties = Object.fromEntries(
    Object.entries(schema.properties ?? {}).filter(([name]) => !likely || required.includes(name) || name in SENSIBLE),
  );
  const listed = fc.record(
    Object.fromEntries(Object.entries(properties).map(([name, one]) => [name, inner(one, name)])),
    { requiredKeys: required.filter((name) => name in properties) },
  );
  const others =
    typeof additionalProperties === 'object' ? inner(additionalProperties, '') : fc.jsonValue({ maxDepth: 2 });
  if (Object.keys(properties).length > 0 && typeof additionalProperties !== 'object') return listed;
  return fc
    .tuple(fc.dictionary(fc.string({ maxLength: 12 }), others, { maxKeys: 3 }), listed)
    .map(([a, b]) => ({ ...a, ...b }));
}

function text({ format, pattern, minLength = 0, maxLength = 30 }: Schema): fc.Arbitrary<string> {
  if (format === 'date-time') return fc.date({ noInvalidDate: true }).map((date) => date.toISOString());
  if (format === 'uuid') return fc.uuid();
  if (format === 'email') return fc.emailAddress();
  if (format === 'uri') return fc.webUrl();
  // No text can be generated for patterns with look-ahead.
  if (pattern !== undefined && !pattern.includes('(?!') && !pattern.includes('(?='))
    return fc.stringMatching(new RegExp(pattern, 'u')).map((one) => one.slice(0, 200));
  const length = { minLength, maxLength: Math.max(minLength, Math.min(maxLength, 30)) };
  return fc.oneof(
    fc.constantFrom(...WORDS).filter((word) => word.length >= minLength && word.length <= maxLength),
    fc.string(length),
    fc.string({ ...length, unit: 'binary' }),
  );
}

const WORDS = [
  'Maria flew from Paris to Lima.',
  'traveller',
  'destination',
  'trips',
  'person',
  'label',
  'user',
  'name::str',
];

/** Plausible values for some fields. */
const SENSIBLE: Readonly<Record<string, readonly unknown[]>> = {
  email: [ADMIN.email],
  password: [ADMIN.password],
  task_type: ['ner', 'classification'],
  labels: [
    ['person', 'city'],
    ['positive', 'negative'],
  ],
  num_examples: [3],
  nr_epochs: [1],
  base_model: ['anneal/encoder-base-v1'],
  datasets: [[{ name: 'trips of mine' }]],
  sources: [[{ dataset_name: 'trips of mine' }, { dataset_name: 'trips of mine', version: 1 }]],
  repo_id: ['ada/set'],
  hf_token: [HUB_TOKEN],
  dataset_type: ['ner'],
  schema: [['person'], { entities: ['city'], classifications: [{ task: 'mood', labels: ['good', 'bad'] }] }],
  messages: [[{ role: 'user', content: 'Maria flew from Paris to Lima.' }]],
  max_tokens: [20],
  stream: [true, false],
  input: ['Maria flew to Lima.', ['one', 'two']],
  text: ['Maria flew from Paris to Lima.', ['a', 'b']],
};

/** Values that no schema asks for. */
export const hostile: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(
    ...[
      '',
      ' ',
      '\u0000',
      'a\u0000b',
      '\ud800',
      '\udfff x',
      '\u202e',
      '\ufeff',
      '💥',
      'é'.normalize('NFD'),
      '%00',
      '\n',
    ],
    ...['../../etc/passwd', '..', '/', '\\', "'; DROP TABLE events; --", '$where', '{{7*7}}', 'file:///etc/passwd'],
    ...['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'latest', 'null', 'true', '-1', '1e9', '0x10', 'NaN'],
    ...['http://169.254.169.254/', 'http://localhost:1/', 'javascript:alert(1)', '9'.repeat(400), 'x'.repeat(100_000)],
    ...[0, -0, -1, 1.5, 1e308, -1e308, 5e-324, 2 ** 31, 2 ** 53, 2 ** 63, 9007199254740993, true, false, null],
    ...[[], {}, [null], [[[]]], [{}], { a: { b: [] } }, { length: 1 }, { toJSON: 1 }, { constructor: 1, toString: 1 }],
  ),
  fc.constantFrom(10, 1000).map(nested),
  fc.constantFrom(1_001, 20_000).map((length) => Array.from({ length }, () => 'x')),
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc.jsonValue({ maxDepth: 3 }),
  // An own property of that name, as JSON.parse makes one.
  fc.jsonValue({ maxDepth: 1 }).map((value) => JSON.parse(`{"__proto__":${JSON.stringify(value)}}`) as unknown),
);

function nested(depth: number): unknown {
  let value: unknown = 'deep';
  for (let level = 0; level < depth; level += 1) value = level % 2 ? [value] : { a: value };
  return value;
}

/** Valid values with one place changed: dropped, doubled, or something hostile in its stead. */
export const almostValid = (schemas: Schemas, schema: Schema): fc.Arbitrary<unknown> =>
  fc
    .tuple(valid(schemas, schema), fc.nat(1000), fc.constantFrom('replace', 'replace', 'drop', 'wrap', 'add'), hostile)
    .map(([value, place, how, other]) => changed(value, place, how, other));

function changed(value: unknown, place: number, how: string, other: unknown): unknown {
  const places = placesOf(value);
  const path = places[place % places.length] ?? [];
  return at(value, path, (old) => {
    if (how === 'wrap') return [old];
    if (how === 'drop') return undefined;
    if (how === 'add' && isRecord(old)) return { ...old, surprise: other };
    return other;
  });
}

type Path = readonly (string | number)[];

function placesOf(value: unknown, path: Path = []): readonly Path[] {
  if (Array.isArray(value)) return [path, ...value.flatMap((one, index) => placesOf(one, [...path, index]))];
  if (isRecord(value)) return [path, ...Object.entries(value).flatMap(([key, one]) => placesOf(one, [...path, key]))];
  return [path];
}

function at(value: unknown, [step, ...rest]: Path, change: (old: unknown) => unknown): unknown {
  if (step === undefined) return change(value);
  if (Array.isArray(value)) return value.map((one: unknown, index) => (index === step ? at(one, rest, change) : one));
  const entries = Object.entries(value as object).map(
    ([key, one]: [string, unknown]) => [key, key === step ? at(one, rest, change) : one] as const,
  );
  return Object.fromEntries(entries);
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Reference);
