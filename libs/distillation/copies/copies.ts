import { normalised } from '#rows/report/normalised.js';
import { nearToEarlier } from './near-copies.js';

/** A text and what was answered, of which there may be copies. */
export interface Answered {
  readonly text: string;
  /** As it is compared with others: folded, if spellings make no difference. */
  readonly answer: string;
  /** ISO 8601. */
  readonly at: string;
}

export interface WithoutCopies<T> {
  /** One of each group of copies, the newest; in the order in which they came. */
  readonly kept: readonly T[];
  /** Copies that were dropped. */
  readonly copies: number;
  /** Share of the pairs of copies with one answer, groups counting alike: the agreement of the teacher with itself. Null without copies. */
  readonly agreement: number | null;
  /** The groups of copies that this share is of. */
  readonly groups: number;
}

/**
 * The agreement that no student can exceed on such texts: it gives a text one answer. Of the probabilities p that a teacher's answers have,
 * two of its answers agree with the sum of the squares, which is at least the square of the largest p.
 * @param agreement of the teacher with itself
 */
export const ceilingOf = (agreement: number): number => Math.sqrt(agreement);

/** Vectors of texts. */
export interface TextVectors {
  /** Of length 1; null for a text that was not read to its end. */
  readonly vectors: readonly (Float32Array | null)[];
  /** Cosine from which texts are near copies; paraphrases are farther apart. */
  readonly least: number;
}

/**
 * Drops copies, texts that are the same but for case, blanks and punctuation at their ends. A student would be tested on what it has
 * learned, and each copy would count as evidence again, so that every bound breaks.
 */
export function withoutCopies<T extends Answered>(calls: readonly T[]): WithoutCopies<T> {
  const groups = [...Map.groupBy(calls.keys(), (at) => normalised(calls[at]!.text)).values()];
  const several = groups.filter((group) => group.length > 1).map((group) => group.map((at) => calls[at]!));
  const agreement = several.reduce((sum, group) => sum + pairsAlike(group), 0) / several.length;
  const kept = groups.map((group) => group.reduce((best, at) => (calls[at]!.at >= calls[best]!.at ? at : best)));
  return {
    kept: kept.sort((one, other) => one - other).map((at) => calls[at]!),
    copies: calls.length - groups.length,
    agreement: several.length > 0 ? agreement : null,
    groups: several.length,
  };
}

/**
 * Drops near copies with one answer but for the newest, in the order in which they came. Those with different answers are not copies: an
 * amount or a name may be all in which their texts differ.
 */
export function withoutNearCopies<T extends Answered>(
  calls: readonly T[],
  { vectors, least }: TextVectors,
): readonly T[] {
  const dropped = new Set<number>();
  const read = [...calls.keys()].filter((at) => vectors[at] != null);
  for (const same of Map.groupBy(read, (at) => calls[at]!.answer).values()) {
    const newestFirst = same.toSorted((one, other) => (calls[one]!.at < calls[other]!.at ? 1 : -1));
    const near = nearToEarlier(
      newestFirst.map((at) => vectors[at]!),
      least,
    );
    for (const place of near) dropped.add(newestFirst[place]!);
  }
  return calls.filter((_, at) => !dropped.has(at));
}

/** Share of the pairs of a group that have one answer. */
function pairsAlike(group: readonly Answered[]): number {
  const counts = [...Map.groupBy(group, ({ answer }) => answer).values()].map(({ length }) => length);
  const pairs = (count: number) => (count * (count - 1)) / 2;
  return counts.reduce((sum, count) => sum + pairs(count), 0) / pairs(group.length);
}
