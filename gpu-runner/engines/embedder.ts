import type { Steps } from './steps.js';

/** Turns texts into vectors: vectors of similar texts point in about the same direction. */
export interface Embedder {
  /** Dimensions of a vector, at most. */
  readonly dimensions: number;
  /**
   * In steps: those of several calls may alternate.
   * @param dimensions at most as many as it has: the first ones, scaled to length 1 again
   */
  embed(texts: readonly string[], dimensions: number): Steps<EmbeddedTexts>;
}

export interface EmbeddedTexts {
  /** Vectors of length 1, one text's after another's. */
  readonly vectors: Float32Array<ArrayBuffer>;
  /** A figure for each text; null for a text that is longer than the embedder reads, whose vector means nothing. */
  readonly inputTokens: readonly (number | null)[];
}
