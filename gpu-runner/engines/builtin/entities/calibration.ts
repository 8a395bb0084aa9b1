import { sigmoid } from '../classification/probability.js';

/** Segments that a model proposes on labelled rows, compared with the labels. */
export interface Proposals {
  /** Spans in the labelled rows. */
  readonly gold: number;
  /** Exact marginals of the proposed segments, overlaps resolved. */
  readonly probabilities: readonly number[];
  /** Whether each is right in span and label. */
  readonly right: readonly boolean[];
}

const CANDIDATES = [0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5];
/** Strength of the expectation against the evidence: F1 per squared logit, divided by the number of gold spans. */
const RELUCTANCE = 10;
/** Prior of F1 before any evidence, and its weight in gold spans. */
const USUAL_F1 = 0.5;
const USUAL_SPANS = 20;

/** Strict micro-F1 of the proposals whose probability is at least `threshold`. */
export function f1At({ gold, probabilities, right }: Proposals, threshold: number): number {
  let found = 0;
  let hits = 0;
  probabilities.forEach((probability, k) => {
    if (probability < threshold) return;
    found++;
    if (right[k]) hits++;
  });
  return gold + found === 0 ? 1 : (2 * hits) / (gold + found);
}

/**
 * The marginal probability from which a segment is worth returning. With calibrated probabilities, expected F1 is greatest at
 * half of the best F1 that can be reached (Lipton, Elkan, Naryanaswamy 2014), so well below .5 where the task is hard. It is
 * searched on validation, with a pull towards that rule which counts when spans are few.
 */
export function chooseDecisionPoint(proposals: Proposals): number {
  const { gold } = proposals;
  const reached = Math.max(...CANDIDATES.map((point) => f1At(proposals, point)));
  const expected = (reached * gold + USUAL_F1 * USUAL_SPANS) / (gold + USUAL_SPANS) / 2;
  const weight = RELUCTANCE / Math.max(1, gold);
  let best = { point: 0.5, value: -Infinity };
  for (const point of CANDIDATES) {
    const value = f1At(proposals, point) - weight * (logit(point) - logit(expected)) ** 2;
    if (value > best.value) best = { point, value };
  }
  return best.point;
}

/** A logistic curve over log odds: `sigmoid(slope * logit(p) + shift)`. */
export interface Calibration {
  readonly slope: number;
  readonly shift: number;
}

export const UNCHANGED: Calibration = { slope: 1, shift: 0 };

/** Order is kept; 0 and 1 stay. */
export function calibrated(probability: number, { slope, shift }: Calibration): number {
  return 1 / (1 + Math.exp(-shift) * (1 / probability - 1) ** slope);
}

/**
 * The curve with the least loss on proposals (Platt 1999), by Newton's method; a pull towards no change counts where
 * proposals are few.
 */
export function fitCalibration({ probabilities, right }: Proposals): Calibration {
  const rows = probabilities.map((probability, k) => ({ x: logit(bounded(probability)), target: right[k] ? 1 : 0 }));
  let { slope, shift } = UNCHANGED;
  for (let round = 0; round < NEWTON_ROUNDS; round++) {
    const gradient = [PULL * (slope - 1), PULL * shift] as [number, number];
    let [xx, x1, ones] = [PULL, 0, PULL];
    for (const { x, target } of rows) {
      const p = sigmoid(slope * x + shift);
      gradient[0] += (p - target) * x;
      gradient[1] += p - target;
      const weight = p * (1 - p);
      xx += weight * x * x;
      x1 += weight * x;
      ones += weight;
    }
    const determinant = xx * ones - x1 * x1;
    slope = Math.max(MIN_SLOPE, slope - clipped((ones * gradient[0] - x1 * gradient[1]) / determinant));
    shift -= clipped((xx * gradient[1] - x1 * gradient[0]) / determinant);
  }
  return { slope, shift };
}

const NEWTON_ROUNDS = 20;
const PULL = 2;
/** A lower one would say that the more probable is the less often right. */
const MIN_SLOPE = 0.05;
const clipped = (step: number): number => Math.max(-1, Math.min(1, step));

function bounded(probability: number): number {
  return Math.min(1 - 1e-6, Math.max(1e-6, probability));
}

function logit(p: number): number {
  return Math.log(p / (1 - p));
}
