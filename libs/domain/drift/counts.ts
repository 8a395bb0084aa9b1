import { bucketsOf, hashOf } from './words.js';

/**
 * Counters of bounded size over many texts and their answers, without a text, a word or a label. A week of calls and the rows of
 * a training have the same counters.
 */
export type DriftCounts = {
  readonly texts: number;
  /** Texts that have a label, by `labelKey`; `NO_LABEL` and `OTHER_LABELS` are two more keys. */
  readonly labels: Readonly<Record<string, number>>;
  /** Texts by the bin of their length, as `LENGTH_BOUNDS` has them. */
  readonly lengths: readonly number[];
};

/** Upper bounds of the bins of a length in UTF-16 units, exclusive; one more bin holds longer ones. */
export const LENGTH_BOUNDS = [16, 32, 64, 128, 256, 512, 1024, 2048, 4096] as const;

/** Key of texts in which no label was found. */
export const NO_LABEL = 'none';
/** Key of the labels beyond `MAX_LABELS`, and of answers that say something else than labels. */
export const OTHER_LABELS = 'other';
const MAX_LABELS = 200;

export const NO_COUNTS: DriftCounts = {
  ...{ texts: 0, labels: {} },
  lengths: Array.from({ length: LENGTH_BOUNDS.length + 1 }, () => 0),
};

/** A text and the labels that it has; each label counts once. */
export interface CountedText {
  readonly length: number;
  /** null: not known. */
  readonly labels: readonly string[] | typeof OTHER_LABELS | null;
}

/** Labels are counted by a hash: a name that a caller made up is part of a call's content, and is erased with that. */
export const labelKey = (label: string): string => hashOf(label).toString(16).padStart(8, '0');

/** The counts after some more texts. */
export function counted(before: DriftCounts, texts: readonly CountedText[]): DriftCounts {
  const [labels, lengths] = [{ ...before.labels }, [...before.lengths]];
  let kinds = Object.keys(labels).length;
  const add = (key: string): void => {
    const known = labels[key];
    if (known !== undefined) labels[key] = known + 1;
    else if (kinds < MAX_LABELS) [labels[key], kinds] = [1, kinds + 1];
    else labels[OTHER_LABELS] = (labels[OTHER_LABELS] ?? 0) + 1;
  };
  for (const { length, labels: found } of texts) {
    lengths[binOf(length)]! += 1;
    if (found === OTHER_LABELS) add(found);
    else if (found?.length === 0) add(NO_LABEL);
    else for (const label of new Set(found)) add(labelKey(label));
  }
  return { texts: before.texts + texts.length, labels, lengths };
}

function binOf(length: number): number {
  const bin = LENGTH_BOUNDS.findIndex((bound) => length < bound);
  return bin < 0 ? LENGTH_BOUNDS.length : bin;
}

/** Bins of equal width of a confidence. */
export const CONFIDENCE_BINS = 10;

/** @param confidence 0 to 1 */
export const confidenceBin = (confidence: number): number =>
  Math.min(CONFIDENCE_BINS - 1, Math.max(0, Math.floor(confidence * CONFIDENCE_BINS)));

/** Words kept per week, sampled evenly: the sample's share is within 4 percent of the true one (95%). */
export const MAX_SAMPLE = 1024;

/** A sample of the words of many texts. */
export type WordSample = {
  /** Number of all. */
  readonly seen: number;
  /** Buckets of those that are kept. */
  readonly buckets: readonly number[];
};

export const NO_WORDS: WordSample = { seen: 0, buckets: [] };

/**
 * The sample after some more texts: Algorithm R (Vitter 1985), whose draws follow from the number of the word, so that the same
 * calls give the same sample.
 */
export function sampled(before: WordSample, texts: readonly string[]): WordSample {
  const buckets = [...before.buckets];
  let { seen } = before;
  for (const text of texts)
    for (const bucket of bucketsOf(text)) {
      seen += 1;
      const place = buckets.length < MAX_SAMPLE ? buckets.length : scattered(seen) % seen;
      if (place < MAX_SAMPLE) buckets[place] = bucket;
    }
  return { seen, buckets };
}

/** A number that looks random, and is the same for the same number: 32 bits (the finalizer of MurmurHash3). */
function scattered(number: number): number {
  let hash = number | 0;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
