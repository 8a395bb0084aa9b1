import { logPartitions, meanLoss, meanLossOfAnyClass, sigmoid, type ScoredRow } from './probability.js';

/**
 * The temperature with the least loss on held-out rows (Guo et al. 2017), to three digits, by golden-section search
 * over its logarithm; the loss is convex in 1 / temperature, so there is one minimum. One more row of a random class is
 * assumed (Platt 1999), so that n rows that are all right imply a certainty of at most about 1 - 1 / n.
 */
export function fitTemperature(rows: readonly ScoredRow[], multiLabel: boolean): number {
  if (rows.length < MIN_ROWS) return 1;
  const ratio = (Math.sqrt(5) - 1) / 2;
  let low = Math.log(MIN_TEMPERATURE);
  let high = Math.log(MAX_TEMPERATURE);
  const doubt = 1 / (rows.length + 2);
  const lossAt = (logarithm: number) => {
    const temperature = Math.exp(logarithm);
    const of = [rows, multiLabel, temperature, multiLabel ? [] : logPartitions(rows, temperature)] as const;
    return (1 - doubt) * meanLoss(...of) + doubt * meanLossOfAnyClass(...of);
  };
  let [left, right] = [high - ratio * (high - low), low + ratio * (high - low)];
  let [lossLeft, lossRight] = [lossAt(left), lossAt(right)];
  while (high - low > 0.01) {
    if (lossLeft <= lossRight) {
      [high, right, lossRight] = [right, left, lossLeft];
      left = high - ratio * (high - low);
      lossLeft = lossAt(left);
    } else {
      [low, left, lossLeft] = [left, right, lossRight];
      right = low + ratio * (high - low);
      lossRight = lossAt(right);
    }
  }
  return Math.round(Math.exp((low + high) / 2) * 1000) / 1000;
}

/** Fewer rows than this say nothing about calibration. */
const MIN_ROWS = 10;
/** Outside this range the validation rows are too easy or too odd to be believed. */
const MIN_TEMPERATURE = 0.3;
const MAX_TEMPERATURE = 8;

/**
 * For several labels a row: the probability at which counting labels as present gives the best micro-F1 on held-out rows. Where
 * labels are many and rare it lies well below one half.
 */
export function chooseDecisionPoint(rows: readonly ScoredRow[], temperature: number): number {
  if (rows.length < MIN_ROWS) return 0.5;
  let best = { point: 0.5, f1: f1At(rows, temperature, 0.5) };
  for (const point of DECISION_POINTS) {
    const f1 = f1At(rows, temperature, point);
    if (f1 > best.f1) best = { point, f1 };
  }
  return best.point;
}

/** From one half downwards first: of equals the one nearest to it stays. */
const DECISION_POINTS = [0.45, 0.4, 0.35, 0.3, 0.25, 0.2, 0.15, 0.1, 0.55, 0.6];

/** Micro-F1 of the labels whose probability is at least `point`. */
export function f1At(rows: readonly ScoredRow[], temperature: number, point: number): number {
  let hits = 0;
  let predicted = 0;
  let gold = 0;
  for (const row of rows) {
    row.scores.forEach((score, label) => {
      if (sigmoid(score / temperature) < point) return;
      predicted++;
      if (row.gold.includes(label)) hits++;
    });
    gold += row.gold.length;
  }
  return predicted + gold === 0 ? 0 : (2 * hits) / (predicted + gold);
}
