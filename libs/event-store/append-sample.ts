/** One append that was answered, for metrics. */
export interface AppendSample {
  readonly events: number;
  /** From the call to its answer. */
  readonly ms: number;
  readonly outcome: 'stored' | 'wrong-revision' | 'unavailable' | 'unknown' | 'not-found' | 'deleted';
}
