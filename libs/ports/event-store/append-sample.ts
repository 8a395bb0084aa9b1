/** Size and duration of an append, for metrics. */
export interface AppendSample {
  readonly events: number;
  /** Duration of the call. */
  readonly ms: number;
  /** `refused`: definite, for another reason than the stream's revision. */
  readonly outcome: 'stored' | 'wrong-revision' | 'refused' | 'unavailable' | 'unknown';
}
