/** Vectors of whole texts, which a classifier can learn from. The same text gives the same numbers. */
export interface SentenceEncoder {
  /** Name of the kind of text vectors: weights learned from vectors of another name cannot read them. */
  readonly sentenceVectors: string;
  /** Numbers of a text's vector. */
  readonly sentenceDimensions: number;
  /** Rows up to which a classifier gains by these vectors; from more rows it learns the words themselves. null: always. */
  readonly usefulRows: number | null;
  /** The same encoder by an inner layer, where the kind of a text (what is asked, in which tone) counts more than its topic; null for none. */
  readonly inner: SentenceEncoder | null;
  /** The vector of a text as a whole, of length 1, or of zeros alone for a text that means nothing to the encoder. */
  sentence(text: string): Float32Array;
}

/**
 * A pretrained encoder under the heads. The same text gives the same numbers, whatever is encoded before it or beside
 * it. Returned values are shared, and must not be changed. `sentence` reads the first 512 tokens of a text.
 */
export interface TextEncoder extends SentenceEncoder {
  /** Name of the kind of word vectors: weights learned from vectors of another name cannot read them. */
  readonly wordVectors: string;
  /** Numbers of a word's vector. */
  readonly wordDimensions: number;
  /** Share of the text's tokens that the vocabulary of the encoder lacks: it reads all of them as one. */
  unknownShare(text: string): number;
  /** Whether `sentence` does not read the end of the text. */
  isTooLong(text: string): boolean;
  /** Vectors of consecutive tokens of one segment, one for each: row-major [tokens, wordDimensions]. Not scaled. */
  words(tokens: readonly string[]): Float32Array;
  /** What consecutive tokens mean, by the layer that vectors of texts come from. */
  meaning(tokens: readonly string[]): Meaning;
}

/** Vectors of one layer, by which stretches of texts and names of labels can be compared. Not scaled. */
export interface Meaning {
  /** The vector of all tokens as a text; of the first part, if they are encoded in parts. [sentenceDimensions] */
  readonly text: Float32Array;
  /** Those of the tokens: row-major [tokens, sentenceDimensions]. */
  readonly tokens: Float32Array;
}
