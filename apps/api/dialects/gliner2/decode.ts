import { DEFAULT_THRESHOLD, bodyOf, readTexts } from '../native/decode.js';
import { decodeSchema } from '../native/decode-schema.js';
import { isRecord, kindOf, Reader } from '../../validation/reader.js';
import { HEADS, type EncoderRequest, type RequestedSchema } from '#calls/encoder-request.js';

/** The task names of the GLiNER2 API client; without one it is `schema`. */
export const GLINER2_TASKS = ['extract_entities', 'classify_text', 'extract_json', 'schema'] as const;
type Task = (typeof GLINER2_TASKS)[number];

/** A request of `POST /gliner-2`, checked. */
export interface Gliner2Request {
  readonly encoder: Omit<EncoderRequest, 'modelId'>;
  /** False: as the model's own code has results before it formats them. */
  readonly formatted: boolean;
  /** Entities of which at most one is wanted: these are single values here, not lists. */
  readonly scalarEntities: ReadonlySet<string>;
}

type Body = Readonly<Record<string, unknown>>;

/** All that the client sends, and `store`. */
const FIELDS: ReadonlySet<string> = new Set([
  ...['task', 'text', 'schema', 'threshold', 'include_confidence', 'include_spans', 'format_results', 'store'],
]);
const SCHEMA_FIELDS: ReadonlySet<string> = new Set([
  ...HEADS,
  ...['entity_dtype', 'entity_threshold', 'relation_threshold'],
]);

/** Definitions of labels, tasks and fields come from the client's own callers, who may write them for its local models. */
class Gliner2Reader extends Reader {
  override known(): void {}

  readonly refuseUnknown = super.known.bind(this);
}

/**
 * Checks what the GLiNER2 API client sends (`gliner2.api_client` of the Python package gliner2): the schema is what its task says.
 * @throws InvalidError naming every field that is wrong
 */
export function decodeGliner2Request(body: unknown): Gliner2Request {
  const reader = new Gliner2Reader();
  const fields = bodyOf(reader, body);
  reader.refuseUnknown(fields, FIELDS, []);
  const task = reader.oneOf(fields['task'], ['task'], GLINER2_TASKS) ?? 'schema';
  const given = fields['schema'];
  if (task === 'schema' && isRecord(given)) reader.refuseUnknown(given, SCHEMA_FIELDS, ['schema']);
  if (given === undefined || given === null) reader.refuse(['schema'], `is required: ${EXPECTED[task]}`, 'missing');
  const schema = withDefaults(reader, decodeSchema(reader, nativeSchema(reader, task, given)), given);
  const request: Gliner2Request = {
    encoder: {
      kind: 'encoder',
      texts: readTexts(reader, fields['text'], false),
      textField: 'text',
      batch: Array.isArray(fields['text']),
      schema,
      threshold: reader.number(fields['threshold'], ['threshold'], [0, 1]) ?? DEFAULT_THRESHOLD,
      store: reader.boolean(fields['store'], ['store'], true),
      projectId: null,
      includeConfidence: reader.boolean(fields['include_confidence'], ['include_confidence'], false),
      includeSpans: reader.boolean(fields['include_spans'], ['include_spans'], false),
      isWarmup: false,
    },
    formatted: reader.boolean(fields['format_results'], ['format_results'], true),
    scalarEntities: new Set(schema?.entities?.flatMap(({ name, dtype }) => (dtype === 'str' ? [name] : []))),
  };
  reader.done();
  return request;
}

/**
 * The schema of a recorded call of an encoder, as the native route or this one took it. Nothing on record says which: where both
 * take a schema they mean the same by it.
 * @param task as the record has it
 * @returns null when there was none
 */
export function recordedSchema(task: string, schema: unknown): RequestedSchema | null {
  const named = GLINER2_TASKS.find((each) => each === task) ?? 'schema';
  const reader = new Reader();
  return withDefaults(reader, decodeSchema(reader, nativeSchema(reader, named, schema)), schema);
}

const EXPECTED: Readonly<Record<Task, string>> = {
  extract_entities: 'a list of entity labels, or a map from label to description',
  classify_text: '{categories: [...]}',
  extract_json: 'a map from structure name to its fields',
  schema: 'an object with entities, classifications, structures or relations',
};

/** What a task's schema means among the native forms. */
function nativeSchema(reader: Reader, task: Task, schema: unknown): unknown {
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
    return { classifications: [{ task: 'classification', labels: isRecord(labels) ? Object.keys(labels) : labels }] };
  }
  if (isRecord(schema) && schema['classifications'] !== undefined)
    return { classifications: renamedClassifications(schema).classifications };
  if (Array.isArray(schema)) return { classifications: [{ task: 'classification', labels: schema }] };
  const what = isRecord(schema) ? 'an object without categories' : kindOf(schema);
  reader.refuse(['schema'], `must be ${EXPECTED.classify_text}, not ${what}`, 'wrong_type');
  return undefined;
}

/** `cls_threshold` is what the client calls a task's own threshold; labels may be a map to descriptions. */
function renamedClassifications({ classifications }: Body): { classifications?: unknown } {
  const renamed = (task: unknown): unknown => {
    if (!isRecord(task)) return task;
    const { cls_threshold: threshold, labels } = task;
    return {
      ...task,
      ...(task['threshold'] === undefined && threshold !== undefined && { threshold }),
      ...(isRecord(labels) && { labels: Object.keys(labels) }),
    };
  };
  if (Array.isArray(classifications)) return { classifications: classifications.map(renamed) };
  if (!isRecord(classifications)) return {};
  // Built without a prototype: tasks are keys, and one may be called __proto__.
  const tasks = Object.create(null) as Record<string, unknown>;
  for (const [task, value] of Object.entries(classifications)) tasks[task] = renamed(value);
  return { classifications: tasks };
}

/** `entity_dtype`, `entity_threshold` and `relation_threshold` hold for whatever has none of its own. */
function withDefaults(reader: Reader, decoded: RequestedSchema | null, schema: unknown): RequestedSchema | null {
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
