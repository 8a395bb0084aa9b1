import type { StoredBytes } from '../dataset/index.js';
import type { EventsOf, EventTypes } from '../decider.js';
import type {
  DatasetPin,
  Figures,
  HeldOutRows,
  LossCause,
  MeasuredFigures,
  StoredFile,
  StoredFolder,
  TrainingConfiguration,
} from '../training-job/index.js';

/** The evaluated model: a base model, or an adapter on it, pinned by its files. */
export type EvaluatedModel = {
  /** The id in the request: of a catalog model, a job or a checkpoint. */
  readonly id: string;
  readonly baseModel: {
    readonly id: string;
    /** Null: a provider hosts the model. */
    readonly sha256: string | null;
  };
  readonly adapter: StoredFolder | null;
};

export type EngineName = { readonly name: string; readonly version: string };

export type EvaluationRequest = {
  readonly evaluationId: string;
  readonly workspaceId: string;
  readonly userId: string;
  readonly model: EvaluatedModel;
  /** For a hosted model: the provider, and the model's name there. */
  readonly engine: EngineName;
  readonly datasets: readonly DatasetPin[];
  /** Selects the rows that a training job held out; null for all rows. */
  readonly heldOut: HeldOutRows | null;
  /** Number of rows that are evaluated, from the first on; null for all. */
  readonly maxExamples: number | null;
  /** Maximum tokens of a generated answer. Absent: as many as the longest expected answer may have; of a hosted model 1,024. */
  readonly maxAnswerTokens?: number;
  readonly projectId: string | null;
  /** Started by the system when a training job completed. */
  readonly automatic: boolean;
  readonly trainingJobId: string | null;
  /** Set if a provider hosts the model; a worker then requests the answers. Absent for models of runners. */
  readonly hosted?: HostedCalls;
  /** Grades the answers of a decoder, once they exist. Absent: no judge. */
  readonly judge?: HostedCalls & JudgePin;
  /** The rows are answered by models that did not see them. Absent: the model answers. */
  readonly crossValidation?: CrossValidation;
};

/** Each of so many parts of a job's rows is answered by a model that was trained, as the job was, on the others. */
export type CrossValidation = { readonly folds: number; readonly configuration: TrainingConfiguration };

/** Calls of a hosted model for an evaluation. */
export type HostedCalls = {
  /** The caller for whom the calls are admitted, recorded and charged. */
  readonly requestedBy: { readonly kind: 'key' | 'session'; readonly teamId: string; readonly keyId: string | null };
  /** Maximum cost of the evaluation, in picodollars: a call that might exceed it does not begin. null: no maximum. */
  readonly maxCostPicodollars: string | null;
};

/** Everything that determines the scores of a judge. Scores of different pins are not compared. */
export type JudgePin = {
  /** The id that the caller named, the provider, and the model's name there. */
  readonly modelId: string;
  readonly provider: string;
  readonly model: string;
  readonly rubric: string;
  /** `JUDGE_PROMPT_VERSION` of `libs/evaluations/judge.ts`. */
  readonly promptVersion: number;
};

/** The calls of one evaluation. */
export type CallsUsage = {
  readonly calls: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly costPicodollars: string;
};

/** The answers to all rows, or a judge's verdicts on them, as `gpu-runner/contract/answers.ts` describes them. */
export type StoredAnswers = {
  readonly objectKey: string;
  readonly sha256: string;
  readonly size: number;
  readonly stored?: StoredBytes;
};

export type EvaluationMetrics = MeasuredFigures & {
  /** Rows whose text the model learned from; null if unknown. Absent in older events. */
  readonly overlappingRows?: number | null;
  /** Calibration of the heads that answer with confidences. Absent in older events. */
  readonly calibration?: { readonly [head: string]: Calibration };
  /** Absent in older events. */
  readonly confusions?: {
    /** Number of different confusions, listed in `shown` or not. */
    readonly total: number;
    /** The most frequent confusions, the most frequent first. */
    readonly shown: readonly Confusion[];
  };
  /** Intervals of the figures of labels. Absent in older events, and if nothing was judged. */
  readonly intervals?: FigureIntervals;
  /**
   * Figures of a model that generates text; those of heads are then null, and `accuracy` is `exactMatch`. Absent for
   * other models.
   */
  readonly generation?: GenerationFigures;
};

