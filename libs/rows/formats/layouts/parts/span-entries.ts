import type { Json, JsonObject } from '#domain/json.js';
import { isObject, kind } from '../../rows/kinds.js';
import type { GivenSpan, RowContext } from '../layout.js';

/** The part that a key of an entry gives. `name`: its label, or its text beside a label. */
type Part = 'start' | 'end' | 'length' | 'label' | 'text' | 'name' | 'word';

/** Keys of entries by their part, those that count first at the front. Case, blanks and underscores make no difference. */
const KEYS: Readonly<Record<Part, readonly string[]>> = {
  start: [
    'start',
    'startoffset',
    'startchar',
    'startidx',
    'startindex',
    'begin',
    'beginoffset',
    'startposition',
    'offset',
  ],
  end: ['end', 'endoffset', 'endchar', 'endidx', 'endindex', 'endposition'],
  length: ['length'],
  label: ['label', 'labels', 'entitygroup', 'type', 'tag', 'category', 'entitytype', 'entitylabel', 'class'],
  text: ['text', 'span', 'value', 'surface', 'mention', 'content', 'entityvalue'],
  name: ['entity', 'name'],
  // A tokenizer's spelling, which may differ from the text.
  word: ['word'],
};
const PARTS = Object.keys(KEYS) as readonly Part[];

/** An entry's values by their part. */
type Parts = Readonly<Partial<Record<Part, Json>>>;

const plain = (key: string): string => key.toLowerCase().replaceAll(/[ _-]/g, '');
const partNamed = new Map(PARTS.flatMap((part) => KEYS[part].map((key, rank) => [key, { part, rank }] as const)));

function partsOf(entry: JsonObject): Parts {
  const parts: Partial<Record<Part, Json>> = {};
  const ranks: Partial<Record<Part, number>> = {};
  for (const key in entry) {
    const value = entry[key];
    const known = partNamed.get(key) ?? partNamed.get(plain(key));
    if (known === undefined || value === undefined || value === null) continue;
    if (known.rank >= (ranks[known.part] ?? Infinity)) continue;
    parts[known.part] = value;
    ranks[known.part] = known.rank;
  }
  return parts;
}

/** What an entry has besides. */
const unreadOf = (entry: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(entry).filter(([key]) => !partNamed.has(key) && !partNamed.has(plain(key))));

/** Whether an entry gives a span's start and end as numbers. */
export function isSpanEntry(entry: Json): boolean {
  if (Array.isArray(entry)) return isTriple(entry as readonly Json[]) || isLabelFirst(entry as readonly Json[]);
  if (!isObject(entry)) return false;
  const { start, end, length } = partsOf(entry);
  return isNumber(start) && isNumber(end ?? length);
}

const isTriple = (entry: readonly Json[]): boolean =>
  (typeof entry[0] === 'number' && typeof entry[1] === 'number') ||
  (entry.length === 3 && isNumber(entry[0]) && isNumber(entry[1]));

/** `[label, start, end]`, as Argilla of version 1 writes it. */
const isLabelFirst = ([label, start, end]: readonly Json[]): boolean =>
  typeof label === 'string' && typeof start === 'number' && typeof end === 'number';

/** A number, which programs without types write as text. */
const isNumber = (value: Json | undefined): boolean =>
  typeof value === 'number' || (typeof value === 'string' && /^\d{1,15}$/.test(value));

/** Whether an entry is an entity in the native form: its text, its label, and perhaps its offsets. */
export const isOwnEntity = (entry: Json): boolean =>
  Array.isArray(entry)
    ? entry.length === 2 && typeof entry[0] === 'string'
    : isObject(entry) && typeof (entry.text ?? entry.span) === 'string' && typeof entry.label === 'string';

/** Whether an entry gives a text and its label under any of their usual names, without offsets: `{"name", "type"}`. */
export function isCopiedEntry(entry: Json): boolean {
  if (!isObject(entry)) return false;
  const { start, end } = partsOf(entry);
  const { text, label } = copiedParts(entry);
  return start === undefined && end === undefined && typeof text === 'string' && isLabel(label);
}

const isLabel = (label: Json | undefined): boolean =>
  typeof label === 'string' || isListOf(label, (each) => typeof each === 'string');

function copiedParts(entry: JsonObject): { readonly text: Json | undefined; readonly label: Json | undefined } {
  const { text, label, name, word } = partsOf(entry);
  return { text: text ?? word ?? (label === undefined ? undefined : name), label: label ?? name };
}

/**
 * The entries of a column: those of a list, or of an object with a list for each key, as `datasets` of Hugging Face holds lists of
 * objects (`{"start": [0], "end": [3], "label": ["PER"]}`).
 * @param text tells such an object without offsets from texts by their label
 * @returns null for anything else
 */
