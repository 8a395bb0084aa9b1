/** Numerically safe softmax and sigmoid, and the losses over them. */

type Scores = Float32Array | Float64Array;

/** Replaces scores by softmax(scores / temperature). @returns the logarithm of the partition sum, in scaled scores */
export function softmaxInPlace(scores: Scores, temperature = 1): number {
  let largest = -Infinity;
  for (const score of scores) if (score > largest) largest = score;
  let total = 0;
  for (let k = 0; k < scores.length; k++) {
    const value = Math.exp((scores[k]! - largest) / temperature);
    scores[k] = value;
    total += value;
  }
  for (let k = 0; k < scores.length; k++) scores[k]! /= total;
  return largest / temperature + Math.log(total);
}

/** The logarithm of the partition sum of softmax(scores / temperature), to the bit as `softmaxInPlace` gives it. */
function logPartition(scores: Scores, temperature: number): number {
  let largest = -Infinity;
  for (let k = 0; k < scores.length; k++) if (scores[k]! > largest) largest = scores[k]!;
  let total = 0;
  for (let k = 0; k < scores.length; k++) total += Math.exp((scores[k]! - largest) / temperature);
  return largest / temperature + Math.log(total);
}

export function sigmoid(score: number): number {
  return score >= 0 ? 1 / (1 + Math.exp(-score)) : Math.exp(score) / (1 + Math.exp(score));
}

/** log(1 + exp(score)) without overflow. */
export function softplus(score: number): number {
  return Math.max(score, 0) + Math.log1p(Math.exp(-Math.abs(score)));
}

/** Scores of one row and the classes that are right for it; a class unknown to the head is -1. */
export interface ScoredRow {
  readonly scores: Scores;
  readonly gold: readonly number[];
}

/** A class that the head has never seen costs as much as this probability. */
const UNSEEN_PROBABILITY = 1e-6;

/**
 * Negative log likelihood of a row's classes: softmax cross-entropy in single mode, the sum of the binary ones in multi mode.
 */
export function negativeLogLikelihood(
  { scores, gold }: ScoredRow,
  multiLabel: boolean,
  temperature: number,
  partition?: number,
): number {
  const unseen = gold.filter((k) => k < 0).length * -Math.log(UNSEEN_PROBABILITY);
  if (!multiLabel) {
    const [label = -1] = gold;
    if (label < 0) return unseen;
    return (partition ?? logPartition(scores, temperature)) - scores[label]! / temperature;
  }
  let loss = unseen;
  for (const score of scores) loss += softplus(score / temperature);
  for (const label of gold) if (label >= 0) loss -= scores[label]! / temperature;
  return loss;
}

/** @param partitions of `logPartitions` of the rows, if they are known */
export function meanLoss(
  rows: readonly ScoredRow[],
  multiLabel: boolean,
  temperature: number,
  partitions?: readonly number[],
): number {
  const loss = (row: ScoredRow, at: number) => negativeLogLikelihood(row, multiLabel, temperature, partitions?.[at]);
  return rows.reduce((sum, row, at) => sum + loss(row, at), 0) / Math.max(1, rows.length);
}

/** The mean loss if each row's class were any of the head's, or each of its labels present as often as not. */
export function meanLossOfAnyClass(
  rows: readonly ScoredRow[],
  multiLabel: boolean,
  temperature: number,
  partitions = logPartitions(rows, temperature),
): number {
  let total = 0;
  for (const [row, { scores }] of rows.entries()) {
    let scaled = 0;
    for (let k = 0; k < scores.length; k++) {
      scaled += scores[k]! / temperature;
      if (multiLabel) total += softplus(scores[k]! / temperature);
    }
    if (multiLabel) total -= scaled / 2;
    else total += partitions[row]! - scaled / scores.length;
  }
  return total / Math.max(1, rows.length);
}

export const logPartitions = (rows: readonly ScoredRow[], temperature: number): readonly number[] =>
  rows.map(({ scores }) => logPartition(scores, temperature));
