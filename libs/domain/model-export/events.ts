import type { EventsOf, EventTypes } from '../decider.js';
import type { LossCause, TrainingRequest } from '../training-job/index.js';

/**
 * An export format of a trained model: `adapter` and `merged` are folders in the hub's format, those of `gguf` hold one
 * file, in float16 or in 8 bits, and `onnx` holds the graphs of an encoder.
 */
export const EXPORT_FORMATS = ['adapter', 'merged', 'gguf', 'gguf-q8_0', 'onnx'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

export type ModelExportRequest = {
  /** See `exportIdOf`. */
  readonly exportId: string;
  readonly jobId: string;
  readonly workspaceId: string;
  readonly userId: string;
  readonly format: ExportFormat;
  /** Engine of the job, which a runner must have. Absent from older requests. */
  readonly engine?: TrainingRequest['engine'];
  readonly baseModel?: TrainingRequest['baseModel'];
};

/** The folder of an export, as one tar in the object store. */
export type StoredExport = {
  readonly key: string;
  readonly size: number;
  /** Lower-case hex. */
  readonly sha256: string;
};

/** Exports of a job in one format are one stream: one that failed may be requested again. */
export type ModelExportEvent = EventsOf<{
  /** `attempt`: its first one; attempts are counted on when it is requested again. */
  'model-export-requested.v1': ModelExportRequest & { attempt: number; requestedAt: string };
  'model-export-attempt-claimed.v1': { exportId: string; attempt: number; runnerId: string; claimedAt: string };
  'model-export-attempt-lost.v1': {
    exportId: string;
    attempt: number;
    reason: string;
    cause: LossCause;
    lostAt: string;
  };
  'model-export-completed.v1': {
    exportId: string;
    jobId: string;
    attempt: number;
    format: ExportFormat;
    archive: StoredExport;
    completedAt: string;
  };
  'model-export-failed.v1': { exportId: string; reason: string; failedAt: string };
}>;

export const MODEL_EXPORT_EVENT_TYPES: EventTypes<ModelExportEvent> = {
  'model-export-requested.v1': true,
  'model-export-attempt-claimed.v1': true,
  'model-export-attempt-lost.v1': true,
  'model-export-completed.v1': true,
  'model-export-failed.v1': true,
};

/** Each format of a job has its own stream. */
export const exportIdOf = (jobId: string, format: ExportFormat): string => `${jobId}.${format}`;
export const jobOfExport = (exportId: string): string => exportId.slice(0, exportId.lastIndexOf('.'));
