import type { FieldSpec, RowsRequest } from '#domain/generation-job/index.js';
import type { Json, JsonObject } from '#domain/json.js';

/**
 * The rows in what a decoder wrote: a list, an object that holds one, or an object a line; with or without a code fence or words
 * around. What is no JSON is left out.
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

/** The row as datasets hold it, without what was not asked for; null where it is not what was asked for. */
export function shapedRow(row: JsonObject, request: RowsRequest): JsonObject | null {
  switch (request.taskType) {
    case 'ner':
      return entityRow(row, new Set(request.labels));
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

function entityRow({ text, entities }: JsonObject, labels: ReadonlySet<string>): JsonObject | null {
  if (typeof text !== 'string' || !Array.isArray(entities)) return null;
  const pairs = (entities as readonly Json[]).map((entity) => {
    const [span, label] = Array.isArray(entity)
      ? (entity as readonly Json[])
      : isObject(entity)
        ? [entity['text'] ?? entity['span'], entity['label']]
        : [];
    return typeof span === 'string' && typeof label === 'string' && labels.has(label) ? [span, label] : null;
  });
  return pairs.includes(null) ? null : { text, entities: pairs };
}

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

/** Every field with a value of its type, and no other; null where one is missing or of another type. */
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

/** undefined for what is no JSON, or so deep that others could not walk through it. */
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
