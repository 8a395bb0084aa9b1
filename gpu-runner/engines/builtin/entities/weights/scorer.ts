/** Emission scores from feature keys, as served. */
export interface EmissionScorer {
  /**
   * Adds to `scores` [n, tags]. Features of token i are at `high[k]`, `low[k]` for k from `offsets[i]` to `offsets[i + 1]`;
   * unknown ones count nothing.
   */
  add(high: Uint32Array, low: Uint32Array, offsets: Uint32Array, n: number, tags: number, scores: Float64Array): void;
  readonly byteSize: number;
}
