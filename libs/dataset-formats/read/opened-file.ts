import type { DatasetType, SourceFormat } from '#domain/dataset/index.js';
import type { BlockForm } from '../blocks.js';
import type { FileLimits } from '../limits.js';
import type { ColumnMapping } from '../rows/canonical.js';
import { LIST_COLUMNS } from '../rows/columns.js';

/** A file as blocks of whole rows, in order. */
export interface OpenedFile {
  readonly format: SourceFormat;
  readonly form: BlockForm;
  readonly blocks: AsyncIterable<Buffer>;
}

export interface OpenOptions {
  readonly datasetType: DatasetType;
  /** The declared format; the content decides between JSON and JSONL. Null: the name decides, then the content. */
  readonly format: SourceFormat | null;
  readonly fileName: string | null;
  readonly columnMapping: ColumnMapping;
  readonly limits: FileLimits;
  /** A folder of the attempt's own, where a file goes that is not read from its start to its end. */
  readonly folder: string;
  readonly blockBytes: number;
}

/** The names that a file gives to the columns that hold lists. */
export const listColumns = (datasetType: DatasetType, mapping: ColumnMapping): readonly string[] =>
  LIST_COLUMNS[datasetType].map((column) => (Object.hasOwn(mapping, column) ? (mapping[column] ?? column) : column));
