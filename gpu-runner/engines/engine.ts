/**
 * An engine trains, evaluates and infers. Each has a folder here, whose registration `engines.ts` lists. An engine
 * knows nothing of HTTP, of the event log or of the bus. `encoder-engine.ts` has the port for encoders that run in a process of their
 * engine, and `decoder-engine.ts` the one for models that generate text.
 *
 * Offsets inside the engine are UTF-16 code units (JavaScript string indices), end exclusive; the HTTP edge turns them
 * into Unicode code points.
 */

import type {
  ExplainRequest,
  InferHead,
  InferResult,
  InferSchema,
  InferWarning,
  RowSource,
  Span,
  StructureQuery,
} from '#gpu-runner/contract/schema.js';
import type { ConfidenceFigures, Rewards } from '#domain/training-job/index.js';
import type { TrainSettings } from '#gpu-runner/contract/settings.js';
import type { Embedder } from './embedder.js';
import type { Steps } from './steps.js';

export type * from '#gpu-runner/contract/schema.js';
export type * from '#gpu-runner/contract/settings.js';

/** A labelled training or evaluation row. An absent key means that the row is not labelled for that head. */
export interface Example {
  readonly text: string;
  /** Present, possibly empty, when the row is labelled for entities. */
  readonly entities?: readonly Span[];
  /** Present when the row is labelled for classification: one label in single mode, any number in multi mode. */
  readonly labels?: readonly string[];
  /** Present when the row is labelled for some of several classification tasks, each a head of its own. */
  readonly tasks?: readonly TaskLabels[];
  /** Present, possibly empty, when the row is labelled for structures: their instances, in any order. */
  readonly structures?: readonly LabelledRecord[];
  /** Present, possibly empty, when the row is labelled for relations. */
  readonly relations?: readonly LabelledRelation[];
}

/** The labels of a row for one of several classification tasks. */
export interface TaskLabels {
  readonly task: string;
  readonly labels: readonly string[];
  /** Any number of labels instead of exactly one. */
  readonly multiLabel: boolean;
  /** Of a prediction: the confidence of each label, 0 to 1. */
  readonly confidences?: readonly number[];
}

/** An instance of a structure. */
export interface LabelledRecord {
  readonly name: string;
  readonly fields: readonly LabelledField[];
}

export interface LabelledField {
  readonly name: string;
  /** False: a scalar, which has one value. */
  readonly isList: boolean;
  readonly values: readonly LabelledValue[];
  /** Choices that nothing in the text is known to say. */
  readonly choices?: readonly string[];
}

/** A stretch that says the value of a field. */
export interface LabelledValue extends Stretch {
  /** What it says, if that is one of several choices; else the stretch itself is the value. */
  readonly choice?: string;
}

/** A directed relation. */
export interface LabelledRelation {
  readonly name: string;
  readonly head: Stretch;
  readonly tail: Stretch;
}

/** A stretch of a text, end exclusive. */
export interface Stretch {
  readonly start: number;
  readonly end: number;
}

export interface TrainRequest {
  readonly settings: TrainSettings;
  readonly train: readonly Example[];
  /** The place of each row of `train`. Absent: the model cannot name the rows that it learned from. */
  readonly sources?: readonly RowSource[];
  /** Held out by the caller (seeded split). May be empty only when training has fewer than 2 rows. */
  readonly validation: readonly Example[];
  /** Folder of the base model that is to be adapted. */
  readonly baseDirectory: string;
  /** An adapter to continue from (a checkpoint of an earlier job), or null to start at the base. */
  readonly startFrom: string | null;
  /** Training state written by an earlier attempt of the same job, or null. Resuming gives the same final file. */
  readonly resumeFrom: string | null;
  /** Whether the model also learns which texts are unlike those it learned from; absent: it does. */
  readonly learnsLikeness?: boolean;
  /** Folder for checkpoints and the final artifact. Owned by this attempt alone. */
  readonly outputDirectory: string;
}

export interface Figures {
  readonly f1: number;
  readonly precision: number;
  readonly recall: number;
}

export interface LabelFigures extends Figures {
  /** Gold occurrences of the label. */
  readonly support: number;
}

/** A head that rows may be labelled for: `entities`, `classification`, `structures`, `relations`, or a task by its name. */
export type RowHead = string;

/**
 * Micro figures, pooled over heads, of strict (span, label) and (row, class label) pairs, of field values of structures in the
 * right record, and of (relation, head, tail) triples.
 */
export interface EvaluationFigures extends Figures {
  readonly macroF1: number;
  /** Share of rows whose every head is exactly right. */
  readonly accuracy: number;
  readonly perLabel: Readonly<Record<string, LabelFigures>>;
  readonly heads: Readonly<Record<RowHead, HeadFigures>>;
}

type HeadFigures = Figures & { readonly accuracy?: number };

/** Null if there was nothing to measure on: rows that a model learned from would flatter it. */
type OrNull<T> = { readonly [Figure in keyof T]: T[Figure] | null };

/** Figures of the artifact on the validation rows; null if there are none. */
export interface TrainMetrics extends OrNull<Omit<EvaluationFigures, 'perLabel' | 'heads'>> {
  readonly perLabel: EvaluationFigures['perLabel'];
  /** Every head that was trained; null figures for one that no validation row is labelled for. */
  readonly heads: Readonly<Record<RowHead, OrNull<HeadFigures> & { readonly confidence?: ConfidenceFigures }>>;
  readonly finalTrainingLoss: number;
  /** Loss on rows that were not trained on. */
  readonly finalValidationLoss: number | null;
  readonly bestValidationLoss: number | null;
  /** Rows of which the meaning of words was learned; absent if memory sufficed for all. */
  readonly rowsWithVectors?: number;
  /** Rewards of preference tuning, on the pairs held out. */
  readonly rewards?: Rewards;
}

