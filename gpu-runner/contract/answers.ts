/**
 * The answers of a model, as a worker has them from a provider, or a runner stores them for a judge: JSONL, a line for each
 * row that is evaluated, in the rows' order.
 */
export type AnswerLine = {
  /** From 0. */
  readonly row: number;
  /** Empty if the model refused the row. */
  readonly said: string;
  /** Why the model could not answer; null if it did. */
  readonly refusal: string | null;
  /** The loss of the expected answer, summed over its tokens. Absent if the model does not report it. */
  readonly loss?: { readonly nats: number; readonly tokens: number };
};

/** A judge's verdicts on the answers: JSONL in the same order. */
export type VerdictLine = {
  /** From 0. */
  readonly row: number;
  /** Null: the judge gave none, and `problem` gives the reason. */
  readonly score: number | null;
  readonly reason: string | null;
  readonly problem: 'malformed' | 'refused' | null;
};
