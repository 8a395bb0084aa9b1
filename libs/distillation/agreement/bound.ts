/** A call that the student answered without having learned from it. */
export interface JudgedCall {
  /** How sure the student is of its whole answer, 0 to 1. */
  readonly certainty: number;
  /** Whether it is the teacher's answer. */
  readonly agrees: boolean;
}

/** From which certainty the student answers, and what is known of that. */
export interface Bound {
  /** The student answers calls of this certainty or more. */
  readonly threshold: number;
  /** The calls at or above it, of those judged, and how many of them disagree. */
  readonly answered: number;
  readonly disagreements: number;
  readonly judged: number;
}

export type Calibration =
  | { readonly kind: 'bound'; readonly bound: Bound }
  /** No bound can be shown on so few calls, were they all right. */
  | { readonly kind: 'too-few'; readonly needed: number }
  /** The student disagrees with its teacher too often where it is surest. */
  | { readonly kind: 'refused'; readonly answered: number; readonly disagreements: number };

/** Probability with which a bound may be wrong. */
const ALPHA = 0.05;
/** The first set that is tested forgives at most so many disagreements. */
const MOST_FORGIVEN = 3;
/** Each further set has so much of all calls more. */
const STEP = 0.05;

/**
 * The lowest certainty from which the student agrees with its teacher in at least `target` of the calls, with 95% confidence: the
 * sets of the surest calls are tested one after another, the smallest first, each by an exact binomial test, and the last one before the
 * first that fails counts (fixed sequence testing of Learn then Test, Angelopoulos et al., arXiv 2110.01052; Clopper and Pearson 1934).
 * Which sets are tested follows from the certainties alone, so that no disagreement has been looked at.
 *
 * It is a theorem for calls that no part of the student has seen. For answers out of fold and a student trained on all of them it is a
 * rate that was measured; `stricter` is for that.
 * @param target 0 to 1, exclusive
 */
export function calibrate(calls: readonly JudgedCall[], target: number): Calibration {
  const sorted = calls.toSorted((a, b) => b.certainty - a.certainty);
  const needed = leastCount(0, target);
  if (sorted.length < needed) return { kind: 'too-few', needed };
  let bound: Bound | null = null;
  let disagreements = 0;
  let counted = 0;
  for (const count of countsToTest(sorted, target)) {
    for (; counted < count; counted += 1) if (!sorted[counted]!.agrees) disagreements += 1;
    if (atMost(disagreements, count, 1 - target) > ALPHA) {
      if (bound === null) return { kind: 'refused', answered: count, disagreements };
      break;
    }
    bound = { threshold: sorted[count - 1]!.certainty, answered: count, disagreements, judged: sorted.length };
  }
  return { kind: 'bound', bound: bound! };
}

/** What the first live calls show, all answered by the teacher. */
export interface Opening {
  /** The student may answer calls of this certainty or more; Infinity: none. */
  readonly threshold: number;
  /** The live calls that it would have answered, and how many of them otherwise than the teacher. */
  readonly answered: number;
  readonly disagreements: number;
  /** Whether these contradict the target. */
  readonly isContradicted: boolean;
}

/** Whether the student may answer, and from which certainty, after the first live calls. */
export function openingAfter(bound: Bound, live: readonly JudgedCall[], target: number): Opening {
  const threshold = stricter(
    bound,
    live.map(({ certainty }) => certainty),
  );
  const sure = live.filter(({ certainty }) => certainty >= threshold);
  const disagreements = sure.filter(({ agrees }) => !agrees).length;
  const isContradicted = contradicts(disagreements, sure.length, target);
  return { threshold, answered: sure.length, disagreements, isContradicted };
}

/** A student that was trained on all calls is surer than those that answered out of fold: it answers no larger share than they did. */
export function stricter({ threshold, answered, judged }: Bound, live: readonly number[]): number {
  if (answered === judged) return threshold;
  const sorted = live.toSorted((a, b) => b - a);
  const count = Math.floor((answered / judged) * sorted.length);
  return Math.max(threshold, count === 0 ? Infinity : sorted[count - 1]!);
}

/** Whether so many disagreements contradict the target, by an exact binomial test at 5%. */
export const contradicts = (disagreements: number, calls: number, target: number): boolean =>
  disagreements > 0 && 1 - atMost(disagreements - 1, calls, 1 - target) <= ALPHA;

/** The least number of calls that shows the target with so many disagreements among them. */
export function leastCount(disagreements: number, target: number): number {
  let count = disagreements + 1;
  while (atMost(disagreements, count, 1 - target) > ALPHA) count += 1;
  return count;
}

/** The agreement that so many disagreements show, with its exact interval of 95% (Clopper and Pearson 1934). @param calls at least one */
export function agreementOf(
  disagreements: number,
  calls: number,
): { readonly agreement: number; readonly low: number; readonly high: number } {
  const [most, least] = [
    rootOf((rate) => atMost(disagreements, calls, rate) <= ALPHA / 2),
    rootOf((rate) => disagreements > 0 && 1 - atMost(disagreements - 1, calls, rate) > ALPHA / 2),
  ];
  return {
    agreement: 1 - disagreements / calls,
    low: disagreements === calls ? 0 : 1 - most,
    high: disagreements === 0 ? 1 : 1 - least,
  };
}

/** Where, from 0 to 1, something begins to be the case. */
function rootOf(isBeyond: (rate: number) => boolean): number {
  let [low, high] = [0, 1];
  for (let step = 0; step < 50; step += 1) {
    const middle = (low + high) / 2;
    if (isBeyond(middle)) high = middle;
    else low = middle;
  }
  return high;
}

/** Sizes of the sets to test, ascending. Calls of the same certainty are in or out together. */
function countsToTest(sorted: readonly JudgedCall[], target: number): readonly number[] {
  const forgiving = Array.from({ length: MOST_FORGIVEN + 1 }, (_, errors) => leastCount(errors, target));
  const first = forgiving.findLast((count) => count <= sorted.length / 2) ?? forgiving[0]!;
  const step = Math.max(1, Math.round(STEP * sorted.length));
  const counts = new Set<number>();
  for (let count = first; count < sorted.length; count += step) counts.add(withTies(sorted, count));
  return [...counts.add(sorted.length)];
}

function withTies(sorted: readonly JudgedCall[], count: number): number {
  let all = count;
  while (all < sorted.length && sorted[all]!.certainty === sorted[count - 1]!.certainty) all += 1;
  return all;
}

/** P(X <= k) of a binomial distribution of n draws with probability p. */
function atMost(k: number, n: number, p: number): number {
  let log = n * Math.log1p(-p);
  let sum = Math.exp(log);
  for (let i = 1; i <= k; i += 1) {
    log += Math.log((n - i + 1) / i) + Math.log(p) - Math.log1p(-p);
    sum += Math.exp(log);
  }
  return Math.min(1, sum);
}