/** Figures of generated answers beside the expected ones, 0 to 1. */
export type GenerationFigures = {
  readonly exactMatch: Measured;
  /** Case, punctuation, English articles and white space aside. */
  readonly normalizedExactMatch: Measured;
  /** Mean over the rows. */
  readonly rougeL: Measured;
  /** Computed over all rows as one corpus. */
  readonly bleu: Measured;
  /** Over the rows whose expected answer is a JSON object or list; null if there are none. */
  readonly json: {
    readonly rows: number;
    /** Share of the answers that are JSON too. */
    readonly validity: Measured;
    /** Micro, over values at their paths. */
    readonly fieldF1: Measured;
    readonly fieldPrecision: Measured;
    readonly fieldRecall: Measured;
  } | null;
  /** Perplexity of the expected answers, at least 1. Absent if the model does not report it, and in older events. */
  readonly perplexity?: Measured;
  /** Scores of a judge, 1 to 5. Absent if none graded the answers. */
  readonly judge?: {
    /** Score over the rows that have one; null if none has. */
    readonly score: Measured | null;
    readonly scored: number;
    /** Rows without a score: the judge's reply had another form, or its provider refused the row. */
    readonly malformed: number;
    readonly refused: number;
  };
};

/** The 95% intervals of figures, by resampling the rows; of labels, of the 500 with the most facts. */
export type FigureIntervals = IntervalsOf<Figures & { readonly accuracy: number }> & {
  readonly heads: { readonly [head: string]: IntervalsOf<Figures & { readonly accuracy: number }> };
  readonly perLabel: { readonly [label: string]: IntervalsOf<Figures> };
};

type IntervalsOf<T> = { readonly [Key in keyof T]: Interval };

export type Interval = { readonly low: number; readonly high: number };

/** A figure with its 95% interval. */
export type Measured = { readonly value: number; readonly low: number; readonly high: number };

/** Agreement of the confidence of answers with the share of right ones. */
export type Calibration = {
  /** Mean distance of the two over the bins, weighted by their answers, 0 to 1. */
  readonly expectedError: number;
  /** Ten equal ranges of confidence, the lowest first; null if there is no answer. */
  readonly bins: readonly {
    readonly count: number;
    readonly meanConfidence: number | null;
    readonly accuracy: number | null;
  }[];
};

/** A label that was answered instead of another one. */
export type Confusion = {
  /** `entities`, `classification`, or a task by its name. */
  readonly head: string;
  /** Null: no value. */
  readonly expected: string | null;
  /** Null: it was missed. */
  readonly predicted: string | null;
  readonly count: number;
};

/** The file of all rows. */
export type StoredPredictions = StoredFile & {
  readonly objectKey: string;
  readonly stored?: StoredBytes;
  /** Bytes of it and of the files beside it. Absent in older events: there are none beside it. */
  readonly totalSize?: number;
  /** Files beside it: their indexes, the wrong rows, counts and facts. Absent in older events. */
  readonly beside?: readonly (StoredBytes & { readonly key: string; readonly stored?: StoredBytes })[];
  /** SHA-256 of the counts of generated answers beside it, lower-case hex. Absent: there are none, or the event is older. */
  readonly countsSha256?: string;
  /** SHA-256 of the facts of labelled rows beside it, lower-case hex. Absent: there are none. */
  readonly factsSha256?: string;
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
  /** All rows are answered; the next attempt belongs to a runner, which computes the figures, or first to the judge. */
  'evaluation-answered.v1': {
    evaluationId: string;
    attempt: number;
    answers: StoredAnswers;
    /** Null: a runner has the model. */
    usage: CallsUsage | null;
    /** The engine that generated the answers. Absent: the one of the request. */
    engine?: EngineName;
    /** A worker has them judged next. Absent: no judge grades them. */
    awaitsJudge?: true;
    answeredAt: string;
  };
  /** A judge has graded the answers; the next attempt is a runner's. */
  'evaluation-judged.v1': {
    evaluationId: string;
    attempt: number;
    verdicts: StoredAnswers;
    usage: CallsUsage;
    judgedAt: string;
  };
  'evaluation-completed.v1': {
    evaluationId: string;
    attempt: number;
    metrics: EvaluationMetrics;
    sampleCount: number;
    /** The engine that generated the answers. Absent: the one of the request, or of the event before. */
    engine?: EngineName;
    /** JSONL, a line `{text, expected, predicted, correct}` for each row, in the dataset's order. */
    predictions: StoredPredictions;
    completedAt: string;
  };
  'evaluation-failed.v1': { evaluationId: string; reason: string; failedAt: string };
  'evaluation-deleted.v1': { evaluationId: string; deletedAt: string };
  /** Rows, answers and verdicts are removed; the evaluation stays, with its figures. */
  'evaluation-predictions-erased.v1': { evaluationId: string; erasedAt: string };
  /** The predictions have been removed. */
  'evaluation-erased.v1': { evaluationId: string; erasedAt: string };
}>;

export const EVALUATION_EVENT_TYPES: EventTypes<EvaluationEvent> = {
  'evaluation-requested.v1': true,
  'evaluation-attempt-claimed.v1': true,
  'evaluation-attempt-lost.v1': true,
  'evaluation-answered.v1': true,
  'evaluation-judged.v1': true,
  'evaluation-completed.v1': true,
  'evaluation-failed.v1': true,
  'evaluation-deleted.v1': true,
  'evaluation-predictions-erased.v1': true,
  'evaluation-erased.v1': true,
};
