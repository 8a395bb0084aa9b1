import type { DatasetType } from '#domain/dataset/index.js';
import type { Counting, OffsetUnit, TaskOfFile } from './layouts/layout.js';
import type { ReadingPart } from './layouts/reading.js';
import type { FileLimits } from './limits.js';
import type { LabelNamesOfColumns } from './read/label-names.js';
import type { ColumnMapping } from './rows/canonical.js';
import type { ContentsPart } from './rows/contents.js';
import type { LeftOutRow } from './rows/left-out.js';
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
      /** Whether rows may have the form that the hub's server sends: `{row_idx, row, truncated_cells}`. */
      readonly isServed?: boolean;
    }
  /** CSV records under this header. */
  | {
      readonly kind: 'csv';
      readonly columns: readonly CsvColumn[];
      readonly separator: Separator;
      /** Whether cells between tabs are quoted as those of CSV are. */
      readonly areQuoted: boolean;
    }
  /** JSON from a typed table, in which null means absent. Named as in the file: */
  | {
      readonly kind: 'table';
      /** Columns of JSON as text. */
      readonly jsonColumns: readonly string[];
      /** Columns that mean lists, and may hold them as JSON. */
      readonly listColumns: readonly string[];
    };

/** Between cells. Tabs mostly separate cells without quotes: a line is a record. */
export type Separator = ',' | ';' | '|' | '\t';

export interface CsvColumn {
  readonly name: string;
  /**
   * The meaning of a cell. `text`: plain text even if it looks like JSON; `messages`: the same, unless it is a list of messages;
   * `json`: a list, an object or a string of JSON is that.
   */
  readonly holds: 'text' | 'messages' | 'json';
}

/** Settings shared by all blocks of a file. */
export interface BlockSettings {
  readonly form: BlockForm;
  readonly datasetType: DatasetType;
  readonly columnMapping: ColumnMapping;
  /** The name of the layout of the rows; null: our own. */
  readonly layout: string | null;
  /** The unit of offsets if both would fit. */
  readonly assumedUnit: OffsetUnit;
  readonly counting: Counting;
  readonly labelNames: LabelNamesOfColumns;
  /** Columns of `labelNames` whose lists say 1 for each name that a row has. */
  readonly oneHot: readonly string[];
  /** Whether a layout may have several classes in a row. */
  readonly isMultiLabel: boolean;
  /** The tasks of classes of a file that has several. */
  readonly classTasks: readonly TaskOfFile[] | null;
  /** Columns that the layout found in the first rows. */
  readonly columns: readonly string[];
  /** Whether the first rows have classes or other answers, and no spans: one without labels is then unlabelled. */
  readonly areWithoutSpans: boolean;
  /** The file whose rows that cannot be read are stored as such; null: they are errors. */
  readonly keepsFaultsOf: string | null;
  readonly limits: FileLimits;
}

/** Whole rows of a file, converted and validated. The rows of the file are counted from 1 within the block. */
export interface ConvertedBlock {
  /** Rows of the file. A layout may produce none or several native rows from one. */
  readonly rows: number;
  /** Canonical rows, a line each. */
  readonly text: Uint8Array<ArrayBuffer>;
  /** Bytes of `text` before the end of each row. */
  readonly ends: Uint32Array<ArrayBuffer>;
  readonly problems: ProblemsPart;
  /** Rows without a label, in a file whose rows say by an empty one that they have none. */
  readonly unlabelled: ProblemsPart;
  /** Rows with a problem or without a label; `text` lacks them. */
  readonly leftOut: readonly LeftOutRow[];
  /** Rows whose text is a path or an address, and the first of these texts. */
  readonly references: { readonly count: number; readonly first: string };
  readonly contents: ContentsPart;
  readonly reading: ReadingPart;
  /** The mapped columns that occur in some row. */
  readonly mapped: ReadonlySet<string>;
  /** Why the whole file is refused, and in which `row`; later rows were not checked. */
  readonly refused: { readonly before: string; readonly row: number | null; readonly after: string } | null;
}
