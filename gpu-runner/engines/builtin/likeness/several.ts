import type { Steps } from '../../steps.js';
import { cutsOf, type Cut } from './parts.js';

/** Probabilities of the classes of a text, which sum to 1. */
export type Judge = (text: string) => ArrayLike<number>;

/** Weights of the three signs, chosen on BANKING77 and SNIPS, with models of the base without an encoder. */
const WEIGHTS = { bound: 0.7, middle: 1, length: 1.5 };
/** A part is of no class with more certainty than this. */
const SMOOTHING = 0.005;

/**
 * How much a text looks like two requests of different classes, as log odds without a prior: by what its parts would be answered, if
 * they were apart, and by its length. A text that cannot be cut gives -Infinity. One cut a step.
 * @param usualLength median of the learned texts
 * @param from a text that cannot reach this is not cut at all its bounds, and what is returned is below it too
 */
export function* severalOf(text: string, usualLength: number, judge: Judge, from = -Infinity): Steps<number> {
  const { atBounds, inMiddle } = cutsOf(text);
  if (inMiddle === null && atBounds.length === 0) return -Infinity;
  const middle = inMiddle ? apart(inMiddle, judge) : 0;
  yield;
  const score = (bound: number) =>
    WEIGHTS.bound * logOdds(bound) +
    WEIGHTS.middle * logOdds(middle) +
    WEIGHTS.length * Math.log(text.length / Math.max(1, usualLength));
  if (score(1) < from) return score(0);
  let bound = 0;
  for (const cut of atBounds) {
    bound = Math.max(bound, apart(cut, judge));
    yield;
  }
  return score(bound);
}

const logOdds = (probability: number): number => Math.log((probability + SMOOTHING) / (1 - probability + SMOOTHING));

/** The probability of the likeliest two classes, one for each part, that differ. */
function apart({ before, after }: Cut, judge: Judge): number {
  const [first, second] = [bestTwo(judge(before)), bestTwo(judge(after))];
  if (first.best !== second.best) return first.most * second.most;
  return Math.max(first.most * second.next, first.next * second.most);
}

/** The likeliest class, its probability, and that of the one after it. */
function bestTwo(probabilities: ArrayLike<number>) {
  let [best, most, next] = [-1, 0, 0];
  for (let label = 0; label < probabilities.length; label++) {
    const probability = probabilities[label]!;
    if (probability > most) [best, most, next] = [label, probability, most];
    else if (probability > next) next = probability;
  }
  return { best, most, next };
}
