import type { ClassificationQuery } from '#gpu-runner/contract/schema.js';
import { isRecord, kindOf, type Reader } from '../../validation/reader.js';
import { HEADS, type RequestedEntity, type RequestedSchema } from '#calls/encoder-request.js';
import { readRelations, readStructures } from './decode-records.js';

const MOST_LABELS = 1_000;
const MAX_LABELS_IN_ALL = 10_000;
const MAX_LABEL_LENGTH = 1_000;
/** Keys of a result that no task or structure may take. */
const RESERVED_NAMES = ['entities', 'relation_extraction'];
const SCHEMA: readonly string[] = ['schema'];
const HEAD_NAMES: ReadonlySet<string> = new Set(HEADS);
const ENTITY_FIELDS = new Set(['name', 'description', 'threshold', 'dtype']);
const TASK_FIELDS = new Set(['task', 'labels', 'multi_label', 'top_k', 'threshold']);

/** @returns null when there is none: a trained model's own labels then apply */
export function decodeSchema(reader: Reader, schema: unknown): RequestedSchema | null {
  if (schema === undefined || schema === null) return null;
  if (Array.isArray(schema)) {
    const listed = { ...NO_HEADS, entities: entitiesFromList(reader, schema, SCHEMA) };
    boundLabels(reader, listed);
    return listed;
  }
  if (!isRecord(schema)) {
    reader.refuse(SCHEMA, `must be a list of entity labels or an object, not ${kindOf(schema)}`, 'wrong_type');
    return null;
  }
  const present = (head: (typeof HEADS)[number]) => schema[head] !== undefined && schema[head] !== null;
  if (!HEADS.some(present)) reader.refuse(SCHEMA, `must have one of ${HEADS.join(', ')}`, 'missing');
  reader.known(schema, HEAD_NAMES, SCHEMA);
  const decoded: RequestedSchema = {
    entities: present('entities') ? readEntities(reader, schema['entities']) : null,
    classifications: present('classifications') ? readClassifications(reader, schema['classifications']) : null,
    structures: present('structures') ? readStructures(reader, schema['structures'], [...SCHEMA, 'structures']) : null,
    relations: present('relations') ? readRelations(reader, schema['relations'], [...SCHEMA, 'relations']) : null,
  };
  refuseRepeatedNames(reader, decoded);
  boundLabels(reader, decoded);
  return decoded;
}

const NO_HEADS: RequestedSchema = { entities: null, classifications: null, structures: null, relations: null };

function readEntities(reader: Reader, value: unknown): readonly RequestedEntity[] {
  const path = [...SCHEMA, 'entities'];
  if (Array.isArray(value)) return entitiesFromList(reader, value, path);
  if (isRecord(value)) {
    const labels = Object.entries(value);
    reader.count(path, labels.length, 'label', MOST_LABELS);
    return labels.slice(0, MOST_LABELS).map(([name, given]) => {
      if (name === '') reader.refuse(path, 'must not have an empty label', 'out_of_range');
      return { name, ...describedEntity(reader, given, [...path, name]) };
    });
  }
  reader.refuse(
    path,
    `must be a list of labels or a map from label to description, not ${kindOf(value)}`,
    'wrong_type',
  );
  return [];
}

function entitiesFromList(reader: Reader, list: readonly unknown[], path: readonly (string | number)[]) {
  reader.count(path, list.length, 'label', MOST_LABELS);
  const entities = new Map<string, RequestedEntity>();
  list.slice(0, MOST_LABELS).forEach((item, index) => {
    const entity = readEntity(reader, item, [...path, index]);
    if (!entities.has(entity.name)) entities.set(entity.name, entity);
  });
  return [...entities.values()];
}

function readEntity(reader: Reader, item: unknown, path: readonly (string | number)[]): RequestedEntity {
  if (!isRecord(item)) return { name: reader.string(item, path, 'a label or an object with `name`') };
  return {
    name: reader.string(item['name'], [...path, 'name'], 'the label'),
    ...describedEntity(reader, item, path),
  };
}

