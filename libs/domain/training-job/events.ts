import type { ClassTask, PinnedObject } from '../dataset/index.js';
import type { EventsOf, EventTypes } from '../decider.js';
import type { DecoderSettings, TrainSettings } from './settings.js';

/** A ready version of a dataset, whose rows never change. */
export type DatasetPin = {
  readonly name: string;
  readonly versionId: string;
  readonly versionNumber: number;
  readonly object: PinnedObject;
  readonly rows: number;
  /** The heads for which at least one row is labelled. */
  readonly heads: readonly string[];
};

/** A file in the object store, relative to the prefix that accompanies it. */
export type StoredFile = {
  readonly name: string;
  /** Lower-case hex. */
  readonly sha256: string;
  readonly size: number;
};

export type StoredFolder = {
  readonly objectPrefix: string;
  readonly files: readonly StoredFile[];
};

/** The choice of the rows that a training job held out. */
export type HeldOutRows = {
  readonly share: number;
  readonly seed: number;
  /** Sizes of the groups of datasets, in their order, whose rows were divided together. Absent: one group. */
  readonly groups?: readonly number[];
  /** The first group whose rows were divided text by text. Absent: none. */
  readonly byTextFrom?: number;
  /** The group whose rows were all held out. Absent: none. */
  readonly wholeGroup?: number;
  /** The first group whose rows replace earlier ones with the same text. Absent: none. */
  readonly correctsFrom?: number;
};

/** Every value is resolved, so that no default of a later release applies. */
export type TrainingConfiguration = TrainSettings & {
  /** Share of the rows held out, 0 to 0.5; 0 if datasets are held out whole. */
  readonly validationShare: number;
  /** Seeds the choice of the rows held out. */
  readonly splitSeed: number;
  /** Sizes of the groups of datasets, in their order, whose rows are divided together. Absent: one group. */
  readonly splitGroups?: readonly number[];
  /** The first of these groups whose rows are divided text by text. Absent: none. */
  readonly splitByTextFrom?: number;
  /** The group whose rows are all held out. Absent: none. */
  readonly splitWholeGroup?: number;
  /** The first of these groups whose rows replace earlier ones with the same text. Absent: none. */
  readonly splitCorrectsFrom?: number;
  /** Settings of models that generate text; absent in older events. */
  readonly decoder?: DecoderSettings;
};

/**
 * The starting point of a job: another job's checkpoint, or its result (null). The files were copied under this job's
 * prefix.
 */
export type StartingPoint = {
  readonly checkpointId: string | null;
  readonly jobId: string;
  readonly folder: StoredFolder;
};

/** All inputs of a job: the same request gives the same file (with the engine version it names). */
/** The name in the workspace under which the model can be called once it is trained. */
export type TrainedName = {
  readonly name: string;
  /** Whether it is put in use as the first version; false where two people were wanted for that. */
  readonly promotes: boolean;
};

export type TrainingRequest = {
  readonly jobId: string;
  readonly workspaceId: string;
  readonly userId: string;
  readonly modelName: string;
  /** Absent: the model gets no name in the workspace, or the job is older than such names. */
  readonly named?: TrainedName;
  readonly baseModel: { readonly id: string; readonly sha256: string };
  readonly engine: { readonly name: string; readonly version: string };
  readonly startFrom: StartingPoint | null;
  /** The first job of a chain of jobs that start from one another's checkpoints. */
  readonly rootJobId: string | null;
  readonly datasets: readonly DatasetPin[];
  /** Rows with a text of these are not trained on. Absent: there are none. */
  readonly excludedTexts?: readonly DatasetPin[];
  readonly configuration: TrainingConfiguration;
  readonly taskType: string;
  /** The classification tasks, if the rows name several. Absent: at most one, without a name. */
  readonly classTasks?: readonly ClassTask[];
  readonly labels: readonly string[];
  readonly projectId: string | null;
  /** Absent for jobs that were not created through the OpenAI API. */
  readonly fineTuning?: FineTuning;
};

/** Fields of a request by OpenAI's API that only its own routes show again. */
export type FineTuning = {
  readonly suffix: string | null;
  readonly metadata: Readonly<Record<string, string>> | null;
  /** Multiple of the engine's default rate for such rows; null if the engine chose it. */
  readonly learningRateMultiplier: number | null;
};

export type Losses = {
  readonly trainingLoss: number;
  /** Loss on rows that were not trained on; null if there are none. */
  readonly validationLoss: number | null;
  /** F1 of the served form of the weights, on the rows held out; null if there are none. */
  readonly f1: number | null;
  readonly learningRate: number;
};

export type Checkpoint = Losses & {
  readonly checkpointId: string;
  readonly attempt: number;
  readonly epoch: number;
  readonly step: number;
  readonly isBest: boolean;
  readonly isFinal: boolean;
  /** False for one between two epochs' ends (`saveSteps`). */
  readonly endsEpoch: boolean;
  readonly folder: StoredFolder;
};

export type Figures = { readonly f1: number; readonly precision: number; readonly recall: number };
export type LabelFigures = Figures & { readonly support: number };

