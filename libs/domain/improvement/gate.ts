// Type aliases rather than interfaces: only those are assignable to JSON.

export const GATE_EVIDENCE = ['worse', 'not_worse'] as const;
export type GateEvidence = (typeof GATE_EVIDENCE)[number];

/** Bounds that a trained model must keep to be taken; a rule whose bound is null is not applied. */
export type GateRules = {
  /** The maximum drop of F1 on the regression rows, and on the held-out corrections, 0 to 1. */
  readonly maxF1Drop: number;
  /**
   * `worse`: fails if the interval shows a larger drop, so that noise seldom fails an equal model. `not_worse`: fails
   * unless the interval excludes a larger drop, so that a worse model seldom passes.
   */
  readonly evidence: GateEvidence;
  /** The maximum drop of F1 of a label with at least `minLabelRows` rows, 0 to 1. */
  readonly maxLabelDrop: number | null;
  /** Minimum number of rows on which a label is judged, and on which `evidence: worse` refuses. */
  readonly minLabelRows: number;
  /** Regression rows, and held-out corrections, on which the two are compared. */
  readonly minRows: number;
  readonly minCorrections: number;
  /** Bytes of the stored model. */
  readonly maxSizeBytes: number | null;
  /** The duration of a call at the median, in milliseconds. */
  readonly maxLatencyMs: number | null;
};

export const GATE_DEFAULTS: GateRules = {
  ...{ maxF1Drop: 0.01, evidence: 'worse', maxLabelDrop: 0.1, minLabelRows: 10, minRows: 10, minCorrections: 0 },
  ...{ maxSizeBytes: null, maxLatencyMs: null },
};

export const GATE_RULES = [
  'regression_rows',
  'correction_rows',
  'f1',
  'corrections_f1',
  'label_f1',
  'size',
  'latency',
] as const;
export type GateRule = (typeof GATE_RULES)[number];

/** A rule with the numbers that it was decided by. */
export type RuleVerdict = {
  readonly rule: GateRule;
  readonly passed: boolean;
  /** The bound of the policy. */
  readonly limit: number;
  /** Label of a rule on one label. */
  readonly label: string | null;
  /** Rows behind the decision; null if it does not depend on rows. */
  readonly rows: number | null;
  /** The figure of the trained model, and of the one in use; null if only one has it. */
  readonly candidate: number;
  readonly champion: number | null;
  /** Their difference with its interval; null if it cannot be computed. */
  readonly difference: { readonly value: number; readonly low: number; readonly high: number } | null;
};

export type GateDecision = {
  readonly passed: boolean;
  readonly rules: readonly RuleVerdict[];
};
