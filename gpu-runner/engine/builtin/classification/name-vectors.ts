import type { Steps } from '../../steps.js';
import type { TextEncoder } from '../text-encoder.js';
import { wordsOfLabel } from './label-names.js';
import { softmaxInPlace } from './probability.js';

/**
 * Cosines of short texts lie close together: a difference of .1 is 3.5 in the log odds. Chosen on training rows of BANKING77 and
 * SNIPS, where the mean probability of the choice comes near the share of right ones.
 */
const SHARPNESS = 35;
/** Vectors of label names that are kept for an encoder, 1.5 kB each. */
const MAX_LABELS_KEPT = 10_000;
/** Characters of a label name that count; a name is a few words, and each label costs what its text costs. */
const MAX_NAME_CHARACTERS = 256;

const known = new WeakMap<TextEncoder, NameVectors>();

/** Those of an encoder, which all models on it share. */
export function nameVectorsOf(encoder: TextEncoder): NameVectors {
  const names = known.get(encoder) ?? new NameVectors(encoder);
  known.set(encoder, names);
  return names;
}

/**
 * Chooses one of some labels by the vectors of text and label names: no example is needed, and a text need not share a word with its
 * label.
 */
export class NameVectors {
  private readonly vectors = new Map<string, Float32Array>();

  constructor(readonly encoder: TextEncoder) {}

  /** @returns a function from a text to one probability for each label; they sum to 1 */
  *over(labels: readonly string[]): Steps<(text: string) => Float64Array> {
    const names: Float32Array[] = [];
    for (const label of labels) {
      names.push(this.vectorOf(label));
      yield;
    }
    return (text) => {
      const vector = this.encoder.sentence(text);
      const probabilities = Float64Array.from(names, (name) => dot(name, vector));
      softmaxInPlace(probabilities, 1 / SHARPNESS);
      return probabilities;
    };
  }

  private vectorOf(label: string): Float32Array {
    const words = (wordsOfLabel(label).toLowerCase() || label).slice(0, MAX_NAME_CHARACTERS);
    let vector = this.vectors.get(words);
    if (vector) return vector;
    if (this.vectors.size >= MAX_LABELS_KEPT) this.vectors.clear();
    vector = this.encoder.sentence(words);
    this.vectors.set(words, vector);
    return vector;
  }
}

function dot(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let at = 0; at < a.length; at++) sum += a[at]! * b[at]!;
  return sum;
}
