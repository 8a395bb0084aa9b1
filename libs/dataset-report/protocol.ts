import type { DatasetType } from '#domain/dataset/index.js';
import type { VersionReport } from './report.js';

/** A job of the process that makes reports: it reads stored rows from its input, those of the held-out version first. */
export interface ReportJob {
  readonly datasetType: DatasetType;
  readonly heldOut: { readonly rows: number; readonly datasetType: DatasetType } | null;
}

export interface ReportMessage {
  readonly report: VersionReport;
}
