/** How an append went, for metrics. */
export interface AppendSample {
  readonly events: number;
  /** From the call to its answer. */
  readonly ms: number;
  /** `refused`: definite, for another reason than the stream's revision. */
  readonly outcome: 'stored' | 'wrong-revision' | 'refused' | 'unavailable' | 'unknown';
}
