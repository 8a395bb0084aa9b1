import type { Contents, DatasetType, LabelNames, LeftOut, RowErrors, SourceFormat } from '#domain/dataset/index.js';
import type { FileLimits, Room, RowIndex, RowsRead } from '../formats/index.js';

/**
 * Messages of the process that reads uploaded files. It has no key, address or store: the file arrives on its first
 * pipe, canonical rows leave on its second, and the parent holds the object store.
 */
export interface ProcessingJob {
  readonly datasetType: DatasetType;
  readonly format: SourceFormat | null;
  readonly fileName: string | null;
  /** The demanded layout of the rows; null: detected. */
  readonly layout: string | null;
  readonly columnMapping: Readonly<Record<string, string>>;
  readonly labelNames?: Readonly<Record<string, LabelNames>> | undefined;
  /** Whether rows keep the file's own names. */
  readonly areRaw: boolean;
  /** The file whose rows that cannot be read are kept, where rows are raw. Default: they are errors. */
  readonly keepsFaultsOf?: string | null;
  readonly limits: FileLimits;
  /** The share of the rows that may be left out because they are not valid. */
  readonly tolerance: number;
  /** Whether only the first rows are read. Default: all. */
  readonly onlyFirst?: boolean;
  /** Storage that is left for the rows. */
  readonly room: Room;
  /** The only folder that it may write to. */
  readonly folder: string;
  readonly threads: number;
  readonly heapMiB: number;
}

export type ChildMessage =
  /** All rows have been written to the pipe; the verdict names the wrong ones. */
  | { readonly kind: 'converted'; readonly index: RowIndex; readonly read: RowsRead }
  /** The next lines of the list of rows that are left out, in Base64. */
  | { readonly kind: 'left-out'; readonly lines: string }
  /** `size` and `sha256` belong to the rows that were checked. */
  | {
      readonly kind: 'valid';
      readonly contents: Contents;
      readonly leftOut: Omit<LeftOut, 'list'> | null;
      readonly size: number;
      readonly sha256: string;
    }
  /** The file is refused. */
  | { readonly kind: 'refused'; readonly reason: string; readonly rowErrors: RowErrors | null };
