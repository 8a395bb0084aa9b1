import { Random } from '../../random.js';
import { centredRows } from './centred-rows.js';
import { marginScores } from './margin-machine.js';
import type { VectorRows } from './rows.js';

const random = new Random(3);
const noise = (length: number, size = 1) => Float32Array.from({ length }, () => size * (2 * random.next() - 1));
const indices = Int32Array.from([0, 1, 2, 3]);
const vectors = Array.from({ length: 20 }, () => noise(4, 0.01).map((value, d) => value + [0.9, 0.1, -0.4, 0][d]!));
const rows: VectorRows = {
  count: vectors.length,
  vector: (row) => ({ indices, values: vectors[row]! }),
  labels: () => [0],
};

describe('centred rows', () => {
  const { rows: centred, uncentred, centred: back } = centredRows(rows, 4);

  it('have the mean 0 and the mean length 1', () => {
    const all = vectors.map((_, row) => centred.vector(row).values);
    for (let d = 0; d < 4; d++) expect(all.reduce((sum, values) => sum + values[d]!, 0)).toBeCloseTo(0, 3);
    expect(all.reduce((sum, values) => sum + Math.hypot(...values) / all.length, 0)).toBeCloseTo(1, 4);
  });

  it('score as the rows that they come from, by the machine for those', () => {
    const machine = { weights: noise(8), bias: noise(2) };
    const served = uncentred(machine);
    for (const row of vectors.keys()) {
      const expected = marginScores(machine, centred.vector(row));
      marginScores(served, rows.vector(row)).forEach((score, k) => expect(score).toBeCloseTo(expected[k]!, 3));
    }
    const again = back(served);
    again.weights.forEach((weight, at) => expect(weight).toBeCloseTo(machine.weights[at]!, 4));
    again.bias.forEach((value, k) => expect(value).toBeCloseTo(machine.bias[k]!, 3));
  });

  it('that are all the same stay finite', () => {
    const same = centredRows({ ...rows, vector: () => ({ indices, values: vectors[0]! }) }, 4);
    expect([...same.rows.vector(5).values].every((value) => Math.abs(value) < 1e-6)).toBe(true);
  });
});
