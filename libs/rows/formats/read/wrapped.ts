import type { Json, JsonObject } from '#domain/json.js';
import { UnreadableFileError } from '../limits.js';
import { isObject } from '../rows/kinds.js';
import type { SourceRow } from './json-values.js';
import { labelNamesOf, type LabelNamesOfColumns } from './label-names.js';

/** Keys under which programs put the list of rows. */
const WRAPPERS = ['data', 'rows', 'examples', 'items', 'records', 'instances', 'dataset', 'inferences'];
/** The list of an object of splits that is read, and the ones of which the first is read where that is missing. */
const TRAINING_SPLITS = ['train', 'training'];
const OTHER_SPLITS = ['validation', 'valid', 'val', 'dev', 'test', 'eval'];
/** Keys of objects within the object, and of the list in them: in projects of Azure, and in Rasa's training data. */
const HOLDERS: Readonly<Record<string, string>> = { assets: 'utterances', rasa_nlu_data: 'common_examples' };
/** A project of LUIS, which also lists its intents and its kinds of entities. */
const LUIS = 'luis_schema_version';
/** The beginning of a list of intents with their examples, and not only with their names. */
const INTENTS = /^\[\s*\{[^{}]*"(?:utterances|patterns|examples)"\s*:\s*\[/;
/** Bytes of the file before the list, at most. */
export const MAX_HEAD_BYTES = 1024 * 1024;
const MAX_NAMED_KEYS = 10;
const MAX_KEY_CHARACTERS = 60;

/** A JSON object that holds the list of rows under one of its keys. */
export interface Wrapping {
  readonly key: string;
  /** The byte of the list's bracket. */
  readonly start: number;
  /** The object's fields before the list; empty if they are not JSON. */
  readonly beside: JsonObject;
  /** The keys before the list. */
  readonly keys: readonly string[];
  /** Objects around the list. */
  readonly depth: number;
}

/**
 * Finds the list of rows in the beginning of a JSON object.
 * @param columns keys of rows: an object with one of them is a row
 * @returns null when it is no such object, such as a row; `more` when the beginning does not tell
 */
export function wrappingOf(head: Buffer, columns: readonly string[]): Wrapping | 'more' | null {
  const text = head.toString('latin1');
  const keys: string[] = [];
  let otherSplit: Wrapping | null = null;
  let emptySplit: Wrapping | null = null;
  let holder: string | undefined;
  let at = skipSpace(text, 1);
  for (;;) {
    if (at >= text.length) return 'more';
    const end = text[at] === '"' ? stringEnd(text, at) : null;
    if (end === null) return null;
    const colon = skipSpace(text, end);
    const value = skipSpace(text, colon + 1);
    if (value >= text.length) return 'more';
    if (text[colon] !== ':') return null;
    const key = text.slice(at + 1, end - 1);
    const isLuis = keys.includes(LUIS);
    if (holder === undefined && !isLuis && columns.includes(key)) return null;
    if (holder === undefined && Object.hasOwn(HOLDERS, key) && text[value] === '{') {
      holder = HOLDERS[key];
      at = skipSpace(text, value + 1);
      continue;
    }
    const isOtherSplit = OTHER_SPLITS.includes(key);
    const isSplit = isOtherSplit || TRAINING_SPLITS.includes(key);
    const isList =
      holder === undefined
        ? WRAPPERS.includes(key) ||
          isSplit ||
          (isLuis ? key === 'utterances' : key === 'intents' && INTENTS.test(text.slice(value)))
        : key === holder;
    if (isList && text[value] === '[') {
      const first = skipSpace(text, value + 1);
      if (first >= text.length) return 'more';
      if (text[first] === '{' || text[first] === ']' || (isSplit && text[first] === '[')) {
        const found = {
          key,
          start: value,
          beside: objectOf(`${head.toString('utf8', 0, at)}"":0}`),
          keys: [...keys],
          depth: holder === undefined ? 1 : 2,
        };
        const isEmpty = isSplit && text[first] === ']';
        if (!isOtherSplit && !isEmpty) return found;
        // The split for training, or one with rows, may follow.
        if (isEmpty) emptySplit ??= found;
        else otherSplit ??= found;
      }
    }
    keys.push(keyOf(head.toString('utf8', at, end)));
    const next = skipSpace(text, valueEnd(text, value));
    if (next >= text.length) return 'more';
    const split = otherSplit ?? emptySplit;
    if (text[next] === '}' && split !== null) return split;
    if (text[next] !== ',') return null;
    at = skipSpace(text, next + 1);
  }
}

/** @param head the first bytes of an object that are looked at @throws UnreadableFileError for splits of which it does not show the one to read */
export function refuseSplits(head: Buffer): void {
  const [, split = ''] = /^\{\s*"(\w+)"\s*:\s*\[/.exec(head.toString('latin1', 0, 1000)) ?? [];
  if (!OTHER_SPLITS.includes(split)) return;
  throw new UnreadableFileError(
    `the file is one object that begins with the list "${split}", which is too long to see what follows it; put "train" first, ` +
      'or upload each list as a file of its own',
  );
}

/** The names of ClassLabels in the `features` that the hub's server of rows sends before them. */
export function namesBeside({ features }: JsonObject): LabelNamesOfColumns {
  if (!Array.isArray(features)) return {};
  const described = (features as readonly Json[]).flatMap((feature) =>
    isObject(feature) && typeof feature.name === 'string' ? [[feature.name, feature.type] as const] : [],
  );
  return labelNamesOf(Object.fromEntries(described));
}

/** The row within a row of the hub's server. */
export function servedRow(source: SourceRow): SourceRow {
  const { row, row_idx: number, truncated_cells: truncated } = source.value ?? {};
  if (!isObject(row) || typeof number !== 'number') return source;
  const [column] = Array.isArray(truncated) ? (truncated as readonly Json[]) : [];
  if (typeof column === 'string')
    return {
      error: { field: column, reason: 'was cut off by the server that sent the rows; pull the data set instead' },
      raw: row,
    };
  return { value: row };
}

function objectOf(json: string): JsonObject {
  try {
    const { '': _, ...others } = JSON.parse(json) as JsonObject;
    return others;
  } catch {
    return {};
  }
}

/** Names the keys that were passed over, the first of many: `"version", "meta" left out`. */
export function leftOutAs(keys: readonly string[]): string {
  const named = keys.slice(0, MAX_NAMED_KEYS).map((key) => JSON.stringify(key.slice(0, MAX_KEY_CHARACTERS)));
  const more = keys.length - named.length;
  return `${named.join(', ')}${more > 0 ? ` and ${more} more` : ''} left out`;
}

function keyOf(quoted: string): string {
  try {
    return JSON.parse(quoted) as string;
  } catch {
    return quoted.slice(1, -1);
  }
}

function skipSpace(text: string, from: number): number {
  let at = from;
  while (at < text.length && ' \t\r\n'.includes(text[at]!)) at += 1;
  return at;
}

/** The index after the closing quote; beyond the text if there is none. */
function stringEnd(text: string, from: number): number {
  for (let at = from + 1; at < text.length; at += 1)
    if (text[at] === '\\') at += 1;
    else if (text[at] === '"') return at + 1;
  return text.length + 1;
}

/** The index after a value; beyond the text if it does not end there. */
export function valueEnd(text: string, from: number): number {
  let depth = 0;
  for (let at = from; at < text.length;) {
    const char = text[at]!;
    if (char === '"') {
      at = stringEnd(text, at);
      if (depth === 0) return at;
      continue;
    }
    if (char === '{' || char === '[') depth += 1;
    else if (char === '}' || char === ']') {
      if (depth === 0) return at;
      depth -= 1;
      if (depth === 0) return at + 1;
    } else if (char === ',' && depth === 0) return at;
    at += 1;
  }
  return text.length + 1;
}
