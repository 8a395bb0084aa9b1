import type { DatasetType, Head } from '#domain/dataset/index.js';

/** The columns that mean something, whatever else a row carries. */
const HEAD_COLUMNS: Readonly<Record<string, Head>> = {
  entities: 'entities',
  label: 'classification',
  labels: 'classification',
  json_structures: 'structures',
  relations: 'relations',
};

export const HEAD_KEYS: readonly string[] = Object.keys(HEAD_COLUMNS);

/** Columns of decoder rows: ours, and the other shapes that are turned into `messages`. */
const MESSAGE_COLUMNS = [
  'messages',
  'conversations',
  'instruction',
  'input',
  'output',
  'system',
  'prompt',
  'completion',
];

const HEAD_LISTS = ['entities', 'labels', 'json_structures', 'relations'];

/** Columns that mean lists: in a file without lists they hold them as JSON. */
export const LIST_COLUMNS: Readonly<Record<DatasetType, readonly string[]>> = {
  ner: HEAD_LISTS,
  classification: HEAD_LISTS,
  custom: HEAD_LISTS,
  decoder: ['messages', 'conversations'],
  records: [],
  fields: [],
};

/** Columns that `column_mapping` may name. */
export const MAPPABLE_COLUMNS = ['text', ...HEAD_KEYS, ...MESSAGE_COLUMNS];

const TEXT_COLUMNS = ['text', 'label'];
const DECODER_TEXT_COLUMNS = ['instruction', 'input', 'output', 'system', 'prompt', 'completion'];

/** Whether CSV cells of this column are plain text even if they look like JSON. */
export const isTextColumn = (datasetType: DatasetType, column: string): boolean =>
  TEXT_COLUMNS.includes(column) || (datasetType === 'decoder' && DECODER_TEXT_COLUMNS.includes(column));
