import type { DatasetType } from '#domain/dataset/index.js';
import type { Json, JsonObject } from '#domain/json.js';
import { HEAD_KEYS } from './columns.js';

/** Our column -> the file's. */
export type ColumnMapping = Readonly<Record<string, string>>;

/** Turns a file's rows into the stored form. */
export type Canonicalize = (row: JsonObject) => JsonObject;

/**
 * A row in the one form that is stored: columns under our names, no empty head columns, entities as pairs (as objects
 * where they say where they stand), and every decoder shape as `messages`. What does not have the shape it should is left
 * as it is for validation to name.
 * @returns the row itself where nothing is to be changed
 */
export const canonicalRow = (row: JsonObject, datasetType: DatasetType, mapping: ColumnMapping): JsonObject =>
  canonicalizer(datasetType, mapping)(row);

/** `canonicalRow` for many rows of one file. */
export function canonicalizer(datasetType: DatasetType, mapping: ColumnMapping): Canonicalize {
  const theirs = new Map(Object.entries(mapping).map(([ours, column]) => [column, ours]));
  const named: Canonicalize = theirs.size === 0 ? (row) => row : (row) => rename(row, theirs, mapping);
  if (datasetType === 'records' || datasetType === 'fields') return named;
  const shaped = datasetType === 'decoder' ? asMessages : withPairs;
  return (row) => shaped(withoutEmptyHeads(named(row)));
}

function rename(row: JsonObject, theirs: ReadonlyMap<string, string>, mapping: ColumnMapping): JsonObject {
  const entries = Object.entries(row).flatMap(([column, value]): [string, Json | undefined][] => {
    const ours = theirs.get(column);
    if (ours !== undefined) return [[ours, value]];
    // A column that has one of our names while another is mapped to it gives way.
    return Object.hasOwn(mapping, column) ? [] : [[column, value]];
  });
  return Object.fromEntries(entries);
}

function withoutEmptyHeads(row: JsonObject): JsonObject {
  if (!HEAD_KEYS.some((column) => row[column] === null)) return row;
  return Object.fromEntries(
    Object.entries(row).filter(([column, value]) => value !== null || !HEAD_KEYS.includes(column)),
  );
}

function withPairs(row: JsonObject): JsonObject {
  const { entities } = row;
  if (!Array.isArray(entities) || entities.every(Array.isArray)) return row;
  const pairs = (entities as readonly Json[]).map(canonicalEntity);
  return Object.fromEntries(
    Object.entries(row).map(([column, value]) => [column, column === 'entities' ? pairs : value]),
  );
}

function canonicalEntity(entity: Json): Json {
  if (typeof entity !== 'object' || entity === null || Array.isArray(entity)) return entity;
  const { text, span, label, start, end, ...others } = entity as JsonObject;
  if (Object.keys(others).length > 0 || (text !== undefined && span !== undefined)) return entity;
  const stretch = text ?? span;
  if (typeof stretch !== 'string' || typeof label !== 'string') return entity;
  if (start === undefined || start === null) return end === undefined || end === null ? [stretch, label] : entity;
  return { text: stretch, label, start, ...(end === undefined || end === null ? {} : { end }) };
}

const ROLE_OF_SPEAKER: Readonly<Record<string, string>> = {
  human: 'user',
  user: 'user',
  gpt: 'assistant',
  assistant: 'assistant',
  model: 'assistant',
  system: 'system',
  tool: 'tool',
};

/**
 * Alpaca (`instruction, input?, output`), ShareGPT (`conversations`) and `prompt, completion` rows (texts, or lists of
 * messages) as chat messages.
 */
function asMessages(row: JsonObject): JsonObject {
  if (row.messages !== undefined) return row;
  const { conversations, prompt, completion, instruction, input, output, system, ...others } = row;
  const begin = typeof system === 'string' && system !== '' ? [{ role: 'system', content: system }] : [];
  if (Array.isArray(conversations))
    return { messages: [...begin, ...(conversations as readonly Json[]).map(turnOf)], ...others };
  if (typeof prompt === 'string' && typeof completion === 'string')
    return { messages: [...begin, ...exchange(prompt, completion)], ...others };
  if (Array.isArray(prompt) && Array.isArray(completion))
    return { messages: [...begin, ...(prompt as readonly Json[]), ...(completion as readonly Json[])], ...others };
  if (typeof instruction === 'string' && typeof output === 'string') {
    const question = typeof input === 'string' && input !== '' ? `${instruction}\n\n${input}` : instruction;
    return { messages: [...begin, ...exchange(question, output)], ...others };
  }
  return row;
}

const exchange = (question: string, reply: string) => [
  { role: 'user', content: question },
  { role: 'assistant', content: reply },
];

function turnOf(turn: Json): Json {
  if (typeof turn !== 'object' || turn === null || Array.isArray(turn)) return turn;
  const { from, value, role, content } = turn as JsonObject;
  const speaker = from ?? role;
  return { role: (typeof speaker === 'string' && ROLE_OF_SPEAKER[speaker]) || speaker, content: value ?? content };
}
