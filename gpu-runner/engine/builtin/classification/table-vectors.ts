import type { SentenceEncoder } from '../text-encoder.js';
import type { WordTable } from '../word-table/word-table.js';
import { wordsOf } from './words.js';

/**
 * Chosen on training rows of BANKING77: classifiers of 5,000 rows gain .01 by the vectors, and those of 8,500 are as good without them
 * and made in two thirds of the time.
 */
const USEFUL_ROWS = 5000;

/** Vectors of texts as the sums of those of their words. */
export class TableVectors implements SentenceEncoder {
  readonly sentenceVectors: string;
  readonly sentenceDimensions: number;
  readonly usefulRows = USEFUL_ROWS;

  constructor(private readonly table: WordTable) {
    this.sentenceVectors = table.name;
    this.sentenceDimensions = table.dimensions;
  }

  sentence(text: string): Float32Array {
    return this.table.textVector(wordsOf(text)) ?? new Float32Array(this.sentenceDimensions);
  }
}