/** Progress of a training. Progress may be sampled by the caller; epochs and checkpoints are facts. */
export type TrainReport =
  | { readonly kind: 'progress'; readonly fraction: number; readonly epoch: number; readonly step: number }
  | {
      readonly kind: 'epoch';
      readonly epoch: number;
      readonly epochs: number;
      readonly step: number;
      readonly trainingLoss: number;
      /** Loss on rows that were not trained on; null if there are none. */
      readonly validationLoss: number | null;
      /** F1 of the weights as served, on the validation rows; null if there are none. */
      readonly f1: number | null;
      readonly learningRate: number;
    }
  | {
      readonly kind: 'checkpoint';
      /** Folder holding a servable artifact plus the training state needed to resume. */
      readonly directory: string;
      readonly epoch: number;
      readonly step: number;
      readonly trainingLoss: number;
      /** Loss on rows that were not trained on; null if there are none. */
      readonly validationLoss: number | null;
      /** F1 of the weights as served, on the validation rows; null if there are none. */
      readonly f1: number | null;
      readonly learningRate: number;
      readonly isBest: boolean;
      readonly isFinal: boolean;
    }
  | { readonly kind: 'log'; readonly level: 'info' | 'warn'; readonly message: string }
  /** A step was taken that no other message reports. A training that reports nothing for 30 minutes counts as hung. */
  | { readonly kind: 'working' };

export interface TrainResult {
  /** Folder of the finished artifact. */
  readonly artifactDirectory: string;
  readonly metrics: TrainMetrics;
  readonly epochsRun: number;
}

export interface InferRequest {
  readonly texts: readonly string[];
  readonly schema: InferSchema;
  /** 0 to 1; a hit needs at least this confidence. null: each head's own decision point, or one half. */
  readonly threshold: number | null;
  /** Present if the nearest training rows are requested. An engine without that ability omits `nearest`. */
  readonly explain?: ExplainRequest | undefined;
  /** Whether results say how like the learned texts each is. An engine without that ability omits `likeness`. */
  readonly likeness?: boolean;
}

export interface InferResponse {
  readonly results: readonly InferResult[];
  readonly warnings: readonly InferWarning[];
  /** Tokens read, one figure for each text. */
  readonly inputTokens: readonly number[];
}

/** Abilities of a loaded model. */
export interface ModelAbilities {
  readonly entityLabels: readonly string[] | null;
  readonly classLabels: readonly string[] | null;
  readonly multiLabel: boolean;
  /** Tasks by name that it learned; absent if there are none. `classLabels` are those of a task without a name. */
  readonly tasks?: readonly LearnedTask[];
  /** Structures that it learned, with their fields, and types of relations; absent if it has no such head. */
  readonly structures?: readonly StructureQuery[];
  readonly relations?: readonly string[];
}

/** A classification task that a model learned. */
export interface LearnedTask {
  readonly task: string;
  readonly labels: readonly string[];
  readonly multiLabel: boolean;
}

/** A model in memory: a base alone, or a base with an adapter on it. */
export interface LoadedModel {
  readonly abilities: ModelAbilities;
  /** Bytes this model adds to those of its base. */
  readonly byteSize: number;
  /** In steps: those of several calls may alternate. @throws UnsupportedHeadError */
  infer(request: InferRequest): Steps<InferResponse>;
  /**
   * @param onExample called after each prediction; an evaluation without a call for 30 minutes counts as hung
   * @throws UnsupportedHeadError when examples are labelled for a head that the model lacks and cannot do without training
   */
  evaluate(examples: readonly Example[], onExample?: () => void): EvaluationOutcome;
}

export interface EvaluationOutcome {
  readonly figures: EvaluationFigures;
  /** Predictions for the examples, in their order. */
  readonly predictions: readonly Prediction[];
}

/** An example as a model answers it, with its confidence if it gives one. */
export interface Prediction extends Example {
  /** Confidence of each of `entities`, 0 to 1. */
  readonly entityConfidences?: readonly number[];
  /** Confidence of each of `labels`, 0 to 1. */
  readonly labelConfidences?: readonly number[];
  /** Of the whole answer, 0 to 1, where it was asked for. */
  readonly certainty?: number;
}

export interface Engine {
  /**
   * Trains until done or until the signal aborts.
   * @throws TrainingError when the data cannot be learned from (its message is shown to the user)
   */
  train(request: TrainRequest, report: (report: TrainReport) => void, signal: AbortSignal): Promise<TrainResult>;
  /**
   * @param adapterDirectory an artifact made by this engine, or null for the base alone
   * @throws ArtifactError when the artifact is of another engine version or base, or is damaged
   */
  load(baseDirectory: string, adapterDirectory: string | null): LoadedModel;
  /**
   * Absent if its registration names no embedder.
   * @param directory from its registration
   * @throws ArtifactError when its weights, or the packages that run them, are missing or damaged
   */
  embedder?(id: string, directory?: string): Embedder;
}

/** Training cannot succeed with these inputs. The message is for the user. */
export class TrainingError extends Error {
  override readonly name = 'TrainingError';
}

/** An artifact cannot be served: wrong version, wrong base, or damaged. The message names the cause. */
export class ArtifactError extends Error {
  override readonly name = 'ArtifactError';
}

/** The request asks for a head that the model lacks. The message names the heads that it has. */
export class UnsupportedHeadError extends Error {
  override readonly name = 'UnsupportedHeadError';
  constructor(
    readonly head: InferHead,
    message: string,
  ) {
    super(message);
  }
}
