import { describe, expect, it } from '@jest/globals';
import { Random } from '../../random.js';
import { fitsDense, fitsMemory, marginScores, trainMarginMachine, type MarginMachine } from './margin-machine.js';
import { restricted, selectRows, termsIn, type VectorRows } from './rows.js';

const TERMS = 8;
const CLASSES = 3;

/** Rows of three random terms each; the class depends on the first of them, with some noise. */
function noisyRows(count: number): VectorRows {
  const random = new Random(5);
  const rows = Array.from({ length: count }, () => {
    const indices = new Random(random.uint32()).shuffle([...Array(TERMS).keys()]).slice(0, 3);
    const label = random.next() < 0.8 ? indices[0]! % CLASSES : random.below(CLASSES);
    const values = Float32Array.from([0.8, 0.5, Math.sqrt(0.11)]);
    return { vector: { indices: Int32Array.from(indices), values }, labels: [label] };
  });
  return { count, vector: (row) => rows[row]!.vector, labels: (row) => rows[row]!.labels };
}

/** Objective that the machine minimises, in its own scale of 8 per margin, the bias penalised as the weights are. */
function objective({ weights, bias }: MarginMachine, rows: VectorRows, cost: number): number {
  let sum = 0;
  for (const weight of [...weights, ...bias]) sum += (weight / 8) ** 2 / 2;
  for (let row = 0; row < rows.count; row++)
    marginScores({ weights, bias }, rows.vector(row)).forEach((score, k) => {
      const sign = rows.labels(row).includes(k) ? 1 : -1;
      sum += cost * Math.max(0, 1 - (sign * score) / 8) ** 2;
    });
  return sum;
}

describe('margin machine', () => {
  const rows = noisyRows(60);

  it('stays unchanged when continued on rows that it already classifies', () => {
    const start = trainMarginMachine(rows, TERMS, CLASSES, 1, new Random(1));
    const certain: VectorRows = {
      count: 1,
      vector: () => ({ indices: Int32Array.of(0), values: Float32Array.of(100) }),
      labels: () => [0],
    };
    const far = { ...start, weights: start.weights.map((weight, at) => (at === 0 ? 8 : at < CLASSES ? -8 : weight)) };
    expect(trainMarginMachine(certain, TERMS, CLASSES, 1, new Random(1), far)).toEqual(far);
    const moved = trainMarginMachine(rows, TERMS, CLASSES, 1, new Random(1), far);
    expect(moved.weights).not.toEqual(far.weights);
  });

  const train = (cost = 1, seed = 1) => trainMarginMachine(rows, TERMS, CLASSES, cost, new Random(seed));

  // At higher costs the bounded passes end about a hundredth above the least, on rows as few and noisy as these.
  it.each([0.1, 1])('reaches the least penalised squared hinge loss, at cost %d', (cost) => {
    const machine = train(cost);
    const reached = objective(machine, rows, cost);
    const random = new Random(9);
    for (let trial = 0; trial < 200; trial++) {
      const weights = machine.weights.map((value) => value + 0.4 * (random.next() - 0.5));
      const bias = machine.bias.map((value) => value + 0.4 * (random.next() - 0.5));
      expect(objective({ weights, bias }, rows, cost)).toBeGreaterThan(reached * 0.99);
    }
  });

  it('gives the same weights for the same seed, and nearly the same for another', () => {
    expect(train()).toEqual(train());
    const [first, second] = [train(1, 1), train(1, 2)];
    first.weights.forEach((value, at) => expect(value / 8).toBeCloseTo(second.weights[at]! / 8, 1));
  });

  it('learns rows with several classes, and with none', () => {
    const labels = [[0, 1], [1], [], [0]];
    const own: VectorRows = {
      count: 4,
      vector: (row) => ({ indices: Int32Array.from([row]), values: Float32Array.from([1]) }),
      labels: (row) => labels[row]!,
    };
    const machine = trainMarginMachine(own, 4, 2, 10, new Random(1));
    labels.forEach((present, row) =>
      expect([...marginScores(machine, own.vector(row))].map((score) => score > 0)).toEqual([
        present.includes(0),
        present.includes(1),
      ]),
    );
  });

  it('is not trained if it would not fit in memory', () => {
    expect(fitsMemory(100_000, 77, 10_000)).toBe(true);
    expect(fitsMemory(100_000, 1000, 10_000)).toBe(false);
    expect(fitsMemory(1000, 1000, 1_000_000)).toBe(false);
  });

  it('is solved over vectors only if that takes minutes at most', () => {
    expect(fitsDense(384, 200, 50_000)).toBe(true);
    expect(fitsDense(384, 700, 50_000)).toBe(false);
    expect(fitsDense(384, 5000, 10_000)).toBe(false);
  });
});

describe('rows held out in cross-validation', () => {
  it('are scored like texts with unknown terms: by the known ones, at length 1', () => {
    const rows = noisyRows(4);
    const vector = { indices: Int32Array.from([0, 1, 2]), values: Float32Array.from([0.6, 0.48, 0.64]) };
    const seen = termsIn(
      { ...selectRows(rows, []), count: 1, vector: () => ({ ...vector, indices: Int32Array.from([0, 2, 5]) }) },
      TERMS,
    );
    expect([...seen]).toEqual([1, 0, 1, 0, 0, 1, 0, 0]);
    const { values } = restricted(vector, seen);
    expect(values[1]).toBe(0);
    expect(Math.hypot(...values)).toBeCloseTo(1);
    expect(values[0]! / values[2]!).toBeCloseTo(0.6 / 0.64);
  });
});
