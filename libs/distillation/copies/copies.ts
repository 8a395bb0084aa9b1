import { normalised } from '#rows/report/normalised.js';

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
  /** Copies that were dropped, and of those the ones whose texts are not the same but near. */
  readonly copies: number;
  readonly nearCopies: number;
  /**
   * Share of the pairs of copies with one answer, groups counting alike: the agreement of the teacher with itself, above which no student
   * can agree with it. Null without copies.
   */
  readonly agreement: number | null;
  /** The groups of copies that this share is of. */
  readonly groups: number;
}

/** Texts whose vectors are so near are copies; paraphrases are farther apart. */
export const NEAR_COPY = 0.99;

/**
 * Drops copies and near copies, of which a student would be tested on what it has learned, so that every bound breaks.
 * @param vectors of the texts, of length 1; without them only texts that are the same but for case, blanks and punctuation are copies
 */
export function withoutCopies<T extends Answered>(
  calls: readonly T[],
  vectors?: readonly Float32Array[],
): WithoutCopies<T> {
  const groups = [...Map.groupBy(calls.keys(), (at) => normalised(calls[at]!.text)).values()];
  const parents = calls.map((_, at) => at);
  for (const [first, ...others] of groups) for (const other of others) parents[other] = first!;
  const copies = calls.length - groups.length;
  const firsts = groups.map(([first]) => first!);
  let nearCopies = 0;
  if (vectors)
    for (const [one, other] of nearPairs(firsts, vectors)) {
      const [root, joined] = [rootOf(parents, one), rootOf(parents, other)];
      if (root === joined) continue;
      parents[Math.max(root, joined)] = Math.min(root, joined);
      nearCopies += 1;
    }
  const whole = [...Map.groupBy(calls.keys(), (at) => rootOf(parents, at)).values()];
  const several = whole.filter((group) => group.length > 1).map((group) => group.map((at) => calls[at]!));
  const agreement = several.reduce((sum, group) => sum + pairsAlike(group), 0) / several.length;
  const kept = whole.map((group) => group.reduce((best, at) => (calls[at]!.at >= calls[best]!.at ? at : best)));
  return {
    kept: kept.sort((one, other) => one - other).map((at) => calls[at]!),
    copies,
    nearCopies,
    agreement: several.length > 0 ? agreement : null,
    groups: several.length,
  };
}

function rootOf(parents: number[], at: number): number {
  let root = at;
  while (parents[root] !== root) root = parents[root]!;
  parents[at] = root;
  return root;
}

/** Share of the pairs of a group that have one answer. */
function pairsAlike(group: readonly Answered[]): number {
  const counts = [...Map.groupBy(group, ({ answer }) => answer).values()].map(({ length }) => length);
  const pairs = (count: number) => (count * (count - 1)) / 2;
  return counts.reduce((sum, count) => sum + pairs(count), 0) / pairs(group.length);
}

/**
 * Pairs of near vectors. Two of length 1 with a cosine of at least c differ by at most sqrt(2 - 2c) in each direction, so that along the
 * coordinate that varies most only neighbours need be compared.
 */
function* nearPairs(places: readonly number[], vectors: readonly Float32Array[]): Generator<readonly [number, number]> {
  if (places.length === 0) return;
  const axis = widestAxis(places.map((at) => vectors[at]!));
  const sorted = [...places].sort((one, other) => vectors[one]![axis]! - vectors[other]![axis]!);
  const reach = Math.sqrt(2 - 2 * NEAR_COPY);
  for (const [index, one] of sorted.entries()) {
    for (let next = index + 1; next < sorted.length; next += 1) {
      const other = sorted[next]!;
      if (vectors[other]![axis]! - vectors[one]![axis]! > reach) break;
      if (dot(vectors[one]!, vectors[other]!) >= NEAR_COPY) yield [one, other];
    }
  }
}

function widestAxis(vectors: readonly Float32Array[]): number {
  const variances = Array.from(vectors[0]!, (_, axis) => {
    const mean = vectors.reduce((sum, vector) => sum + vector[axis]!, 0) / vectors.length;
    return vectors.reduce((sum, vector) => sum + (vector[axis]! - mean) ** 2, 0);
  });
  return variances.indexOf(Math.max(...variances));
}

function dot(one: Float32Array, other: Float32Array): number {
  let sum = 0;
  for (let axis = 0; axis < one.length; axis += 1) sum += one[axis]! * other[axis]!;
  return sum;
}
