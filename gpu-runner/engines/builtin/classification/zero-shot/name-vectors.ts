import { dot } from '#primitives/vectors.js';
import type { Steps } from '../../../steps.js';
import type { SentenceEncoder, TextEncoder } from '../../text-encoder.js';
import { meansNone } from './default-labels.js';
import { MAX_DESCRIPTION_CHARACTERS, wordsOfLabel } from './label-names.js';
import { softmaxInPlace } from '../probability.js';
import { aboveUsual, nearestByChance, USUAL_LABELS } from './usual-labels.js';

/**
 * Cosines of short texts lie close together: a difference of .1 is 3.5 in the log odds. Chosen on training rows of BANKING77 and
 * SNIPS, where the mean probability of the choice comes near the share of right ones.
 */
export const SHARPNESS = 35;
/**
 * If several labels may apply, "no label" competes as one that is this number of standard deviations nearer than the usual
 * labels.
 */
const DEVIATIONS = 2;
/**
 * The share at which a label is more likely right than not. This and the number above were chosen on texts made of none, one or two
 * training rows of BANKING77 and SNIPS, over 1 to 30 labels.
 */
const DECISION_SHARE = 0.32;
/** Vectors of labels that are kept for an encoder, 1.5 kB each. */
const MAX_LABELS_KEPT = 10_000;
/** Characters of a label name that count; a name is a few words, and each label costs what its text costs. */
const MAX_NAME_CHARACTERS = 256;

const known = new WeakMap<TextEncoder, NameVectors>();

/** Returns the name vectors of an encoder, which all models on it share. */
export function nameVectorsOf(encoder: TextEncoder): NameVectors {
  const names = known.get(encoder) ?? new NameVectors(encoder);
  known.set(encoder, names);
  return names;
}

/**
 * Judges labels by the vectors of text and label names, and of descriptions if there are any: it needs no example, and
 * a text need not share a word with its label.
 */
export class NameVectors {
  private readonly vectors = new Map<string, Float32Array>();

  constructor(readonly encoder: TextEncoder) {}

  /**
   * @param multiLabel false: one label applies, and the probabilities sum to 1; true: any number, each from .5 up, and
   * a label that means "none of these" if no other label does
   * @param descriptions by label
   * @returns a function from a text to one probability for each label
   */
  *over(
    labels: readonly string[],
    multiLabel: boolean,
    descriptions: ReadonlyMap<string, string> = new Map(),
  ): Steps<(text: string) => Float64Array> {
    const names: LabelVector[] = [];
    for (const label of labels) {
      const description = descriptions.get(label);
      const isNone = meansNone(label);
      names.push({ isNone, vector: isNone ? this.descriptionOf(description) : this.vectorOf(label, description) });
      yield;
    }
    const hasNone = names.some(({ isNone }) => isNone);
    const usual: Float32Array[] = [];
    for (const label of multiLabel || hasNone ? USUAL_LABELS : []) {
      usual.push(this.vectorOf(label, undefined));
      yield;
    }
    if (!multiLabel) {
      const competitors = names.filter(({ isNone }) => !isNone).length;
      return (text) => {
        const vector = this.encoder.sentence(text);
        const none = hasNone ? nearestByChance(cosines(vector, usual), competitors) : 0;
        return shares(nearnessOf(vector, names, none));
      };
    }
    return (text) => {
      const vector = this.encoder.sentence(text);
      const none = aboveUsual(cosines(vector, usual), DEVIATIONS);
      const nearness = nearnessOf(vector, names, none);
      const found = shares(hasNone ? nearness : Float64Array.of(...nearness, none)).map(decided);
      const best = Math.max(0, ...found.filter((_, at) => names[at]?.isNone === false));
      return Float64Array.from(names, ({ isNone }, at) => (isNone ? 1 - best : found[at]!));
    };
  }

  /** Vector of the description of a label whose name means "none of these"; the name is not read. */
  private descriptionOf(description: string | undefined): Float32Array | null {
    if (description === undefined) return null;
    const said = description.slice(0, MAX_DESCRIPTION_CHARACTERS);
    return this.keep([said], () => this.encoder.sentence(said));
  }

  private vectorOf(label: string, description: string | undefined): Float32Array {
    const said = [label, ...(description === undefined ? [] : [description])];
    return this.keep(said, () => labelVector(this.encoder, label, description));
  }

  /** @param texts averaged to the vector: a name, a description, or both */
  private keep(texts: readonly string[], encode: () => Float32Array): Float32Array {
    const key = JSON.stringify(texts);
    let vector = this.vectors.get(key);
    if (vector) return vector;
    if (this.vectors.size >= MAX_LABELS_KEPT) this.vectors.clear();
    vector = encode();
    this.vectors.set(key, vector);
    return vector;
  }
}

/**
 * Vector of a label, of length 1; of a described one the mean of three: its name's, its description's, and that of both
 * as one text. On training rows of BANKING77 and SNIPS, with descriptions written for the test, that is better than any
 * two of them, the nearest of them, or a sentence such as "This text is about".
 */
export function labelVector(encoder: SentenceEncoder, label: string, description: string | undefined): Float32Array {
  const name = (wordsOfLabel(label).toLowerCase() || label).slice(0, MAX_NAME_CHARACTERS);
  if (description === undefined) return encoder.sentence(name);
  const said = description.slice(0, MAX_DESCRIPTION_CHARACTERS);
  return meanDirection([name, said, `${name}. ${said}`].map((text) => encoder.sentence(text)));
}

/** The sum of vectors, of length 1; zeros if none means anything. */
function meanDirection(vectors: readonly Float32Array[]): Float32Array {
  const sum = vectors[0]!.map((_, at) => vectors.reduce((total, vector) => total + vector[at]!, 0));
  const length = Math.sqrt(dot(sum, sum));
  return length === 0 ? sum : sum.map((value) => value / length);
}

interface LabelVector {
  /** Whether the label's name means "none of these". */
  readonly isNone: boolean;
  /** Null for such a label without a description. */
  readonly vector: Float32Array | null;
}

/** @param none least nearness of a label that means "none of these" */
const nearnessOf = (text: Float32Array, names: readonly LabelVector[], none: number): Float64Array =>
  Float64Array.from(names, ({ isNone, vector }) => {
    const cosine = vector === null ? none : dot(vector, text);
    return isNone ? Math.max(none, cosine) : cosine;
  });

const cosines = (text: Float32Array, vectors: readonly Float32Array[]): number[] =>
  vectors.map((vector) => dot(vector, text));

/** In place. */
function shares(nearness: Float64Array): Float64Array {
  softmaxInPlace(nearness, 1 / SHARPNESS);
  return nearness;
}

/** A share as a probability: its odds are scaled so that the decision is at .5. */
function decided(share: number): number {
  const odds = DECISION_SHARE / (1 - DECISION_SHARE);
  return share / (share + odds * (1 - share));
}
