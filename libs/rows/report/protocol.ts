import type { DatasetType } from '#domain/dataset/index.js';
import type { VersionReport } from './report.js';
import type { FoundRows, RowSearchPage } from './row-search.js';
import type { VersionDiff } from './version-diff.js';

/**
 * A job of the process that computes reports and differences, and searches: it reads stored rows from its input, those of the other
 * version first. That is the held-out version of a report, or the earlier version of a difference.
 */
export interface RowsJob {
  readonly makes: 'report' | 'diff' | 'search';
  readonly datasetType: DatasetType;
  /** Of a search. */
  readonly search?: RowSearchPage;
  readonly other: { readonly rows: number; readonly datasetType: DatasetType } | null;
}

export interface RowsMessage {
  readonly made: VersionReport | VersionDiff | FoundRows;
}
