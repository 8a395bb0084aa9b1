import { isRecord, type Json, type JsonObject } from '#domain/json.js';
import type { CanonicalTool } from '../calls/canonical.js';

/** What a JSON schema says of a value at one place of an answer. */
export interface Schema {
  /** The whole schema, which references lead into. */
  readonly root: Json;
  /** The part about this value, with its references followed. */
  readonly own: JsonObject;
}

/** References and alternatives that are followed: schemas may lead in circles. */
const MAX_STEPS = 20;
/** More values are no choice between labels. */
const MAX_VALUES = 500;

/** The schema that a request has for answers; null if it has none. @param tool the one that the answers call; null for texts */
export function answerSchema(
  { tools, format }: { readonly tools: readonly CanonicalTool[]; readonly format: Json },
  tool: string | null,
): Schema | null {
  const root = tool === null ? format : (tools.find(({ name }) => name === tool)?.parameters ?? null);
  return at(root, root);
}

/** The schema of a field of an object. */
export const fieldSchema = (schema: Schema | null, key: string): Schema | null =>
  schema && at(schema.root, memberOf(schema.own.properties, key));

/** The schema of the items of a list. */
export const itemSchema = (schema: Schema | null): Schema | null => schema && at(schema.root, schema.own.items ?? null);

/** The names of the fields of an object, in the order in which they are answered; empty if unknown. */
export const fieldsIn = (schema: Schema | null): readonly string[] =>
  isRecord(schema?.own.properties) ? Object.keys(schema.own.properties) : [];

/** The values that the schema allows, as JSON, without null; null if they are not listed. */
export function valuesIn(schema: Schema | null): readonly string[] | null {
  if (schema === null) return null;
  const { enum: listed, const: one } = schema.own;
  const values = Array.isArray(listed) ? (listed as readonly Json[]) : one === undefined ? [] : [one];
  const scalars = values.filter((value) => value !== null && typeof value !== 'object');
  return scalars.length < 2 || scalars.length > MAX_VALUES ? null : scalars.map((value) => JSON.stringify(value));
}

function at(root: Json, given: Json | undefined): Schema | null {
  let own = given ?? null;
  for (let step = 0; step < MAX_STEPS; step += 1) {
    if (!isRecord(own)) return null;
    const next = followed(root, own);
    if (next === undefined) return { root, own };
    own = next;
  }
  return null;
}

/** Where a reference leads, or the only alternative that is not null; undefined for neither. */
function followed(root: Json, { $ref: reference, anyOf, oneOf, allOf }: JsonObject): Json | undefined {
  if (typeof reference === 'string') return pointedAt(root, reference);
  for (const alternatives of [anyOf, oneOf, allOf]) {
    if (!Array.isArray(alternatives)) continue;
    const some = (alternatives as readonly Json[]).filter((each) => memberOf(each, 'type') !== 'null');
    if (some.length === 1) return some[0]!;
  }
  return undefined;
}

/** A JSON Pointer within the schema: `#/$defs/Item`. */
function pointedAt(root: Json, reference: string): Json {
  if (!reference.startsWith('#')) return null;
  const names = reference.slice(1).split('/').filter(Boolean);
  return names.reduce<Json>(
    (value, name) => memberOf(value, decodeURIComponent(name).replaceAll('~1', '/').replaceAll('~0', '~')) ?? null,
    root,
  );
}

const memberOf = (value: Json | undefined, name: string): Json | undefined =>
  isRecord(value) && Object.hasOwn(value, name) ? value[name] : undefined;
