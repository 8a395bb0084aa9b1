import { TAKEN_STRUCTURE_NAMES } from '#domain/dataset/index.js';
import type { ClassificationQuery } from '#gpu-runner/contract/schema.js';
import { type Reader } from '#primitives/reader.js';
import { isPresent, isRecord } from '#primitives/values.js';
import { readStructures, relationsOf } from './decode-records.js';
import type { ClassificationDetails, EntityDetails, SchemaBody, SchemaDefinition } from './definition.js';
import { REQUEST_HEADS, type RequestedEntity, type RequestedSchema } from '../encoder-request.js';

const MAX_LABELS_IN_ALL = 10_000;
const MAX_LABEL_LENGTH = 1_000;
/** Keys of a result that no task or structure may take. */
const RESERVED_NAMES = ['entities', 'relation_extraction'];
const SCHEMA: readonly string[] = ['schema'];

/** @returns null if there is none: a trained model then uses its own labels */
export function decodeSchema(reader: Reader, schema: SchemaBody | null | undefined): RequestedSchema | null {
  if (schema === undefined || schema === null) return null;
  const definition: SchemaDefinition = Array.isArray(schema) ? { entities: schema } : schema;
  const { entities, classifications, structures, relations, flat_ner: flatNer } = definition;
  const decoded: RequestedSchema = {
    entities: entities ? entitiesOf(entities) : null,
    classifications: classifications ? classificationsOf(classifications) : null,
    structures: structures ? readStructures(reader, structures, [...SCHEMA, 'structures']) : null,
    relations: relations ? relationsOf(relations) : null,
    ...(flatNer === false && { flatNer }),
  };
  if (flatNer === false && !entities)
    reader.refuse([...SCHEMA, 'flat_ner'], 'needs labels in `entities`', 'not_allowed');
  refuseRepeatedNames(reader, decoded, Array.isArray(classifications));
  boundLabels(reader, decoded);
  return decoded;
}

/** @param schema of any kind */
export function refuseSchemaOfNoHead(reader: Reader, schema: unknown): void {
  if (isRecord(schema) && REQUEST_HEADS.every((head) => schema[head] === undefined || schema[head] === null))
    reader.refuse(SCHEMA, `must have one of ${REQUEST_HEADS.join(', ')}`, 'missing');
}

function entitiesOf(entities: NonNullable<SchemaDefinition['entities']>): readonly RequestedEntity[] {
  if (!Array.isArray(entities))
    return Object.entries(entities).map(([name, details]) => ({ name, ...detailsOf(details) }));
  const byName = new Map<string, RequestedEntity>();
  for (const item of entities) {
    const entity = typeof item === 'string' ? { name: item } : { name: item.name, ...detailsOf(item) };
    if (!byName.has(entity.name)) byName.set(entity.name, entity);
  }
  return [...byName.values()];
}

/** @param details a description, or an object with one */
function detailsOf(details: string | EntityDetails | null): Omit<RequestedEntity, 'name'> {
  const { description, threshold, dtype } = typeof details === 'string' ? { description: details } : (details ?? {});
  return {
    ...(isPresent(description) && { description }),
    ...(isPresent(threshold) && { threshold }),
    ...(isPresent(dtype) && { dtype }),
  };
}

function classificationsOf(
  classifications: NonNullable<SchemaDefinition['classifications']>,
): readonly ClassificationQuery[] {
  if (Array.isArray(classifications)) return classifications.map((item) => taskOf(item.task, item));
  return Object.entries(classifications).map(([task, item]) =>
    taskOf(task, Array.isArray(item) ? { labels: item } : item),
  );
}

function taskOf(
  task: string,
  { labels, multi_label, top_k: topK, threshold }: ClassificationDetails,
): ClassificationQuery {
  const descriptions = Array.isArray(labels)
    ? []
    : Object.entries(labels).flatMap(([label, description]) =>
        isPresent(description) ? [{ label, description }] : [],
      );
  return {
    task,
    labels: Array.isArray(labels) ? [...new Set(labels)] : Object.keys(labels),
    ...(descriptions.length > 0 && { descriptions }),
    multiLabel: multi_label ?? false,
    ...(isPresent(topK) && { topK }),
    ...(isPresent(threshold) && { threshold }),
  };
}

/** A model compares every label with every word of a text, and every choice of a field with every value found for it. */
function boundLabels(reader: Reader, { entities, classifications, structures }: RequestedSchema): void {
  const choices = (structures ?? []).flatMap(({ fields }) => fields.map((field) => field.choices ?? []));
  const labels = [
    entities?.map(({ name }) => name) ?? [],
    ...(classifications ?? []).map((task) => task.labels),
    ...choices,
  ];
  const count = labels.reduce((sum, each) => sum + each.length, 0);
  if (count > MAX_LABELS_IN_ALL)
    reader.refuse(
      SCHEMA,
      `must name at most ${MAX_LABELS_IN_ALL} labels and choices in all, not ${count}`,
      'out_of_range',
    );
  const longest = labels.flat().reduce((length, label) => Math.max(length, label.length), 0);
  if (longest > MAX_LABEL_LENGTH)
    reader.refuse(
      SCHEMA,
      `must have labels and choices of at most ${MAX_LABEL_LENGTH} characters, not ${longest}`,
      'out_of_range',
    );
}

/**
 * Tasks and structures are keys of one result object, beside `entities` and `relation_extraction`.
 * @param areTasksListed false: the client sent `classifications` as a map
 */
function refuseRepeatedNames(reader: Reader, schema: RequestedSchema, areTasksListed: boolean): void {
  const taken = new Set(RESERVED_NAMES);
  const take = (name: string, path: readonly (string | number)[], others: readonly string[] = []) => {
    if (taken.has(name) || others.includes(name))
      reader.refuse(path, `the name ${JSON.stringify(name)} is taken; choose another`, 'not_allowed');
    taken.add(name);
  };
  schema.classifications?.forEach(({ task }, index) =>
    take(task, [...SCHEMA, 'classifications', ...(areTasksListed ? [index, 'task'] : [task])]),
  );
  schema.structures?.forEach(({ name }) => take(name, [...SCHEMA, 'structures', name], TAKEN_STRUCTURE_NAMES));
}
