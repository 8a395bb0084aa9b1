import type { DatasetType, SourceFormat } from '#domain/dataset/index.js';
import type { BlockForm } from '../blocks.js';
import type { FileLimits } from '../limits.js';
import type { ColumnMapping } from '../rows/canonical.js';
import type { LabelNamesOfColumns } from './label-names.js';
import { LIST_COLUMNS, ownColumn } from '../rows/columns.js';

/** A file as blocks of whole rows, in order. */
export interface OpenedFile {
  readonly format: SourceFormat;
  /** Container of the rows in the file, in words; absent if it is obvious. */
  readonly container?: string;
  /** The encoding of text that is not UTF-8, in words; known once all blocks have been read. */
  readonly encoding?: () => string | null;
  /** Keys beside the list of rows, as reported by the container; complete once all blocks have been read. */
  readonly leftOut?: readonly string[];
  /** Names that the file itself gives to the numbers of its columns. */
  readonly labelNames?: LabelNamesOfColumns;
  /** What is left of the mapping, where opening the file has used some of it. Default: all. */
  readonly columnMapping?: ColumnMapping;
  /** The layout of a format that has only one. */
  readonly layout?: string;
  readonly form: BlockForm;
  readonly blocks: AsyncIterable<Buffer>;
}

export interface OpenOptions {
  readonly datasetType: DatasetType;
  /** The declared format; the content decides between JSON and JSONL. Null: the name decides, then the content. */
  readonly format: SourceFormat | null;
  /** The demanded layout of the rows; `rows`: the native one. Default: detected from the first rows. */
  readonly layout?: string | null;
  /**
   * Whether rows keep the file's own names and are not validated, because they will be converted. Type and mapping
   * still decide how cells are read.
   */
  readonly areRaw?: boolean;
  /** Where raw rows that cannot be read are kept, for the conversion to refuse or to leave out: the name of the file in their errors. Default: they are errors. */
  readonly keepsFaultsOf?: string | null;
  readonly fileName: string | null;
  readonly columnMapping: ColumnMapping;
  readonly limits: FileLimits;
  /** A folder of the attempt, for a file that is not read sequentially. */
  readonly folder: string;
  readonly blockBytes: number;
}

/** The names that a file gives to the columns that hold lists. */
export function listColumns(
  datasetType: DatasetType,
  mapping: ColumnMapping,
  names: readonly string[],
): readonly string[] {
  const lists = LIST_COLUMNS[datasetType];
  const mapped = new Set(lists.map((column) => (Object.hasOwn(mapping, column) ? mapping[column] : column)));
  return names.filter((name) => mapped.has(name) || lists.includes(ownColumn(datasetType, name) ?? ''));
}