/**
 * Figures on rows that a model did not learn from, micro over strict (span, label) and class pairs, values of
 * structures and relations. All are null if there are no such rows; those of a head are null if no row is labelled for
 * it.
 */
export type MeasuredFigures = OrNull<Figures> & {
  readonly macroF1: number | null;
  /** Share of rows whose every head is exactly right. */
  readonly accuracy: number | null;
  readonly perLabel: { readonly [label: string]: LabelFigures };
  readonly heads: { readonly [head: string]: HeadFigures };
};

export type HeadFigures = OrNull<Figures> & {
  readonly accuracy?: number | null;
  /** How far its confidences can be relied on. Absent if it was not trained or gives none, and in older events. */
  readonly confidence?: ConfidenceFigures;
};

/** How far the confidences of a head can be relied on, on the rows held out. */
export type ConfidenceFigures = {
  /** Rows held out that are labelled for the head. */
  readonly rows: number;
  /** Confidence from which an answer counts if the request gives no threshold; null if the best one counts always. */
  readonly threshold: number | null;
  /** Expected calibration error of the answers from there on, 0 to 1; null if there are none. */
  readonly answerError: number | null;
  /** Expected calibration error of all that is proposed with a confidence of .05 or more; null if nothing is. */
  readonly candidateError: number | null;
  /** The answers from each of some thresholds on, in ascending order; empty if no row could be held out. */
  readonly curve: readonly {
    readonly threshold: number;
    readonly answers: number;
    readonly precision: number | null;
    readonly recall: number | null;
  }[];
};

type OrNull<T> = { readonly [Key in keyof T]: T[Key] | null };

export type TrainingMetrics = MeasuredFigures & {
  /** Rows held out; null in older events, whose figures are of training rows if none was held out. */
  readonly judgedRows: number | null;
  /** Rows of them whose text was trained on too, in this job or before; null if unknown. */
  readonly overlappingRows: number | null;
  /** Rows not trained on, because their text is held out or excluded. Absent in older events. */
  readonly excludedRows?: number;
  readonly finalTrainingLoss: number;
  readonly finalValidationLoss: number | null;
  readonly bestValidationLoss: number | null;
  /** Rows of which the meaning of words was learned. Absent if memory sufficed for all, and in older events. */
  readonly rowsWithVectors?: number;
  /** Rewards of preference tuning on the held-out pairs; absent if there are none. */
  readonly rewards?: Rewards;
};

export type Rewards = {
  /** Share of the pairs whose chosen answer has the higher reward. */
  readonly accuracy: number;
  /** Mean difference of the rewards of chosen and rejected answers. */
  readonly margin: number;
};

/**
 * The cause that ended an attempt before its time: its own process (`child`), the runner around it (`runner`: killed,
 * restarted, shut down or silent), or a disk or store that accepted no writes (`storage`). Only `child` counts against
 * a job.
 */
export type LossCause = 'child' | 'runner' | 'storage';

export type TrainingJobEvent = EventsOf<{
  'training-job-requested.v1': TrainingRequest & { requestedAt: string };
  'training-attempt-claimed.v1': { jobId: string; attempt: number; runnerId: string; claimedAt: string };
  'training-epoch-completed.v1': Losses & {
    jobId: string;
    attempt: number;
    epoch: number;
    step: number;
    completedAt: string;
  };
  'training-checkpoint-saved.v1': Checkpoint & { jobId: string; savedAt: string };
  'training-attempt-lost.v2': { jobId: string; attempt: number; reason: string; cause: LossCause; lostAt: string };
  'training-job-completed.v1': {
    jobId: string;
    attempt: number;
    epochsRun: number;
    metrics: TrainingMetrics;
    artifact: StoredFolder;
    completedAt: string;
  };
  'training-job-failed.v1': { jobId: string; reason: string; failedAt: string };
  'training-job-cancelled.v1': { jobId: string; cancelledAt: string };
  'training-job-deployed.v1': { jobId: string; deployedAt: string };
  'training-checkpoint-deleted.v1': { jobId: string; checkpointId: string };
  /** The log lines of an ended job are erased; the job stays. */
  'training-job-log-erased.v1': { jobId: string; erasedAt: string };
  'training-job-deleted.v1': { jobId: string; deletedAt: string };
  /** The weights, checkpoints and log lines have been removed. */
  'training-job-erased.v1': { jobId: string; erasedAt: string };
}>;

export const TRAINING_JOB_EVENT_TYPES: EventTypes<TrainingJobEvent> = {
  'training-job-requested.v1': true,
  'training-attempt-claimed.v1': true,
  'training-epoch-completed.v1': true,
  'training-checkpoint-saved.v1': true,
  'training-attempt-lost.v2': true,
  'training-job-completed.v1': true,
  'training-job-failed.v1': true,
  'training-job-cancelled.v1': true,
  'training-job-deployed.v1': true,
  'training-checkpoint-deleted.v1': true,
  'training-job-log-erased.v1': true,
  'training-job-deleted.v1': true,
  'training-job-erased.v1': true,
};
