import type { Json, JsonObject } from '#domain/json.js';
import { HEAD_KEYS } from '../../rows/columns.js';
import { isSpanEntry } from './span-entries.js';

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
  ...['label_text', 'airline_sentiment', 'class_name', 'classification'],
]);

/** Names of columns whose name, in any case, is usual for a text. */
export const textColumns = (row: JsonObject): readonly string[] => columnsOf(row, TEXTS);

/** The same for classes. */
export const classColumns = (row: JsonObject): readonly string[] => columnsOf(row, CLASSES);

const columnsOf = (row: JsonObject, names: ReadonlySet<string>): readonly string[] =>
  Object.keys(row).filter((name) => names.has(name.trim().toLowerCase().replaceAll(/[ -]/g, '_')));

/** Whether a row has a text and labels in the native form. */
export const isOwn = (row: JsonObject): boolean =>
  row.text !== undefined && HEAD_KEYS.some((key) => row[key] !== undefined);

/** Whether some column lists spans, which are more than a class. */
export const hasSpans = (row: JsonObject): boolean =>
  Object.values(row).some((value) => Array.isArray(value) && (value as readonly Json[]).some(isSpanEntry));

export const isText = (value: Json | undefined): value is string => typeof value === 'string' && value.trim() !== '';
