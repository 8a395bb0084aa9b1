import { describe, expect, it } from '@jest/globals';
import { Random } from '../random.js';
import { linearScores, type LinearWeights } from './head.js';
import { chooseMixture, mixedWeights, type JudgedRow } from './mixture.js';
import { marginScores } from './margin-machine.js';
import { QuantizedRows } from './quantized.js';

const random = new Random(4);
const noise = (length: number) => Float32Array.from({ length }, () => 2 * random.next() - 1);

/** Rows of two classes that one learner tells apart and the other does not. */
function rowsKnownTo(learner: 'gradient' | 'margin', count = 100): JudgedRow[] {
  return Array.from({ length: count }, (_, row) => {
    const right = Float64Array.from([row % 2 === 0 ? 3 : -3, row % 2 === 0 ? -3 : 3]);
    const blind = Float64Array.from(noise(2));
    return {
      gradient: learner === 'gradient' ? right : blind,
      margin: learner === 'margin' ? right : blind,
      gold: [row % 2],
    };
  });
}

describe('mixture of two linear learners', () => {
  it('lets the learner count that is right on rows it did not see', () => {
    const { mixture: first } = chooseMixture(rowsKnownTo('margin'), false);
    const { mixture: second } = chooseMixture(rowsKnownTo('gradient'), false);
    expect(first.margin / first.gradient).toBeGreaterThan(second.margin / second.gradient);
    expect(chooseMixture(rowsKnownTo('margin'), false).f1).toBe(1);
    expect(chooseMixture(rowsKnownTo('gradient'), false).f1).toBe(1);
  });

  it('is the gradient learner as it is where there is no other', () => {
    const rows = rowsKnownTo('gradient').map((row) => ({ ...row, margin: null }));
    expect(chooseMixture(rows, false).mixture).toEqual({ gradient: 1, margin: 0 });
  });

  it('claims no more certainty than its rows can speak for', () => {
    const few = chooseMixture(rowsKnownTo('margin', 20), false);
    const many = chooseMixture(rowsKnownTo('margin', 2000), false);
    expect(few.f1).toBe(1);
    expect(few.loss).toBeGreaterThan(0.01);
    expect(many.loss).toBeLessThan(few.loss);
  });

  const vector = { indices: Int32Array.from([0, 2]), values: Float32Array.from([0.6, 0.8]) };
  const low: LinearWeights = {
    full: null,
    lowRank: { a: QuantizedRows.from(noise(6), 2), b: noise(6), scale: 0.5 },
    bias: noise(3),
  };
  const full: LinearWeights = { full: QuantizedRows.from(noise(9), 3), lowRank: null, bias: noise(3) };
  it.each([
    ['low rank', low],
    ['full', full],
  ])('%s: is served as one set of weights', (_kind, learned) => {
    const machine = { weights: noise(9), bias: noise(3) };
    const mixture = { gradient: 0.7, margin: 1.4 };
    const scores = linearScores(mixedWeights(learned, machine, mixture), vector);
    const [gradient, margin] = [linearScores(learned, vector), marginScores(machine, vector)];
    scores.forEach((score, k) => expect(score).toBeCloseTo(0.7 * gradient[k]! + 1.4 * margin[k]!, 1));
  });
});
