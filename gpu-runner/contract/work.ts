import { v5 as uuid5 } from 'uuid';
import type {
  EngineName,
  EvaluationMetrics,
  EvaluationRequest,
  StoredAnswers,
  StoredPredictions,
} from '#domain/evaluation/index.js';
import type { ExportFormat, StoredExport } from '#domain/model-export/index.js';
import type { LogLine } from '#domain/job-log/index.js';
import type {
  Checkpoint,
  Losses,
  LossCause,
  StoredFolder,
  TrainingMetrics,
  TrainingRequest,
} from '#domain/training-job/index.js';
import type { EngineOfRunner, Needs } from './needs.js';

/**
 * Messages between runners and workers over the bus. A dispatch is a hint; a runner begins once its claim is on the
 * log. Reports are repeated until acknowledged and deduplicated by command id. Heartbeats carry progress.
 */
export const WORK_KINDS = ['training', 'evaluation', 'export'] as const;
export type WorkKind = (typeof WORK_KINDS)[number];

export const dispatchSubject = (kind: WorkKind): string => `${kind}.dispatch`;
export const claimSubject = (kind: WorkKind): string => `${kind}.claim`;
export const reportSubject = (kind: WorkKind): string => `${kind}.report`;
export const cancelSubject = (kind: WorkKind): string => `${kind}.cancel`;
export const RUNNER_HEARTBEAT = 'runner.heartbeat';

export type AttemptRef = { readonly id: string; readonly attempt: number };

/** W3C trace context of what requested the work. Absent: no trace was recorded. */
export type Traced = { readonly traceparent?: string };

/** An offer. Without needs any runner may take it. */
export type Dispatch = AttemptRef & Traced & { readonly needs: Needs | null };

export type ClaimRequest = AttemptRef & Traced & { readonly runnerId: string };
export type ClaimReply =
  | {
      readonly granted: true;
      readonly work: Work;
      /**
       * Keys of the rows that the work reads and of the files that it stores, by name, in base64. Never log them. Absent:
       * nothing of it is encrypted.
       */
      readonly objectKeys?: ObjectKeys;
    }
  | { readonly granted: false; readonly reason: string };

export type ObjectKeys = { readonly [name: string]: string };

export type Work = TrainingWork | EvaluationWork | ExportWork;
export type TrainingWork = {
  readonly kind: 'training';
  readonly attempt: number;
  readonly request: TrainingRequest;
  /** The checkpoint to continue from, null to begin at the start. */
  readonly resume: Checkpoint | null;
};
export type EvaluationWork = {
  readonly kind: 'evaluation';
  readonly attempt: number;
  readonly request: EvaluationRequest;
  /** Answers of a hosted model, or answers that were judged. Absent: the runner loads the model. */
  readonly answers?: StoredAnswers;
  /** Verdicts of a judge on the answers. Absent: no judge graded them. */
  readonly verdicts?: StoredAnswers;
};
export type ExportWork = {
  readonly kind: 'export';
  readonly attempt: number;
  readonly exportId: string;
  readonly format: ExportFormat;
  /** The job that trained the model. */
  readonly job: {
    readonly request: TrainingRequest;
    readonly artifact: StoredFolder;
    readonly metrics: TrainingMetrics;
  };
};

/** The id under which attempts at some work are counted. */
export function idOfWork(work: Work): string {
  switch (work.kind) {
    case 'training':
      return work.request.jobId;
    case 'evaluation':
      return work.request.evaluationId;
    case 'export':
      return work.exportId;
  }
}

export type WorkReport =
  | ({ readonly kind: 'epoch'; readonly epoch: number; readonly step: number } & Losses)
  | { readonly kind: 'checkpoint'; readonly checkpoint: Checkpoint }
  | { readonly kind: 'log'; readonly block: number; readonly lines: readonly LogLine[] }
  | {
      readonly kind: 'trained';
      readonly epochsRun: number;
      readonly metrics: TrainingMetrics;
      readonly artifact: StoredFolder;
    }
  | {
      readonly kind: 'evaluated';
      readonly metrics: EvaluationMetrics;
      readonly sampleCount: number;
      /** As in the event. */
      readonly engine?: EngineName;
      readonly predictions: StoredPredictions;
    }
  | { readonly kind: 'exported'; readonly archive: StoredExport }
  /** The answers of an evaluation, which a judge grades next. */
  | { readonly kind: 'answered'; readonly answers: StoredAnswers; readonly engine?: EngineName }
  /** The work cannot succeed; clients see the reason. */
  | { readonly kind: 'failed'; readonly reason: string }
  /** The attempt is over; another may succeed. `orderly`: the runner was shut down. */
  | { readonly kind: 'lost'; readonly reason: string; readonly orderly: boolean; readonly cause: LossCause };

/** The folder of an evaluation's answers while not all are there, for the next attempt. */
export const keptAnswersOf = (evaluationId: string): string => `evaluations/${evaluationId}/answers/`;

export const lossCauseOf = ({ orderly, cause }: Extract<WorkReport, { kind: 'lost' }>): LossCause =>
  orderly ? 'runner' : cause;

export type ReportRequest = ClaimRequest & {
  /** The same for a repeated report. */
  readonly commandId: string;
  /** When the runner logged it, ISO 8601 UTC. */
  readonly at: string;
  readonly report: WorkReport;
};
/** `wanted`: whether this attempt is still the one that counts; if not, the runner stops it. */
export type ReportReply = { readonly wanted: boolean };

export type WorkProgress = {
  /** 0 to 1 of the whole job. */
  readonly fraction: number;
  readonly epoch: number;
  readonly step: number;
};

export type Heartbeat = {
  readonly runnerId: string;
  /** Same for each start of this runner; never used by two at once. */
  readonly name: string;
  /** New with each start. */
  readonly bootId: string;
  readonly capacity: { readonly [kind in WorkKind]: number };
  /** Engines of which one small training runs beside those. Absent: none does. */
  readonly beside?: readonly string[];
  readonly engines: readonly EngineOfRunner[];
  readonly working: readonly (AttemptRef & { readonly kind: WorkKind; readonly progress: WorkProgress })[];
};

/** Holds the boot id, so that a restarted runner is another runner. */
export const runnerIdOf = (name: string, bootId: string): string => `${name}/${bootId}`;
export const parseRunnerId = (runnerId: string): { readonly name: string; readonly bootId: string } => {
  const slash = runnerId.lastIndexOf('/');
  return { name: runnerId.slice(0, slash), bootId: runnerId.slice(slash + 1) };
};

/** Namespace of ids derived from an attempt (RFC 9562, version 5). */
const ATTEMPT_IDS = '0c1b4c1e-98c0-5f77-8a51-3d7c0b1f54d2';
export const attemptScopedId = (ref: AttemptRef, name: string): string =>
  uuid5(`${ref.id}/${ref.attempt}/${name}`, ATTEMPT_IDS);