export function entriesOf(value: Json | undefined, text?: Json): readonly Json[] | null {
  if (Array.isArray(value)) return value as readonly Json[];
  if (!isObject(value)) return null;
  const columns = Object.entries(value).filter(([, list]) => Array.isArray(list)) as [string, readonly Json[]][];
  const [first] = columns;
  if (first === undefined || columns.some(([, list]) => list.length !== first[1].length)) return null;
  const { start, end, length } = partsOf(value);
  const isOfSpans = [start, end ?? length].every((list) => isListOf(list, isNumber));
  if (!isOfSpans && !areCopied(value, text)) return null;
  return first[1].map((_, index) => Object.fromEntries(columns.map(([key, list]) => [key, list[index]])));
}

/** Whether a list has the texts, which occur, and another the labels, which do not all. */
function areCopied(columns: JsonObject, text: Json | undefined): boolean {
  const { text: texts, label: labels } = copiedParts(columns);
  const occurs = (each: Json) => typeof each === 'string' && typeof text === 'string' && text.includes(each);
  return isListOf(texts, occurs) && isListOf(labels, isLabel) && !isListOf(labels, occurs);
}

const isListOf = (list: Json | undefined, holds: (entry: Json) => boolean): boolean =>
  Array.isArray(list) && (list as readonly Json[]).every(holds);

/**
 * Entities of entries like `[start, end, label]` and `{start, end, label}` under any of their usual names, or of such without offsets.
 * @returns null after a refusal
 */
export function entitiesOf(text: string, entries: readonly Json[], at: string, context: RowContext): Json[] | null {
  const isCopied = entries.map((entry) => !isSpanEntry(entry) && isCopiedEntry(entry));
  for (const entry of entries) if (isObject(entry)) context.see(unreadOf(entry));
  const spans = spansOf(entries, at, context, (index) => isCopied[index]!);
  if (spans === null) return null;
  const copied = entries.filter((_, index) => isCopied[index]).flatMap((entry) => pairsOf(entry as JsonObject));
  return [...context.entities(text, spans), ...copied];
}

function pairsOf(entry: JsonObject): Json[] {
  const { text, label } = copiedParts(entry);
  return (Array.isArray(label) ? (label as readonly Json[]) : [label!]).map((each): Json => [text!, each]);
}

/**
 * Spans of entries like `[start, end, label]` and `{start, end, label}` under any of their usual names. A span with several
 * labels is one for each.
 * @param isPassedOver whether the entry at this index is no span
 * @returns null after a refusal
 */
export function spansOf(
  entries: readonly Json[],
  at: string,
  context: RowContext,
  isPassedOver: (index: number) => boolean = () => false,
): readonly GivenSpan[] | null {
  const spans: GivenSpan[] = [];
  for (const [index, entry] of entries.entries()) {
    if (isPassedOver(index)) continue;
    const place = `${at}[${index}]`;
    const { start, end: given, label, text } = givenParts(entry);
    const end = context.counting === 'inclusive' && isOffset(given) ? given + 1 : given;
    if (!isOffset(start) || !isOffset(end) || end < start)
      return refused(context, place, 'must have a start and an end, whole numbers from 0');
    const labels = Array.isArray(label) ? (label as readonly Json[]) : [label ?? null];
    for (const each of labels) {
      if (typeof each === 'number')
        return refused(context, place, `has the label ${each}: a number of a class, whose name is not in the file`);
      if (typeof each !== 'string' || each.trim() === '')
        return refused(context, place, `must have a label that is a string, not ${kind(each)}`);
    }
    if (labels.length === 0) context.tell('spans without a label left out');
    else if (start === end) context.tell('empty spans left out');
    else for (const each of labels as readonly string[]) spans.push({ start, end, label: each, at: place, ...text });
  }
  return spans;
}

function givenParts(entry: Json) {
  if (Array.isArray(entry)) {
    const list = entry as readonly Json[];
    const [start, end, label] = isLabelFirst(list) ? [list[1], list[2], list[0]] : list;
    return { start: numberOf(start), end: numberOf(end), label, text: {} };
  }
  if (!isObject(entry)) return { start: null, end: null, label: null, text: {} };
  const { start, end, length, label, name, text } = partsOf(entry);
  const from = numberOf(start);
  return {
    start: from,
    end: end === undefined && isOffset(from) && isNumber(length) ? from + Number(length) : numberOf(end),
    label: label ?? name,
    text: typeof text === 'string' ? { text } : {},
  };
}

const numberOf = (value: Json | undefined): Json | undefined => (isNumber(value) ? Number(value) : value);

function refused(context: RowContext, field: string, reason: string): null {
  context.refuse(field, reason);
  return null;
}

const isOffset = (value: Json | undefined): value is number => Number.isSafeInteger(value) && Number(value) >= 0;
