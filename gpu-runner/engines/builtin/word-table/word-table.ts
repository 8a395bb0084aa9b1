import { ArtifactError } from '../../engine.js';
import type { HeadState } from '../head.js';

/**
 * Weight of a word by its frequency: SMOOTHING / (SMOOTHING + frequency), after Arora, Liang and Ma (2017). Chosen on training rows of
 * BANKING77 and SNIPS.
 */
const SMOOTHING = 3e-4;
/** English endings to remove, and their replacements, to find a word that the table lacks. */
const ENDINGS: readonly (readonly [ending: RegExp, instead: string])[] = [
  [/ies$/, 'y'],
  [/(ing|ed|s|es|ly|d)$/, ''],
  [/(ing|ed)$/, 'e'],
];

/**
 * Vectors of English words by their meaning, which belong to a base model: a text is the weighted sum of its words. Made by
 * `tools/word-table`.
 */
export class WordTable {
  private readonly rows: ReadonlyMap<string, number>;
  private readonly frequencyOfFirst: number;

  private constructor(
    /** Identifies the table. Weights that were learned from its vectors are stored with this name. */
    readonly name: string,
    words: readonly string[],
    readonly dimensions: number,
    private readonly vectors: Int8Array,
    private readonly scales: Float32Array,
  ) {
    this.rows = new Map(words.map((word, row) => [word, row]));
    this.frequencyOfFirst = 1 / Math.log(words.length);
  }

  /**
   * @param name unique among tables
   * @throws ArtifactError when tensors are missing or do not fit each other
   */
  static load(name: string, { tensors }: HeadState): WordTable {
    const text = tensors['text']?.data;
    const vectors = tensors['vectors'];
    const scales = tensors['scales']?.data;
    if (!(text instanceof Uint8Array) || !(vectors?.data instanceof Int8Array) || !(scales instanceof Float32Array))
      throw new ArtifactError('The table of words lacks its text, its vectors or its scales.');
    const words = new TextDecoder().decode(text).split('\n');
    const [count = 0, dimensions = 0] = vectors.shape;
    if (count !== words.length || scales.length !== count || dimensions === 0)
      throw new ArtifactError(`The table has ${words.length} words and vectors of ${count}.`);
    return new WordTable(name, words, dimensions, vectors.data, scales);
  }

  /**
   * The vector of a text, of length 1; null if the table knows none of its words.
   * @param words in lower case
   */
  textVector(words: readonly string[]): Float32Array | null {
    const { dimensions, vectors, scales } = this;
    const sum = new Float32Array(dimensions);
    let known = 0;
    for (const word of words) {
      const row = this.rowOf(word);
      if (row === undefined) continue;
      known++;
      const factor = this.weightOf(row) * scales[row]!;
      for (let at = 0; at < dimensions; at++) sum[at]! += factor * vectors[row * dimensions + at]!;
    }
    return known === 0 ? null : unit(sum);
  }

  private rowOf(word: string): number | undefined {
    const row = this.rows.get(word);
    if (row !== undefined) return row;
    for (const [ending, instead] of ENDINGS) {
      const found = this.rows.get(word.replace(ending, instead));
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /** By Zipf's law: the words are sorted by frequency, which is proportional to the inverse of the place. */
  private weightOf(row: number): number {
    return SMOOTHING / (SMOOTHING + this.frequencyOfFirst / (row + 2));
  }
}

/** In place. */
export function unit(vector: Float32Array): Float32Array {
  let square = 0;
  for (let at = 0; at < vector.length; at++) square += vector[at]! * vector[at]!;
  const length = Math.sqrt(square);
  if (length > 0) for (let at = 0; at < vector.length; at++) vector[at]! /= length;
  return vector;
}
