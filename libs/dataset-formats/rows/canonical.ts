import { isDeepStrictEqual } from 'node:util';
import type { DatasetType } from '#domain/dataset/index.js';
import type { Json, JsonObject } from '#domain/json.js';
import { HEAD_KEYS, ownColumn } from './columns.js';
import { isObject } from './kinds.js';
import { isPair } from './preferences.js';

/** Our column -> the file's. */
export type ColumnMapping = Readonly<Record<string, string>>;

/** Turns a file's rows into the stored form. */
export type Canonicalize = (row: JsonObject) => JsonObject;

/**
 * A row in the one form that is stored: columns under our names, no empty head columns, entities as pairs (as objects
 * where they say where they stand), every shape of a chat as `messages`, and pairs of answers as `prompt` (messages), `chosen`
 * and `rejected` (texts). What does not have the shape it should is left as it is for validation to name.
 * @returns the row itself where nothing is to be changed
 */
export const canonicalRow = (row: JsonObject, datasetType: DatasetType, mapping: ColumnMapping): JsonObject =>
  shaper(datasetType)(namer(datasetType, mapping)(row));

/** Gives the columns of a file's rows our names. */
export function namer(datasetType: DatasetType, mapping: ColumnMapping): Canonicalize {
  const theirs = new Map(Object.entries(mapping).map(([ours, column]) => [column, ours]));
  const mapped: Canonicalize = theirs.size === 0 ? (row) => row : (row) => rename(row, theirs, mapping);
  if (datasetType === 'records' || datasetType === 'fields') return mapped;
  return (row) => inOurCase(mapped(row), datasetType, mapping);
}

/** A row whose columns have our names in our case, where it has them in another one only. */
function inOurCase(row: JsonObject, datasetType: DatasetType, mapping: ColumnMapping): JsonObject {
  let ours: Map<string, string> | null = null;
  for (const column in row) {
    const own = ownColumn(datasetType, column);
    // The first of several columns that mean the same field counts.
    if (own === null || Object.hasOwn(row, own) || Object.hasOwn(mapping, own)) continue;
    ours ??= new Map();
    if (![...ours.values()].includes(own)) ours.set(column, own);
  }
  return ours === null
    ? row
    : Object.fromEntries(Object.entries(row).map(([column, value]) => [ours.get(column) ?? column, value]));
}

/** `canonicalRow` for rows whose columns have our names. */
export function shaper(datasetType: DatasetType): Canonicalize {
  if (datasetType === 'records' || datasetType === 'fields') return (row) => row;
  const shaped: Canonicalize = datasetType === 'decoder' ? (row) => asDecoderRow(underOurNames(row)) : withPairs;
  return (row) => shaped(withoutEmptyHeads(row));
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

/** Rows with two answers are pairs; what else has answers is a chat. */
const asDecoderRow: Canonicalize = (row) => (isPair(row) ? asPair(row) : asMessages(row));

/** Pairs as OpenAI's fine-tuning has them: `input: {messages}`, `preferred_output`, `non_preferred_output`. */
function underOurNames(row: JsonObject): JsonObject {
  const { input, preferred_output: chosen, non_preferred_output: rejected, ...others } = row;
  if (!isObject(input) || !Array.isArray(input.messages) || (chosen ?? rejected) === undefined) return row;
  const { messages, ...ofInput } = input;
  return { prompt: messages, chosen: chosen ?? null, rejected: rejected ?? null, ...ofInput, ...others };
}

/** Pairs as TRL has them: texts or messages, with the prompt by itself or before each of the answers. */
function asPair(row: JsonObject): JsonObject {
  const { prompt, chosen, rejected, system, ...others } = row;
  const asked = promptOf(row);
  if (asked === null) return row;
  const isSystem = typeof system === 'string' && system !== '';
  const messages = isSystem ? [{ role: 'system', content: system }, ...asked] : asked;
  const answers = { chosen: answerTo(asked, chosen), rejected: answerTo(asked, rejected) };
  if (messages === prompt && answers.chosen === chosen && answers.rejected === rejected) return row;
  return { prompt: messages, ...answers, ...(!isSystem && system !== undefined && { system }), ...others };
}

function promptOf({ prompt, chosen }: JsonObject): readonly Json[] | null {
  if (typeof prompt === 'string') return [{ role: 'user', content: prompt }];
  if (Array.isArray(prompt)) return prompt as readonly Json[];
  return (prompt ?? null) === null && Array.isArray(chosen) ? (chosen as readonly Json[]).slice(0, -1) : null;
}

/** The text of an answer that is a message of the assistant, alone or after the whole prompt. */
function answerTo(prompt: readonly Json[], answer: Json | undefined): Json {
  if (!Array.isArray(answer)) return answer ?? null;
  const messages = answer as readonly Json[];
  const last = messages.at(-1);
  if (!isObject(last) || last.role !== 'assistant' || typeof last.content !== 'string') return messages;
  const isPlain = Object.keys(last).every((key) => key === 'role' || key === 'content' || last[key] === null);
  const before = messages.slice(0, -1);
  return isPlain && (before.length === 0 || isDeepStrictEqual(before, prompt)) ? last.content : messages;
}

const exchange = (question: string, reply: string) => [
  { role: 'user', content: question },
  { role: 'assistant', content: reply },
];

function turnOf(turn: Json): Json {
  if (typeof turn !== 'object' || turn === null || Array.isArray(turn)) return turn;
  const { from, value, role, content, ...others } = turn as JsonObject;
  const speaker = from ?? role;
  return {
    role: (typeof speaker === 'string' && ROLE_OF_SPEAKER[speaker]) || speaker,
    content: value ?? content,
    ...others,
  };
}
