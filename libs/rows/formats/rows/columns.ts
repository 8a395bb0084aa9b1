import type { DatasetType, Head } from '#domain/dataset/index.js';
import { isTaskColumn, TASK_COLUMN } from './class-tasks.js';

/** The columns with a meaning; a row may have others. */
const HEAD_COLUMNS: Readonly<Record<string, Head>> = {
  entities: 'entities',
  label: 'classification',
  labels: 'classification',
  json_structures: 'structures',
  relations: 'relations',
};

export const HEAD_KEYS: readonly string[] = Object.keys(HEAD_COLUMNS);

/** Columns of decoder rows: the native ones, and those of other shapes that are converted to them. */
const MESSAGE_COLUMNS = [
  'messages',
  'conversations',
  'instruction',
  'input',
  'output',
  'system',
  'prompt',
  'completion',
  'chosen',
  'rejected',
];

/** Columns of chats and pairs of answers as they are stored, and what is kept beside a case of an evaluation set. */
export const STORED_OF_CHATS: readonly string[] = ['messages', 'tools', 'prompt', 'chosen', 'rejected', 'origin'];

/** Other tools' names for a question, its answer and its context. */
const EXCHANGE_COLUMNS = ['question', 'answer', 'response', 'context', 'input_text', 'output_text'];

export const HEAD_LISTS = ['entities', 'labels', 'json_structures', 'relations'];

/** Columns that mean lists: in a file without lists they hold them as JSON. */
export const LIST_COLUMNS: Readonly<Record<DatasetType, readonly string[]>> = {
  ner: HEAD_LISTS,
  classification: HEAD_LISTS,
  custom: HEAD_LISTS,
  decoder: ['messages', 'conversations'],
  records: [],
  fields: [],
};

/** Columns that `column_mapping` may name, besides those of tasks. */
export const MAPPABLE_COLUMNS = ['text', ...HEAD_KEYS, ...MESSAGE_COLUMNS];

/** Whether `column_mapping` may name the column: one of those, or that of a task, as in `labels.topic`. */
export const isMappable = (column: string): boolean => MAPPABLE_COLUMNS.includes(column) || isTaskColumn(column);

/** Columns whose names are case-insensitive: the native ones, and those of rows in tokens. */
const IN_ANY_CASE = new Set(['text', ...HEAD_KEYS, 'tokens', 'tags', 'ner_tags', 'spans']);
const IN_ANY_CASE_OF_DECODERS = new Set([...MESSAGE_COLUMNS, ...EXCHANGE_COLUMNS]);

/** A column of a task, whose own name keeps its case. */
const IN_TASKS = /^\s*labels\.(.*\S)\s*$/i;

/** The known column that a name means in another case, such as `Text` or ` LABEL `; null: none. */
export function ownColumn(datasetType: DatasetType, name: string): string | null {
  const known = datasetType === 'decoder' ? IN_ANY_CASE_OF_DECODERS : IN_ANY_CASE;
  if (known.has(name)) return null;
  const lower = name.trim().toLowerCase();
  if (known.has(lower)) return lower;
  const task = datasetType === 'decoder' || isTaskColumn(name) ? null : IN_TASKS.exec(name)?.[1];
  return typeof task === 'string' ? TASK_COLUMN + task : null;
}

const TEXT_COLUMNS = ['text', 'label'];
const DECODER_TEXT_COLUMNS = [
  ...['instruction', 'input', 'output', 'system', 'prompt', 'completion', 'chosen', 'rejected'],
  ...EXCHANGE_COLUMNS,
];

/** Columns of pairs of answers, whose CSV cells may also be lists of messages. */
const PAIR_COLUMNS = ['prompt', 'chosen', 'rejected'];

export const isPairColumn = (datasetType: DatasetType, column: string, columns: readonly string[]): boolean =>
  datasetType === 'decoder' &&
  PAIR_COLUMNS.includes(column) &&
  columns.includes('chosen') &&
  columns.includes('rejected');

/** Whether CSV cells of this column are plain text even if they look like JSON. */
export const isTextColumn = (datasetType: DatasetType, column: string): boolean =>
  TEXT_COLUMNS.includes(column) || (datasetType === 'decoder' && DECODER_TEXT_COLUMNS.includes(column));
