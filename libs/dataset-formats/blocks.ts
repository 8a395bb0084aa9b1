import type { DatasetType } from '#domain/dataset/index.js';
import type { FileLimits } from './limits.js';
import type { ColumnMapping } from './rows/canonical.js';
import type { ContentsPart } from './rows/contents.js';
import type { ProblemsPart } from './rows/problems.js';

/** The encoding of rows in the bytes of a block. */
export type BlockForm =
  /** JSON, one row per line; blank lines are ignored. */
  | {
      readonly kind: 'lines';
      /** The word for a row in messages to the uploader. */
      readonly unit: 'line' | 'row';
      /** Whether a line may be stored unchanged if its row needs no change. */
      readonly isKept: boolean;
    }
  /** CSV records under this header. */
  | { readonly kind: 'csv'; readonly columns: readonly CsvColumn[] }
  /** JSON made of a table with types, where null is no value. Named as in the file: */
  | {
      readonly kind: 'table';
      /** Columns of JSON as text. */
      readonly jsonColumns: readonly string[];
      /** Columns that mean lists, and may hold them as JSON. */
      readonly listColumns: readonly string[];
    };

export interface CsvColumn {
  readonly name: string;
  /** Whether cells are plain text even if they look like JSON. */
  readonly isText: boolean;
}

/** Settings shared by all blocks of a file. */
export interface BlockSettings {
  readonly form: BlockForm;
  readonly datasetType: DatasetType;
  readonly columnMapping: ColumnMapping;
  readonly limits: FileLimits;
}

/** Whole rows of a file, converted and validated. Rows are counted from 1 within the block. */
export interface ConvertedBlock {
  readonly rows: number;
  /** Canonical rows, a line each. */
  readonly text: Uint8Array<ArrayBuffer>;
  /** Bytes of `text` before the end of each row. */
  readonly ends: Uint32Array<ArrayBuffer>;
  readonly problems: ProblemsPart;
  readonly contents: ContentsPart;
  /** The mapped columns that occur in some row. */
  readonly mapped: ReadonlySet<string>;
  /** Why the whole file is refused, and in which `row`; rows behind it were not checked. */
  readonly refused: { readonly before: string; readonly row: number | null; readonly after: string } | null;
}
