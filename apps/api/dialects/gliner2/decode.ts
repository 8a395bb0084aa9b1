import { BodySchema } from '../../validation/body-schema.js';
import { isRecord, kindOf, Reader } from '../../validation/reader.js';
import { DEFAULT_THRESHOLD, textsOf } from '../native/decode.js';
import { decodeSchema, refuseSchemaOfNoHead } from '../native/decode-schema.js';
import type { SchemaBody } from '../native/dto.js';
import { HEADS, type EncoderRequest, type RequestedSchema } from '#calls/encoder-request.js';
import { asSent } from './sent-names.js';
import { Gliner2Body, Gliner2Schema, GLINER2_TASKS, type Gliner2Task as Task } from './dto.js';

/** A request of `POST /gliner-2`, checked. */
export interface Gliner2Request {
  /** null: the default encoder. */
  readonly modelId: string | null;
  readonly encoder: Omit<EncoderRequest, 'modelId'>;
  /** False: as the model's own code has results before it formats them. */
  readonly formatted: boolean;
  /** Entities of which at most one is wanted: these are single values here, not lists. */
  readonly scalarEntities: ReadonlySet<string>;
}

type Body = Readonly<Record<string, unknown>>;

const SCHEMA_FIELDS: ReadonlySet<string> = new Set([
  ...HEADS,
  ...['flat_ner', 'entity_dtype', 'entity_threshold', 'relation_threshold'],
]);

const gliner2Body = new BodySchema(Gliner2Body);
/** Definitions of labels, tasks and fields come from the client's own callers, who may write them for its local models. */
const gliner2Schema = new BodySchema(Gliner2Schema, () => false);

/**
 * Checks the body of the GLiNER2 API client; the task determines the form of the schema.
 * @throws InvalidError naming every field that is wrong
 */
export function decodeGliner2Request(sent: unknown): Gliner2Request {
  const body = gliner2Body.checked(sent, refuseSchema);
  const reader = new Reader();
  refuseSchema(reader, body);
  const schema = schemaOf(reader, body);
  reader.done();
  return {
    modelId: body.model ?? null,
    encoder: {
      kind: 'encoder',
      texts: textsOf(body.text),
      batch: Array.isArray(body.text),
      schema,
      threshold: body.threshold ?? DEFAULT_THRESHOLD,
      store: body.store ?? true,
      projectId: null,
      includeConfidence: body.include_confidence ?? false,
      includeSpans: body.include_spans ?? false,
      explain: false,
      isWarmup: false,
    },
    formatted: body.format_results ?? true,
    scalarEntities: new Set(schema?.entities?.flatMap(({ name, dtype }) => (dtype === 'str' ? [name] : []))),
  };
}

/** @param body of any kind */
function refuseSchema(reader: Reader, body: object): void {
  const { task: given, schema } = body as Body;
  const task = GLINER2_TASKS.find((each) => each === given) ?? 'schema';
  if (schema === undefined || schema === null) reader.refuse(['schema'], `is required: ${EXPECTED[task]}`, 'missing');
  if (task === 'schema' && isRecord(schema)) reader.known(schema, SCHEMA_FIELDS, ['schema']);
}

/** @throws InvalidError naming the fields as they were sent */
function schemaOf(reader: Reader, body: Gliner2Body): RequestedSchema | null {
  try {
    const schema = readSchema(reader, body);
    reader.done();
    return schema;
  } catch (error) {
    throw asSent(body, error);
  }
}

function readSchema(reader: Reader, { task, schema: given }: Gliner2Body): RequestedSchema | null {
  const native = nativeSchema(reader, task ?? 'schema', given);
  reader.done();
  refuseSchemaOfNoHead(reader, native);
  reader.done();
  const { schema } = gliner2Schema.checked({ schema: native });
  return withDefaults(reader, decodeSchema(reader, schema), given);
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
  return withDefaults(reader, decodeSchema(reader, nativeSchema(reader, named, schema) as SchemaBody), schema);
}

const EXPECTED: Readonly<Record<Task, string>> = {
  extract_entities: 'a list of entity labels, or a map from label to description',
  classify_text: '{categories: [...]}',
  extract_json: 'a map from structure name to its fields',
  schema: 'an object with entities, classifications, structures or relations',
};

/** Translates a task's schema to the native form. */
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
    const { cls_threshold: threshold, labels } = task;
    return {
      ...task,
      ...(task['threshold'] === undefined && threshold !== undefined && { threshold }),
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
