import { hash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { composed } from '#primitives/text/composed.js';

interface Row {
  readonly text: string;
}

/** Stored beside the weights, in the folder of an artifact or a checkpoint. */
const FILE = 'trained_texts.bin';
const BYTES = 8;
/** With more texts, the file would be larger than the weights. */
const MAX_TEXTS = 4_000_000;

/**
 * The texts that a model learned from, as 64 bits of a hash of each, ascending: enough to check whether a text is among
 * them, at 8 bytes a text.
 */
export class TrainedTexts {
  private constructor(private readonly hashes: BigUint64Array) {}

  /**
   * @param earlier of the model that the training starts from
   * @returns null if they are too many to keep
   */
  static of(rows: readonly Row[], earlier: TrainedTexts | null): TrainedTexts | null {
    const distinct = new Set(earlier?.hashes);
    for (const { text } of rows) distinct.add(hashOf(text));
    return distinct.size > MAX_TEXTS ? null : new TrainedTexts(BigUint64Array.from(distinct).sort());
  }

  /** @returns null if the folder has none, or a truncated one */
  static async read(directory: string): Promise<TrainedTexts | null> {
    try {
      const bytes = await readFile(join(directory, FILE));
      if (bytes.length % BYTES !== 0) return null;
      const hashes = new BigUint64Array(bytes.length / BYTES);
      for (let at = 0; at < hashes.length; at += 1) hashes[at] = bytes.readBigUInt64LE(at * BYTES);
      return new TrainedTexts(hashes);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
      return null;
    }
  }

  async write(directory: string): Promise<void> {
    const bytes = Buffer.alloc(this.hashes.length * BYTES);
    this.hashes.forEach((each, at) => bytes.writeBigUInt64LE(each, at * BYTES));
    await writeFile(join(directory, FILE), bytes);
  }

  /** Number of rows whose text was learned from. */
  count(rows: readonly Row[]): number {
    return rows.filter(({ text }) => this.has(hashOf(text))).length;
  }

  private has(wanted: bigint): boolean {
    let [from, to] = [0, this.hashes.length];
    while (from < to) {
      const middle = (from + to) >>> 1;
      if (this.hashes[middle]! < wanted) from = middle + 1;
      else to = middle;
    }
    return this.hashes[from] === wanted;
  }
}

/** Texts that differ in white space or in how a letter is composed are the same. */
function hashOf(text: string): bigint {
  const even = composed(text).replaceAll(/\s+/g, ' ').trim();
  return hash('sha256', even, 'buffer').readBigUInt64LE(0);
}
