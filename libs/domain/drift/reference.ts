import { counted, NO_COUNTS, type DriftCounts } from './counts.js';
import { bucketsOf, WORD_BUCKETS } from './words.js';

/** Counters of the rows that a version learned: about 50 KB as JSON. */
export type TrainingReference = {
  readonly counts: DriftCounts;
  /** Names of the labels; the counts have only their hashes. */
  readonly labels: readonly string[];
  /** Whether each bucket has a word in the rows: bits, the lowest of a byte first, in base64. */
  readonly vocabulary: string;
  readonly words: {
    /** Words in the rows, with repetitions. */
    readonly count: number;
    /**
     * Words in one row only, which would be unseen if that row had not been learned. The estimate of Good and Turing
     * (I. J. Good 1953), by rows.
     */
    readonly inOneRow: number;
  };
};

/** Names of labels that are kept. */
const MAX_NAMES = 1_000;
const SEVERAL_ROWS = -1;

/** Makes the reference of rows, one after another, in a few megabytes. */
export class ReferenceTally {
  private counts = NO_COUNTS;
  private readonly labels = new Set<string>();
  private row = 0;
  private words = 0;
  /** By bucket: the number of the only row that has its words, from 1, and how often it has them. */
  private readonly rows = new Int32Array(WORD_BUCKETS);
  private readonly times = new Int32Array(WORD_BUCKETS);

  add(text: string, labels: readonly string[]): void {
    this.row += 1;
    this.counts = counted(this.counts, [{ length: text.length, labels }]);
    for (const label of labels) if (this.labels.size < MAX_NAMES) this.labels.add(label);
    for (const bucket of bucketsOf(text)) {
      this.words += 1;
      const row = this.rows[bucket]!;
      if (row === 0) this.rows[bucket] = this.row;
      else if (row !== this.row) this.rows[bucket] = SEVERAL_ROWS;
      this.times[bucket]! += 1;
    }
  }

  reference(): TrainingReference {
    const bits = new Uint8Array(WORD_BUCKETS / 8);
    let inOneRow = 0;
    this.rows.forEach((row, bucket) => {
      if (row !== 0) bits[bucket >> 3]! |= 1 << (bucket & 7);
      if (row > 0) inOneRow += this.times[bucket]!;
    });
    return {
      counts: this.counts,
      labels: [...this.labels],
      vocabulary: Buffer.from(bits).toString('base64'),
      words: { count: this.words, inOneRow },
    };
  }
}

/** Words that a training has seen. */
export class DriftVocabulary {
  private readonly bits: Uint8Array;
  /** Share of buckets with a word: the share of unseen words that look seen. */
  private readonly filled: number;

  constructor({ vocabulary }: Pick<TrainingReference, 'vocabulary'>) {
    this.bits = Buffer.from(vocabulary, 'base64');
    let set = 0;
    for (let bucket = 0; bucket < WORD_BUCKETS; bucket += 1) if (this.has(bucket)) set += 1;
    this.filled = set / WORD_BUCKETS;
  }

  /** The approximate share of words that the training has not seen, corrected for buckets that other words fill. */
  unseenShare(buckets: readonly number[]): number {
    const unseen = buckets.filter((bucket) => !this.has(bucket)).length / buckets.length;
    return Math.min(1, unseen / (1 - this.filled));
  }

  private has(bucket: number): boolean {
    return ((this.bits[bucket >> 3]! >> (bucket & 7)) & 1) === 1;
  }
}
