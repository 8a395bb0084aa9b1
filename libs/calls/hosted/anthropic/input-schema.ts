import type { Json, JsonObject } from '#domain/json.js';
import { isRecord } from '#primitives/values.js';
import type { Dropped } from '../dropped.js';

const ALTERNATIVES = ['anyOf', 'oneOf', 'allOf'] as const;

/**
 * Parameters of a tool as an object, which this style wants without alternatives at the top: the object has the
 * properties of all of them, and its description says which belong together. The caller is told.
 */
export function inputSchema(parameters: JsonObject, dropped: Dropped): JsonObject {
  const { type, ...rest } = parameters;
  // `["object", "null"]` is refused.
  const isNullable = Array.isArray(type) && (type as readonly Json[]).includes('object');
  const schema: JsonObject = { type: isNullable ? 'object' : (type ?? 'object'), ...rest };
  const asked = ALTERNATIVES.filter((key) => schema[key] !== undefined);
  if (asked.length === 0) return schema;
  const branches = asked.flatMap((key) => listOf(schema[key]).filter(isRecord) as JsonObject[]);
  const properties: JsonObject = Object.fromEntries<Json | undefined>(
    [...branches, schema].flatMap(({ properties: own }) => (isRecord(own) ? Object.entries(own) : [])),
  );
  const required = [schema, ...(listOf(schema['allOf']).filter(isRecord) as JsonObject[])];
  const names = new Set(required.flatMap((each) => listOf(each['required'])));
  const told = asked.map((key) => `${key}: ${JSON.stringify(schema[key])}`).join(', ');
  for (const key of asked) dropped.drop(`schema.${key}`);
  const { description } = schema;
  return {
    ...Object.fromEntries(Object.entries(schema).filter(([key]) => !(ALTERNATIVES as readonly string[]).includes(key))),
    properties,
    ...(names.size > 0 && { required: [...names] }),
    description: `${typeof description === 'string' ? `${description}\n\n` : ''}{${told}}`,
  };
}

const listOf = (value: Json | undefined): readonly Json[] => (Array.isArray(value) ? (value as readonly Json[]) : []);
