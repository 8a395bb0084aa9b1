import type { Example, TrainSettings } from '../engine.js';

/**
 * A head is one ability of a model (entities, classification, structures, relations). Each is trained, saved and loaded by
 * itself; a job with rows for several trains all of them, epoch by epoch, in one artifact.
 */

/** Maximum relations, or values of structures, in the answer to one text; one with more is marked as truncated. */
export const MAX_FOUND = 50_000;

export type TensorData =
  Float32Array | Float64Array | Int8Array | Uint8Array | Int32Array | Uint32Array | BigUint64Array;

/** Row-major numbers with a shape, as safetensors stores them. */
export interface Tensor {
  readonly shape: readonly number[];
  readonly data: TensorData;
}

export type JsonValue = string | number | boolean | null | readonly JsonValue[] | { readonly [key: string]: JsonValue };

/** Content of a head in an artifact or a training state: small facts as JSON, numbers as tensors. */
export interface HeadState {
  readonly config: { readonly [key: string]: JsonValue };
  readonly tensors: Readonly<Record<string, Tensor>>;
}

export interface HeadValidation {
  /** Mean negative log likelihood of a validation row. */
  readonly loss: number;
  readonly f1: number;
  /** Whether the rows judged on, or those of cross-validation, were not trained on. */
  readonly isHeldOut: boolean;
}

/**
 * Training of one head, in steps that the caller drives, so that it can report, checkpoint and stop between any two.
 * Deterministic: the same settings, rows and state give the same numbers; no clock, no Math.random.
 */
export interface HeadTrainer {
  readonly stepsPerEpoch: number;
  /** Rows whose words are read by their vectors, if memory does not suffice for all; null if it does. */
  readonly rowsWithVectors: number | null;
  /** Runs one optimiser step on the next mini-batch. @returns the mean loss of its rows */
  step(): number;
  /** Judges the present weights on the validation rows, or by cross-validation, to choose among epochs. */
  validate(): HeadValidation;
  /** The present weights, calibrated on validation, in the served form. */
  exportModel(): HeadState;
  /**
   * Everything needed to resume: weights, optimiser moments, generator, order cursor, schedule, choices made by search.
   */
  saveState(): HeadState;
  restoreState(state: HeadState): void;
}

export interface HeadTrainerInput {
  readonly settings: TrainSettings;
  readonly train: readonly Example[];
  readonly validation: readonly Example[];
  /** The export of this head by an earlier job, to continue from; null if there is none. */
  readonly startFrom: HeadState | null;
  readonly log: (message: string) => void;
  /** Called between steps of a search that a trainer runs when it is created, which may take minutes. */
  readonly working?: () => void;
}

export type { Example };
