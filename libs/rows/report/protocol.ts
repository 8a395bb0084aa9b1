import type { DatasetType } from '#domain/dataset/index.js';
import type { VersionReport } from './report.js';
import type { VersionDiff } from './version-diff.js';

/**
 * A job of the process that computes reports and differences: it reads stored rows from its input, those of the other
 * version first. That is the held-out version of a report, or the earlier version of a difference.
 */
export interface RowsJob {
  readonly makes: 'report' | 'diff';
  readonly datasetType: DatasetType;
  readonly other: { readonly rows: number; readonly datasetType: DatasetType } | null;
}

export interface RowsMessage {
  readonly made: VersionReport | VersionDiff;
}
