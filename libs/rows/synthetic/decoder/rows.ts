import type { FieldSpec, RowsRequest, StructureSpec } from '#domain/generation-job/index.js';
import type { Json, JsonObject } from '#domain/json.js';

/**
 * The rows in a decoder's answer: a list, an object that contains one, or an object a line; with or without a code
 * fence or words around. Invalid JSON is left out.
 */
export function parsedRows(text: string): readonly JsonObject[] {
  const whole = parsed(text.slice(firstOf(text, '{['), lastOf(text, '}]') + 1));
  if (Array.isArray(whole)) return (whole as readonly Json[]).filter(isObject);
  if (isObject(whole)) {
    const list = Object.values(whole).find((value) => Array.isArray(value) && value.some(isObject));
    if (list !== undefined && !('messages' in whole)) return (list as readonly Json[]).filter(isObject);
    return [whole];
  }
  // A list that was cut off, or one row per line.
  return text
    .split('\n')
    .map((line) => parsed(line.trim().replace(/,$/, '')))
    .filter(isObject);
}

/** The row in the form of datasets, without unrequested parts; null if it does not match the request. */
export function shapedRow(row: JsonObject, request: RowsRequest): JsonObject | null {
  switch (request.taskType) {
    case 'ner':
      return headsRow(row, request);
    case 'classification': {
      const { text, label } = row;
      return typeof text === 'string' && typeof label === 'string' && request.labels.includes(label)
        ? { text, label }
        : null;
    }
    case 'custom':
      return Object.keys(row).length > 0 ? row : null;
    case 'decoder':
      return conversation(row, request.instruction);
    case 'records':
      return record(row, request.fields);
    case 'fields': {
      const { input, output } = row;
      const [given, wanted] = [record(input, request.inputFields), record(output, request.outputFields)];
      return given && wanted && { input: given, output: wanted };
    }
  }
}

/** A row with exactly the requested heads; null if one is missing or malformed. */
function headsRow(row: JsonObject, { labels, structures = [], relations = [] }: RowsRequest): JsonObject | null {
  if (typeof row.text !== 'string') return null;
  const heads = {
    ...(labels.length > 0 && { entities: entitiesOf(row.entities, new Set(labels)) }),
    ...(structures.length > 0 && { json_structures: structuresOf(row.json_structures, structures) }),
    ...(relations.length > 0 && { relations: relationsOf(row.relations, new Set(relations.map(({ name }) => name))) }),
  };
  return Object.values(heads).includes(null) ? null : { text: row.text, ...heads };
}

function entitiesOf(entities: Json | undefined, labels: ReadonlySet<string>): Json {
  if (!Array.isArray(entities)) return null;
  const pairs = (entities as readonly Json[]).map((entity) => {
    const [span, label] = Array.isArray(entity)
      ? (entity as readonly Json[])
      : isObject(entity)
        ? [entity['text'] ?? entity['span'], entity['label']]
        : [];
    return typeof span === 'string' && typeof label === 'string' && labels.has(label) ? [span, label] : null;
  });
  return pairs.includes(null) ? null : pairs;
}

function structuresOf(given: Json | undefined, structures: readonly StructureSpec[]): Json {
  if (!Array.isArray(given)) return null;
  const records = (given as readonly Json[]).map((each) => {
    const [name, value] = onlyEntry(each) ?? [];
    const spec = structures.find((structure) => structure.name === name);
    if (spec === undefined || !isObject(value)) return null;
    const present = spec.fields.filter((field) => (value[field.name] ?? null) !== null);
    const found = present.length > 0 ? record(value, present) : null;
    return found && { [spec.name]: found };
  });
  return records.includes(null) ? null : records;
}

function relationsOf(given: Json | undefined, names: ReadonlySet<string>): Json {
  if (!Array.isArray(given)) return null;
  const found = (given as readonly Json[]).map((each) => {
    const [name = '', ends] = onlyEntry(each) ?? [];
    if (!names.has(name) || !isObject(ends)) return null;
    const { head, tail } = ends;
    return typeof head === 'string' && typeof tail === 'string' ? { [name]: { head, tail } } : null;
  });
  return found.includes(null) ? null : found;
}

const onlyEntry = (value: Json | undefined): [string, Json] | null => {
  const entries = isObject(value) ? Object.entries(value) : [];
  return entries.length === 1 ? (entries[0] as [string, Json]) : null;
};

function conversation({ messages }: JsonObject, instruction: string | null): JsonObject | null {
  if (!Array.isArray(messages)) return null;
  const turns = (messages as readonly Json[]).map((turn) =>
    isObject(turn) && typeof turn['role'] === 'string' && typeof turn['content'] === 'string'
      ? { role: turn['role'], content: turn['content'] }
      : null,
  );
  if (turns.length < 2 || turns.some((turn) => turn === null || turn.content.trim() === '')) return null;
  const spoken = turns.filter((turn) => turn!.role !== 'system');
  const system =
    instruction === null ? turns.filter((turn) => turn!.role === 'system') : [{ role: 'system', content: instruction }];
  return { messages: [...system, ...spoken] as Json };
}

/** Every field with a value of its type, and no other; null if one is missing or of another type. */
function record(value: Json | undefined, fields: readonly FieldSpec[]): JsonObject | null {
  if (!isObject(value)) return null;
  const entries = fields.map(({ name, type, choices }): [string, Json] | null => {
    const given = value[name];
    const allowed = (text: string) => choices === null || choices.includes(text);
    if (type === 'string') return typeof given === 'string' && allowed(given) ? [name, given] : null;
    if (type === 'list') {
      const list = Array.isArray(given) ? (given as readonly Json[]) : null;
      return list?.every((entry) => typeof entry === 'string' && allowed(entry)) ? [name, list] : null;
    }
    return typeof given === type && allowed(JSON.stringify(given)) ? [name, given as Json] : null;
  });
  return entries.includes(null) ? null : Object.fromEntries(entries as [string, Json][]);
}

const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** undefined for invalid JSON, or if it nests too deep to be walked through. */
function parsed(text: string): Json | undefined {
  try {
    const value = JSON.parse(text) as Json;
    return isShallow(value, MAX_LEVELS) ? value : undefined;
  } catch {
    return undefined;
  }
}

const MAX_LEVELS = 50;
const isShallow = (value: Json, levels: number): boolean =>
  typeof value !== 'object' ||
  value === null ||
  (levels > 0 && Object.values(value).every((each) => isShallow(each as Json, levels - 1)));

const firstOf = (text: string, marks: string): number =>
  Math.max(0, text.search(new RegExp(`[${marks.replace('[', '\\[')}]`)));
const lastOf = (text: string, marks: string): number => Math.max(...[...marks].map((mark) => text.lastIndexOf(mark)));
