import type { RequestedSchema } from '../encoder-request.js';
import { kindOf, Reader } from '#primitives/reader.js';
import { isRecord } from '#primitives/values.js';
import { decodeSchema } from './decode.js';
import type { SchemaBody } from './definition.js';

/** The task names of the GLiNER2 API client; without one it is `schema`. */
export const SCHEMA_TASKS = ['extract_entities', 'classify_text', 'extract_json', 'schema'] as const;
export type SchemaTask = (typeof SCHEMA_TASKS)[number];

type Body = Readonly<Record<string, unknown>>;

/**
 * The schema of a recorded call of an encoder, in the form of the native route or this one. The record does not say
 * which, but a schema that both accept means the same in both.
 * @param task from the record
 * @returns null if there was none
 */
export function recordedSchema(task: string, schema: unknown): RequestedSchema | null {
  const named = SCHEMA_TASKS.find((each) => each === task) ?? 'schema';
  const reader = new Reader();
  return withDefaults(reader, decodeSchema(reader, nativeSchema(reader, named, schema) as SchemaBody), schema);
}

export const EXPECTED: Readonly<Record<SchemaTask, string>> = {
  extract_entities: 'a list of entity labels, or a map from label to description',
  classify_text: '{categories: [...]}',
  extract_json: 'a map from structure name to its fields',
  schema: 'an object with entities, classifications, structures or relations',
};

/** Translates a task's schema to the native form. */
export function nativeSchema(reader: Reader, task: SchemaTask, schema: unknown): unknown {
  switch (task) {
    case 'extract_entities':
      return isRecord(schema) && !('entities' in schema) ? { entities: schema } : schema;
    case 'classify_text':
      return categories(reader, schema);
    case 'extract_json':
      return isRecord(schema) && !isRecord(schema['structures']) ? { structures: schema } : schema;
    case 'schema':
      return isRecord(schema) ? { ...schema, ...renamedClassifications(schema) } : schema;
  }
}

/** The client sends a task's labels without its name, and takes the result under `classification`. */
function categories(reader: Reader, schema: unknown): unknown {
  if (schema === undefined || schema === null) return schema;
  if (isRecord(schema) && schema['categories'] !== undefined) {
    const { categories: labels } = schema;
    return { classifications: [{ task: 'classification', labels: describedLabels(labels) }] };
  }
  if (isRecord(schema) && schema['classifications'] !== undefined)
    return { classifications: renamedClassifications(schema).classifications };
  if (Array.isArray(schema)) return { classifications: [{ task: 'classification', labels: schema }] };
  const what = isRecord(schema) ? 'an object without categories' : kindOf(schema);
  reader.refuse(['schema'], `must be ${EXPECTED.classify_text}, not ${what}`, 'wrong_type');
  return undefined;
}

/** The client's `cls_threshold` is the task's own threshold; labels may map to descriptions. */
function renamedClassifications({ classifications }: Body): { classifications?: unknown } {
  const renamed = (task: unknown): unknown => {
    if (!isRecord(task)) return task;
    const { cls_threshold: threshold, ...rest } = task;
    const { labels } = rest;
    return {
      ...(rest['threshold'] === undefined && threshold !== undefined ? { ...rest, threshold } : task),
      ...(labels !== undefined && { labels: describedLabels(labels) }),
    };
  };
  if (Array.isArray(classifications)) return { classifications: classifications.map(renamed) };
  if (!isRecord(classifications)) return {};
  // Built without a prototype: tasks are keys, and one may be called __proto__.
  const tasks = Object.create(null) as Record<string, unknown>;
  for (const [task, value] of Object.entries(classifications)) tasks[task] = renamed(value);
  return { classifications: tasks };
}

/** Labels may map to descriptions; other values say nothing. */
const describedLabels = (labels: unknown): unknown =>
  isRecord(labels)
    ? Object.fromEntries(
        Object.entries(labels).map(([label, value]) => [
          label,
          typeof value === 'string' && value !== '' ? value : null,
        ]),
      )
    : labels;

/** Applies `entity_dtype`, `entity_threshold` and `relation_threshold` to items without their own. */
export function withDefaults(reader: Reader, decoded: RequestedSchema | null, schema: unknown): RequestedSchema | null {
  if (!decoded || !isRecord(schema)) return decoded;
  const dtype = reader.oneOf(schema['entity_dtype'], ['schema', 'entity_dtype'], ['str', 'list']);
  const entityThreshold = reader.number(schema['entity_threshold'], ['schema', 'entity_threshold'], [0, 1]);
  const relationThreshold = reader.number(schema['relation_threshold'], ['schema', 'relation_threshold'], [0, 1]);
  const threshold = (value: number | undefined) => value !== undefined && { threshold: value };
  return {
    ...decoded,
    entities:
      decoded.entities?.map((entity) => ({ ...(dtype && { dtype }), ...threshold(entityThreshold), ...entity })) ??
      null,
    relations: decoded.relations?.map((relation) => ({ ...threshold(relationThreshold), ...relation })) ?? null,
  };
}
