import type { Random } from '../../random.js';
import type { VectorRows } from './rows.js';
import type { SparseVector } from '../terms/vocabulary.js';

/** Weights and biases above this count (and as many dual variables) would take too much memory; 4 bytes each. */
const MAX_NUMBERS = 40_000_000;
/** Multiplications of a pass over vectors without zeros: some seconds, as the machine of terms may take. */
const MAX_PRODUCTS = 4_000_000_000;
const MAX_PASSES = 30;
/** A pass whose largest violation of the optimality conditions is below this is the last one (liblinear's default). */
const TOLERANCE = 0.1;
/** Brings margins of +-1 to the range of log odds, which is where temperatures are searched. */
const SCORE_PER_MARGIN = 8;

/** A linear classifier: scores = x W + bias. */
export interface MarginMachine {
  /** [terms, classes] */
  readonly weights: Float32Array;
  /** [classes] */
  readonly bias: Float32Array;
}

/** Whether the machine for these numbers of terms, classes and rows fits in memory. */
export function fitsMemory(terms: number, classes: number, rows: number): boolean {
  return terms * classes <= MAX_NUMBERS && rows * classes <= MAX_NUMBERS;
}

/** Whether the machine for dense vectors fits in memory, and is solved in minutes. */
export function fitsDense(dimensions: number, classes: number, rows: number): boolean {
  return fitsMemory(dimensions, classes, rows) && dimensions * classes * rows <= MAX_PRODUCTS;
}

/**
 * Trains one-against-rest support vector machines with squared hinge loss and an L2 penalty, by dual coordinate descent
 * (Hsieh et al. 2008): what liblinear solves, all classes in one pass over the rows. Unlike AdaGrad, which gives each
 * term a rate of its own, it treats frequent and rare terms alike, and has no rate to tune.
 * @param cost of a violated margin against the penalty on the weights
 * @param start a machine to continue from: the penalty is then on the difference from it
 */
export function trainMarginMachine(
  rows: VectorRows,
  terms: number,
  classes: number,
  cost: number,
  random: Random,
  start: MarginMachine | null = null,
): MarginMachine {
  const machine = {
    weights: start?.weights.map((weight) => weight / SCORE_PER_MARGIN) ?? new Float32Array(terms * classes),
    bias: start?.bias.map((weight) => weight / SCORE_PER_MARGIN) ?? new Float32Array(classes),
  };
  const { weights, bias } = machine;
  const duals = new Float32Array(rows.count * classes);
  const diagonal = 1 / (2 * cost);
  const order = Int32Array.from({ length: rows.count }, (_, row) => row);
  const scores = new Float64Array(classes);
  const changed = new Int32Array(classes);
  const changes = new Float64Array(classes);

  for (let pass = 0; pass < MAX_PASSES; pass++) {
    random.shuffle(order);
    let violation = 0;
    for (const row of order) {
      const vector = rows.vector(row);
      const labels = rows.labels(row);
      addScores(machine, vector, scores);
      const curvature = squaredLength(vector) + 1 + diagonal;
      let count = 0;
      for (let k = 0; k < classes; k++) {
        const sign = labels.includes(k) ? 1 : -1;
        const at = row * classes + k;
        const dual = duals[at]!;
        const gradient = sign * scores[k]! - 1 + diagonal * dual;
        if (dual === 0 && gradient >= 0) continue;
        violation = Math.max(violation, Math.abs(gradient));
        const updated = Math.fround(Math.max(0, dual - gradient / curvature));
        if (updated === dual) continue;
        duals[at] = updated;
        changed[count] = k;
        changes[count++] = sign * (updated - dual);
      }
      for (let c = 0; c < count; c++) bias[changed[c]!]! += changes[c]!;
      const { indices, values } = vector;
      for (let i = 0; i < indices.length; i++) {
        const begin = indices[i]! * classes;
        for (let c = 0; c < count; c++) weights[begin + changed[c]!]! += values[i]! * changes[c]!;
      }
    }
    if (violation < TOLERANCE) break;
  }
  for (let at = 0; at < weights.length; at++) weights[at]! *= SCORE_PER_MARGIN;
  for (let k = 0; k < classes; k++) bias[k]! *= SCORE_PER_MARGIN;
  return machine;
}

/** @returns [classes] */
export function marginScores(machine: MarginMachine, vector: SparseVector): Float64Array {
  const scores = new Float64Array(machine.bias.length);
  addScores(machine, vector, scores);
  return scores;
}

function addScores({ weights, bias }: MarginMachine, { indices, values }: SparseVector, scores: Float64Array): void {
  const classes = bias.length;
  const terms = indices.length;
  scores.set(bias);
  let i = 0;
  // Four terms a pass over the scores, added in their order: the same numbers in half the time.
  for (; i + 3 < terms; i += 4) {
    const [a, b, c, d] = [
      indices[i]! * classes,
      indices[i + 1]! * classes,
      indices[i + 2]! * classes,
      indices[i + 3]! * classes,
    ];
    const [first, second, third, fourth] = [values[i]!, values[i + 1]!, values[i + 2]!, values[i + 3]!];
    for (let k = 0; k < classes; k++)
      scores[k] =
        scores[k]! +
        first * weights[a + k]! +
        second * weights[b + k]! +
        third * weights[c + k]! +
        fourth * weights[d + k]!;
  }
  for (; i < terms; i++) {
    const begin = indices[i]! * classes;
    const value = values[i]!;
    for (let k = 0; k < classes; k++) scores[k]! += value * weights[begin + k]!;
  }
}

function squaredLength({ values }: SparseVector): number {
  let sum = 0;
  for (const value of values) sum += value * value;
  return sum;
}
