import type { EventsOf, EventTypes } from '../decider.js';
import type { DatasetPin, LossCause, MeasuredFigures, StoredFile, StoredFolder } from '../training-job/index.js';

/** The evaluated model: a base model, or an adapter on it, pinned by its files. */
export type EvaluatedModel = {
  /** The id that the caller named: of a catalog model, a job or a checkpoint. */
  readonly id: string;
  readonly baseModel: { readonly id: string; readonly sha256: string };
  readonly adapter: StoredFolder | null;
};

export type EvaluationRequest = {
  readonly evaluationId: string;
  readonly workspaceId: string;
  readonly userId: string;
  readonly model: EvaluatedModel;
  readonly engine: { readonly name: string; readonly version: string };
  readonly datasets: readonly DatasetPin[];
  /** Selects the rows that a training job held out; null for all rows. */
  readonly heldOut: { readonly share: number; readonly seed: number } | null;
  /** The first so many rows; null for all. */
  readonly maxExamples: number | null;
  readonly projectId: string | null;
  /** Started by the system when a training job completed. */
  readonly automatic: boolean;
  readonly trainingJobId: string | null;
};

export type EvaluationMetrics = MeasuredFigures & {
  /** Rows whose text the model learned from; null where that is not known. Absent in events of older releases. */
  readonly overlappingRows?: number | null;
  /** Of heads that answer with confidences. Absent in events of older releases. */
  readonly calibration?: { readonly [Head in 'entities' | 'classification']?: Calibration };
  /** Absent in events of older releases. */
  readonly confusions?: {
    /** Different ones, shown or not. */
    readonly total: number;
    /** The most frequent ones, these first. */
    readonly shown: readonly Confusion[];
  };
};

/** How well the confidence of answers tells the share of them that is right. */
export type Calibration = {
  /** Mean distance of the two over the bins, weighted by their answers, 0 to 1. */
  readonly expectedError: number;
  /** Ten equal ranges of confidence, the lowest first; null where there is no answer. */
  readonly bins: readonly {
    readonly count: number;
    readonly meanConfidence: number | null;
    readonly accuracy: number | null;
  }[];
};

/** A label that was answered in the place of another one. */
export type Confusion = {
  readonly head: 'entities' | 'classification';
  /** Null: nothing is there. */
  readonly expected: string | null;
  /** Null: it was missed. */
  readonly predicted: string | null;
  readonly count: number;
};

/** The file of all rows. */
export type StoredPredictions = StoredFile & {
  readonly objectKey: string;
  /** Bytes of it and of the files beside it. Absent in events of older releases, which stored none beside it. */
  readonly totalSize?: number;
};

export type EvaluationEvent = EventsOf<{
  'evaluation-requested.v1': EvaluationRequest & { requestedAt: string };
  'evaluation-attempt-claimed.v1': { evaluationId: string; attempt: number; runnerId: string; claimedAt: string };
  'evaluation-attempt-lost.v1': {
    evaluationId: string;
    attempt: number;
    reason: string;
    cause: LossCause;
    lostAt: string;
  };
  'evaluation-completed.v1': {
    evaluationId: string;
    attempt: number;
    metrics: EvaluationMetrics;
    sampleCount: number;
    /** JSONL, a line `{text, expected, predicted, correct}` for each row, in the dataset's order. */
    predictions: StoredPredictions;
    completedAt: string;
  };
  'evaluation-failed.v1': { evaluationId: string; reason: string; failedAt: string };
  'evaluation-deleted.v1': { evaluationId: string; deletedAt: string };
  /** The predictions have been removed. */
  'evaluation-erased.v1': { evaluationId: string; erasedAt: string };
}>;

export const EVALUATION_EVENT_TYPES: EventTypes<EvaluationEvent> = {
  'evaluation-requested.v1': true,
  'evaluation-attempt-claimed.v1': true,
  'evaluation-attempt-lost.v1': true,
  'evaluation-completed.v1': true,
  'evaluation-failed.v1': true,
  'evaluation-deleted.v1': true,
  'evaluation-erased.v1': true,
};
