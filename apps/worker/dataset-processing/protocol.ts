import type { Contents, DatasetType, RowErrors, SourceFormat } from '#domain/dataset/index.js';
import type { FileLimits, RowIndex } from '#dataset-formats/index.js';

/**
 * The child that reads uploaded files touches no file, key or address itself: bytes come and go through pipes, and it runs
 * with nothing else allowed. The parent holds the object store.
 */
export const PIPES = {
  /** The uploaded file, parent to child. */
  source: 0,
  /** Canonical rows, child to parent. */
  rows: 4,
  /** Canonical rows, as they were stored, parent to child. */
  stored: 5,
} as const;

/** First message, parent to child. */
export interface ProcessingJob {
  readonly datasetType: DatasetType;
  readonly format: SourceFormat | null;
  readonly fileName: string | null;
  readonly columnMapping: Readonly<Record<string, string>>;
  readonly limits: FileLimits;
}

export type ChildMessage =
  /** All rows have been written to the pipe; some may be unreadable, which the verdict will say. */
  | { readonly kind: 'converted'; readonly index: RowIndex }
  | { readonly kind: 'valid'; readonly contents: Contents }
  /** The file is refused. */
  | { readonly kind: 'refused'; readonly reason: string; readonly rowErrors: RowErrors | null };
