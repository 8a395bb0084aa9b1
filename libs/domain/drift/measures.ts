import { labelKey, OTHER_LABELS, type DriftCounts, type WordSample } from './counts.js';
import { psi } from './psi.js';
import { DriftVocabulary, type TrainingReference } from './reference.js';

/** Measures that are compared. */
export const DRIFT_MEASURES = ['labels', 'confidence', 'length', 'unseen_words'] as const;
export type DriftMeasure = (typeof DRIFT_MEASURES)[number];
export type DriftBaseline = 'training' | 'previous_week';

/**
 * Minimum number of texts, of calls with a confidence, and of training rows to compare. Chance alone gives ten bins of 200 an
 * index of 0.09.
 */
export const MIN_COMPARED = 200;
/** The baseline's most frequent labels, which have bins of their own; all others share one. */
const LABEL_BINS = 9;

/** A week of calls of one version. */
export type DriftWeek = {
  readonly week: string;
  readonly calls: number;
  readonly counts: DriftCounts;
  /** Calls by the bin of their lowest confidence. */
  readonly confidence: readonly number[];
  readonly words: WordSample;
};

/**
 * The indices of a week against a baseline; null if one of the two has less than `MIN_COMPARED`, or nothing to compare.
 */
export type DriftIndices = Readonly<Record<DriftMeasure, number | null>>;

/** The rows of a training, made ready for many comparisons. */
export class TrainingBaseline {
  private readonly vocabulary: DriftVocabulary;
  /** Names by key. */
  private readonly names: ReadonlyMap<string, string>;

  constructor(readonly reference: TrainingReference) {
    this.vocabulary = new DriftVocabulary(reference);
    this.names = new Map(reference.labels.map((label) => [labelKey(label), label]));
  }

  /** The same beside rows that were not learned, since their answers say something else than labels. */
  withOthers(rows: number): TrainingBaseline {
    const { counts } = this.reference;
    const labels = { ...counts.labels, [OTHER_LABELS]: rows + (counts.labels[OTHER_LABELS] ?? 0) };
    return new TrainingBaseline({ ...this.reference, counts: { ...counts, labels } });
  }

  /** Share of words that would be unseen if new rows were like the training rows. */
  get expectedUnseen(): number {
    const { count, inOneRow } = this.reference.words;
    return count === 0 ? 0 : inOneRow / count;
  }

  /** Share of a week's words that the training has not seen; null without words. */
  unseen({ words: { buckets } }: DriftWeek): number | null {
    return buckets.length === 0 ? null : this.vocabulary.unseenShare(buckets);
  }

  nameOf(key: string): string | null {
    return this.names.get(key) ?? null;
  }
}

/** A week against the rows that its version learned, which have no confidence. */
export function againstTraining(week: DriftWeek, training: TrainingBaseline): DriftIndices {
  const { counts, words } = training.reference;
  const unseen = training.unseen(week);
  const enough = Math.min(counts.texts, week.counts.texts) >= MIN_COMPARED;
  return {
    labels: enough ? labelIndex(counts, week.counts) : null,
    confidence: null,
    length: enough ? psi(counts.lengths, week.counts.lengths) : null,
    unseen_words:
      enough && unseen !== null && Math.min(words.count, week.words.buckets.length) >= MIN_COMPARED
        ? psi(inTwo(training.expectedUnseen, words.count), inTwo(unseen, week.words.buckets.length))
        : null,
  };
}

/** @param training determines which words are unseen; null: unknown */
export function againstWeek(week: DriftWeek, previous: DriftWeek, training: TrainingBaseline | null): DriftIndices {
  const both = [previous, week] as const;
  const enough = both.every(({ counts }) => counts.texts >= MIN_COMPARED);
  const known = both.every(({ confidence }) => sum(confidence) >= MIN_COMPARED);
  const words = both.map(({ words: { buckets } }) => buckets.length) as [number, number];
  const unseen = training && both.map((each) => training.unseen(each));
  return {
    labels: enough ? labelIndex(previous.counts, week.counts) : null,
    confidence: known ? psi(previous.confidence, week.confidence) : null,
    length: enough ? psi(previous.counts.lengths, week.counts.lengths) : null,
    unseen_words:
      enough && unseen && words.every((count) => count >= MIN_COMPARED)
        ? psi(inTwo(unseen[0]!, words[0]), inTwo(unseen[1]!, words[1]))
        : null,
  };
}

function labelIndex({ labels: baseline }: DriftCounts, { labels }: DriftCounts): number | null {
  const keys = Object.entries(baseline)
    .sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1))
    .map(([key]) => key)
    .slice(0, LABEL_BINS);
  if (keys.length === 0 || Object.keys(labels).length === 0) return null;
  const binned = (counts: DriftCounts['labels']) => {
    const own = keys.map((key) => counts[key] ?? 0);
    return [...own, sum(Object.values(counts)) - sum(own)];
  };
  return psi(binned(baseline), binned(labels));
}

const inTwo = (share: number, count: number): readonly number[] => [share * count, (1 - share) * count];
const sum = (numbers: readonly number[]): number => numbers.reduce((all, each) => all + each, 0);

/** Shares of the labels of texts, the most frequent first. */
export const labelShares = ({ labels }: DriftCounts): readonly { readonly key: string; readonly share: number }[] => {
  const all = sum(Object.values(labels));
  return Object.entries(labels)
    .sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1))
    .map(([key, count]) => ({ key, share: count / all }));
};
