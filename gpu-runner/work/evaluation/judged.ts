import type { EvaluationMetrics } from '#domain/evaluation/index.js';
import type { JsonObject } from '#domain/json.js';

/** Figures of rows, and a line for each of them. */
export interface JudgedRows {
  readonly metrics: EvaluationMetrics;
  /** Gives the same lines each time. */
  readonly lines: () => Iterable<JsonObject>;
  /** Counts of each row, of generated answers. */
  readonly counts?: readonly Float64Array[];
  /** Facts of each row, of labels. Gives the same lines each time. */
  readonly facts?: () => Iterable<JsonObject>;
}

/** Folders of a model's weights. */
export interface Folders {
  readonly baseDirectory: string;
  readonly adapterDirectory: string | null;
}
