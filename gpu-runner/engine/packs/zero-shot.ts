import { wordsOfLabel } from '../builtin/classification/label-names.js';
import type { Steps } from '../steps.js';
import type { PackEncoder } from './pack-encoder.js';
import { dot, scaled } from './vectors.js';

/**
 * Cosines of short texts lie close together: a difference of .1 is 3.5 in the log odds. Chosen on training rows of BANKING77 and
 * SNIPS, where the mean probability of the choice comes near the share of right ones.
 */
const SHARPNESS = 35;
/** Vectors of label names that are kept, 1.5 kB each. */
const MAX_LABELS_KEPT = 10_000;
/** Characters of a label name that count; a name is a few words, and each label costs what its text costs. */
const MAX_NAME_CHARACTERS = 256;

export type Chooser = (vector: Float32Array) => Float64Array;

/**
 * Chooses one of some labels by the vectors of text and label names: no example is needed, and a text need not share a word with its
 * label.
 */
export class ZeroShot {
  private readonly vectors = new Map<string, Float32Array>();

  constructor(private readonly encoder: PackEncoder) {}

  /** @returns a function from a text's vector to one probability for each label; they sum to 1 */
  *over(labels: readonly string[]): Steps<Chooser> {
    const names: Float32Array[] = [];
    for (const label of labels) {
      names.push(this.vectorOf(label));
      yield;
    }
    return (vector) => {
      const cosines = names.map((name) => dot(name, vector));
      const best = Math.max(...cosines);
      const weights = Float64Array.from(cosines, (cosine) => Math.exp(SHARPNESS * (cosine - best)));
      const total = weights.reduce((sum, weight) => sum + weight, 0);
      return weights.map((weight) => weight / total);
    };
  }

  read(text: string): Float32Array {
    return scaled(this.encoder.sentence(this.encoder.firstTokens(text)));
  }

  private vectorOf(label: string): Float32Array {
    const words = (wordsOfLabel(label).toLowerCase() || label).slice(0, MAX_NAME_CHARACTERS);
    let vector = this.vectors.get(words);
    if (vector) return vector;
    if (this.vectors.size >= MAX_LABELS_KEPT) this.vectors.clear();
    vector = this.read(words);
    this.vectors.set(words, vector);
    return vector;
  }
}
