import type { Json, JsonObject } from '#domain/json.js';
import { HEAD_KEYS } from '../../rows/columns.js';
import { entriesOf, isSpanEntry } from './span-entries.js';

const TEXTS = new Set([
  ...[
    'text',
    'sentence',
    'content',
    'document',
    'body',
    'review',
    'review_text',
    'reviewtext',
    'comment',
    'comment_text',
  ],
  ...[
    'tweet',
    'message',
    'sms',
    'utterance',
    'query',
    'question',
    'headline',
    'description',
    'phrase',
    'post',
    'email',
  ],
]);
const CLASSES = new Set([
  ...['label', 'class', 'category', 'intent', 'sentiment', 'emotion', 'topic', 'target', 'polarity', 'label_name'],
  ...['label_text', 'airline_sentiment', 'class_name', 'classification', 'gold_label'],
]);

/** Texts that are classified together, as GLUE, SNLI and their like name them. */
const PAIRS: readonly (readonly string[])[] = [
  ['premise', 'hypothesis'],
  ...['sentence', 'text', 'question'].flatMap((name) => [
    [`${name}1`, `${name}2`],
    [`${name}_1`, `${name}_2`],
    [`${name}_a`, `${name}_b`],
  ]),
];

const LISTS = new Set(['categories', 'classes', 'topics', 'genres', 'intents', 'emotions', 'taxonomy', 'hierarchy']);

/** Names of columns whose name, in any case, is usual for a text. */
export const textColumns = (row: JsonObject): readonly string[] => columnsOf(row, TEXTS);

/** The columns of two texts that are classified together; none: empty. */
export const pairColumns = (row: JsonObject): readonly string[] =>
  PAIRS.map((pair) => pair.flatMap((name) => columnsOf(row, new Set([name])))).find(({ length }) => length === 2) ?? [];

/** The same for classes, or else for lists of them. */
export function classColumns(row: JsonObject): readonly string[] {
  const named = columnsOf(row, CLASSES);
  return named.length > 0 ? named : columnsOf(row, LISTS).filter((name) => isListOfTexts(row[name]));
}

const columnsOf = (row: JsonObject, names: ReadonlySet<string>): readonly string[] =>
  Object.keys(row).filter((name) => names.has(name.trim().toLowerCase().replaceAll(/[ -]/g, '_')));

/** Whether a row has a text and labels in the native form. */
export const isOwn = (row: JsonObject): boolean =>
  row.text !== undefined && HEAD_KEYS.some((key) => row[key] !== undefined);

/** Whether some column lists spans, which are more than a class. */
export const hasSpans = (row: JsonObject): boolean =>
  Object.values(row).some((value) => entriesOf(value)?.some(isSpanEntry) === true);

/** Whether a value is a list of texts that are not empty. */
export const isListOfTexts = (value: Json | undefined): value is readonly string[] & Json =>
  Array.isArray(value) && (value as readonly Json[]).every(isText);

export const isText = (value: Json | undefined): value is string => typeof value === 'string' && value.trim() !== '';