/** A description, or an object with one. */
function describedEntity(
  reader: Reader,
  value: unknown,
  path: readonly (string | number)[],
): Omit<RequestedEntity, 'name'> {
  if (!isRecord(value)) {
    const description = reader.optionalString(value, path);
    return description === undefined ? {} : { description };
  }
  reader.known(value, ENTITY_FIELDS, path);
  const description = reader.optionalString(value['description'], [...path, 'description']);
  const threshold = reader.number(value['threshold'], [...path, 'threshold'], [0, 1]);
  const dtype = reader.oneOf(value['dtype'], [...path, 'dtype'], ['str', 'list']);
  return {
    ...(description !== undefined && { description }),
    ...(threshold !== undefined && { threshold }),
    ...(dtype !== undefined && { dtype }),
  };
}

function readClassifications(reader: Reader, value: unknown): readonly ClassificationQuery[] {
  const path = [...SCHEMA, 'classifications'];
  if (Array.isArray(value)) {
    reader.count(path, value.length, 'task', MOST_LABELS);
    return value.slice(0, MOST_LABELS).map((item: unknown, index) => {
      if (isRecord(item))
        return readTask(reader, reader.string(item['task'], [...path, index, 'task']), item, [...path, index]);
      reader.refuse([...path, index], `must be an object with task and labels, not ${kindOf(item)}`, 'wrong_type');
      return { task: '', labels: [], multiLabel: false };
    });
  }
  if (isRecord(value)) {
    const tasks = Object.entries(value);
    reader.count(path, tasks.length, 'task', MOST_LABELS);
    return tasks.slice(0, MOST_LABELS).map(([task, item]) => {
      if (task === '') reader.refuse(path, 'must not have a task without a name', 'out_of_range');
      return readTask(reader, task, isRecord(item) ? item : { labels: item }, [...path, task]);
    });
  }
  reader.refuse(path, `must be a list of tasks or a map from task to labels, not ${kindOf(value)}`, 'wrong_type');
  return [];
}

function readTask(
  reader: Reader,
  task: string,
  item: Readonly<Record<string, unknown>>,
  path: readonly (string | number)[],
): ClassificationQuery {
  reader.known(item, TASK_FIELDS, path);
  const topK = reader.integer(item['top_k'], [...path, 'top_k'], [1, MOST_LABELS]);
  const threshold = reader.number(item['threshold'], [...path, 'threshold'], [0, 1]);
  return {
    task,
    labels: reader.labels(item['labels'], [...path, 'labels'], MOST_LABELS),
    multiLabel: reader.boolean(item['multi_label'], [...path, 'multi_label'], false),
    ...(topK !== undefined && { topK }),
    ...(threshold !== undefined && { threshold }),
  };
}

/** A model compares every label with every word of a text. */
function boundLabels(reader: Reader, { entities, classifications }: RequestedSchema): void {
  const labels = [entities?.map(({ name }) => name) ?? [], ...(classifications ?? []).map((task) => task.labels)];
  const count = labels.reduce((sum, each) => sum + each.length, 0);
  if (count > MAX_LABELS_IN_ALL)
    reader.refuse(SCHEMA, `must name at most ${MAX_LABELS_IN_ALL} labels in all, not ${count}`, 'out_of_range');
  const longest = labels.flat().reduce((length, label) => Math.max(length, label.length), 0);
  if (longest > MAX_LABEL_LENGTH)
    reader.refuse(SCHEMA, `must have labels of at most ${MAX_LABEL_LENGTH} characters, not ${longest}`, 'out_of_range');
}

/** Tasks and structures are keys of one result object, beside `entities` and `relation_extraction`. */
function refuseRepeatedNames(reader: Reader, schema: RequestedSchema): void {
  const taken = new Set(RESERVED_NAMES);
  const take = (name: string, path: readonly (string | number)[]) => {
    if (taken.has(name))
      reader.refuse(path, `the name ${JSON.stringify(name)} is taken; choose another`, 'not_allowed');
    taken.add(name);
  };
  schema.classifications?.forEach(({ task }, index) => take(task, [...SCHEMA, 'classifications', index, 'task']));
  schema.structures?.forEach(({ name }) => take(name, [...SCHEMA, 'structures', name]));
}
