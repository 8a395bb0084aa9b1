/**
 * A pretrained encoder under the heads. The same text gives the same numbers, whatever is encoded before it or beside it. What it
 * returns is shared, and must not be changed.
 */
export interface TextEncoder {
  /** Name of the kind of word vectors: weights learned from vectors of another name cannot read them. */
  readonly wordVectors: string;
  /** Numbers of a word's vector. */
  readonly wordDimensions: number;
  /** Numbers of a text's vector. */
  readonly sentenceDimensions: number;
  /** The vector of a text as a whole, of length 1. Reads its first 512 tokens. */
  sentence(text: string): Float32Array;
  /** Whether `sentence` leaves the end of the text unread. */
  isTooLong(text: string): boolean;
  /** One vector for each of these tokens, which follow each other in one segment: row-major [tokens, wordDimensions]. Not scaled. */
  words(tokens: readonly string[]): Float32Array;
}
