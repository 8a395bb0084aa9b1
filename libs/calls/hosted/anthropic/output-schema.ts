import { isRecord } from '#primitives/values.js';
import type { Json, JsonObject } from '#domain/json.js';
import type { Dropped } from '../dropped.js';

/** Keywords whose values are schemas by name, schemas, or lists of them. */
const NAMED = ['properties', '$defs', 'definitions'];
const LISTED = ['anyOf', 'allOf', 'oneOf'];
/** Keywords that are taken as they are. */
const KEPT = new Set([
  ...['type', 'const', 'default', 'title', 'description', 'required', '$schema', '$id', 'items'],
  ...NAMED,
  ...LISTED,
]);
const FORMATS = new Set([
  ...['date-time', 'time', 'date', 'duration', 'email', 'hostname', 'uri', 'ipv4', 'ipv6', 'uuid'],
]);
/** Parts of regular expressions that are refused: lookaround, boundaries, references to groups. */
const REFUSED_PATTERN = /\(\?[=!<]|\\[bB1-9]/;

/**
 * A schema as the providers of this style enforce it (https://platform.claude.com/docs/en/build-with-claude/structured-outputs):
 * objects take no further properties, and limits on numbers, texts and lists go into the description, as in its SDKs. The
 * caller is told of these.
 */
export function enforceable(schema: JsonObject, dropped: Dropped): JsonObject {
  const kept: Record<string, Json> = {};
  const told: string[] = [];
  for (const [key, value] of Object.entries(schema)) {
    if (value === undefined || key === 'additionalProperties') continue;
    if (isEnforced(key, value)) kept[key === 'oneOf' ? 'anyOf' : key] = within(key, value, dropped);
    else {
      told.push(`${key}: ${JSON.stringify(value)}`);
      dropped.drop(`schema.${key}`);
    }
  }
  if (isObject(schema)) {
    kept['additionalProperties'] = false;
    if (schema['additionalProperties'] !== undefined && schema['additionalProperties'] !== false)
      dropped.drop('schema.additionalProperties');
  }
  if (told.length > 0) {
    const { description } = schema;
    kept['description'] = `${typeof description === 'string' ? `${description}\n\n` : ''}{${told.join(', ')}}`;
  }
  return kept;
}

const isObject = ({ type, properties }: JsonObject): boolean =>
  type === 'object' || (Array.isArray(type) && type.includes('object')) || (type === undefined && isRecord(properties));

function isEnforced(key: string, value: Json): boolean {
  if (key === 'format') return typeof value === 'string' && FORMATS.has(value);
  if (key === 'minItems') return value === 0 || value === 1;
  if (key === '$ref') return typeof value === 'string' && value.startsWith('#');
  if (key === 'enum') return !Array.isArray(value) || (value as readonly Json[]).every((each) => !isComplex(each));
  if (key === 'pattern') return typeof value === 'string' && !REFUSED_PATTERN.test(value);
  return KEPT.has(key);
}

/** Lists and objects are refused as values of an enumeration. */
const isComplex = (value: Json): boolean => typeof value === 'object' && value !== null;

function within(key: string, value: Json, dropped: Dropped): Json {
  const one = (given: Json): Json => (isRecord(given) ? enforceable(given, dropped) : given);
  if (LISTED.includes(key) && Array.isArray(value)) return (value as Json[]).map(one);
  if (key === 'items') return one(value);
  if (!NAMED.includes(key) || !isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, given]) => [name, one(given!)]));
}

/** Whether a schema contains itself by a reference, which the providers of this style do not enforce. */
export function isRecursive(schema: JsonObject): boolean {
  /** References that are followed, and whether they have been to their end. */
  const followed = new Map<string, boolean>([['#', false]]);
  const contains = (value: Json): boolean => {
    if (Array.isArray(value)) return (value as readonly Json[]).some(contains);
    if (!isRecord(value)) return false;
    const { $ref: ref, $defs: _, definitions: __, ...rest } = value;
    return (typeof ref === 'string' && leadsBack(ref)) || Object.values(rest).some((each) => contains(each!));
  };
  const leadsBack = (ref: string): boolean => {
    const isDone = followed.get(ref);
    if (isDone !== undefined) return !isDone;
    followed.set(ref, false);
    const isBack = contains(referred(schema, ref));
    followed.set(ref, true);
    return isBack;
  };
  return contains(schema);
}

/** The schema at a reference such as `#/$defs/node`; null: it is elsewhere. */
function referred(schema: JsonObject, ref: string): Json {
  if (!ref.startsWith('#/')) return null;
  const names = ref
    .slice(2)
    .split('/')
    .map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'));
  return names.reduce<Json>((value, name) => (isRecord(value) ? (value[name] ?? null) : null), schema);
}
