import { describe, expect, it } from '@jest/globals';
import { Random } from '../../random.js';
import { linearScores, type LinearWeights } from '../head.js';
import { chooseMixture, mixedWeights, type JudgedRow } from './mixture.js';
import { marginScores } from './margin-machine.js';
import { QuantizedRows } from '../quantized.js';

const random = new Random(4);
const noise = (length: number) => Float32Array.from({ length }, () => 2 * random.next() - 1);

type Learner = 'gradient' | 'margin' | 'vector' | 'inner' | 'name';

/** Rows of two classes that one learner tells apart and the others do not. */
function rowsKnownTo(learner: Learner, count = 100, others: readonly Learner[] = ['gradient', 'margin']): JudgedRow[] {
  return Array.from({ length: count }, (_, row) => {
    const right = Float64Array.from([row % 2 === 0 ? 3 : -3, row % 2 === 0 ? -3 : 3]);
    const blind = Float64Array.from(noise(2));
    const blindIn = (other: Learner) => (others.includes(other) ? blind : null);
    const scores = { gradient: blind, margin: blind, vector: blindIn('vector'), inner: blindIn('inner'), name: null };
    return { ...scores, [learner]: right, gold: [row % 2] };
  });
}

describe('mixture of two linear learners', () => {
  it('gives more weight to the learner that is right on unseen rows', () => {
    const { mixture: first } = chooseMixture(rowsKnownTo('margin'), false);
    const { mixture: second } = chooseMixture(rowsKnownTo('gradient'), false);
    expect(first.margin / first.gradient).toBeGreaterThan(second.margin / second.gradient);
    expect(chooseMixture(rowsKnownTo('margin'), false).f1).toBe(1);
    expect(chooseMixture(rowsKnownTo('gradient'), false).f1).toBe(1);
  });

  it('is the gradient learner alone if there is no other', () => {
    const rows = rowsKnownTo('gradient').map((row) => ({ ...row, margin: null }));
    expect(chooseMixture(rows, false).mixture).toEqual({ gradient: 1, margin: 0, vector: 0, inner: 0, name: 0 });
  });

  it('weights the vectors of an encoder by how often they are right', () => {
    const all = ['gradient', 'margin', 'vector'] as const;
    const known = chooseMixture(rowsKnownTo('vector', 100, all), false);
    expect(known.f1).toBe(1);
    expect(known.mixture.vector).toBeGreaterThan(3 * (known.mixture.gradient + known.mixture.margin));
    const blind = chooseMixture(rowsKnownTo('margin', 100, all), false);
    expect(blind.mixture.vector).toBeLessThan(blind.mixture.margin);
    expect(blind.f1).toBe(1);
  });

  it('trusts the vectors if there are too few rows to choose', () => {
    const { mixture } = chooseMixture(rowsKnownTo('margin', 5, ['vector']), false);
    expect(mixture.vector).toBeGreaterThan(mixture.gradient + mixture.margin);
  });

  it('weights the vectors of the inner layer if they are right, and not at all if they tell nothing or rows are too few', () => {
    const all = ['gradient', 'margin', 'vector', 'inner'] as const;
    const known = chooseMixture(rowsKnownTo('inner', 100, all), false);
    expect(known.f1).toBe(1);
    expect(known.mixture.inner).toBeGreaterThan(3 * known.mixture.vector);
    expect(chooseMixture(rowsKnownTo('vector', 100, all), false).mixture.inner).toBe(0);
    expect(chooseMixture(rowsKnownTo('inner', 5, all), false).mixture.inner).toBe(0);
  });

  it('weights the names of the classes by how often they are right', () => {
    const known = chooseMixture(rowsKnownTo('name'), false);
    expect(known.f1).toBe(1);
    const blind = rowsKnownTo('margin').map((row) => ({ ...row, name: Float64Array.from(noise(2)) }));
    expect(chooseMixture(blind, false).mixture.name).toBeLessThan(known.mixture.name / 3);
  });

  it('claims no more certainty than the number of rows supports', () => {
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
    const [gradient, margin] = [linearScores(learned, vector), marginScores(machine, vector)];
    for (const mixture of [
      { gradient: 0.7, margin: 1.4, vector: 0.5, inner: 0, name: 0 },
      { gradient: 0.7, margin: 0, vector: 0.5, inner: 0, name: 0 },
    ]) {
      const scores = linearScores(mixedWeights(learned, machine, mixture), vector);
      scores.forEach((score, k) => expect(score).toBeCloseTo(0.7 * gradient[k]! + mixture.margin * margin[k]!, 1));
    }
    const alone = linearScores(
      mixedWeights(learned, null, { gradient: 0.7, margin: 0, vector: 0.5, inner: 0, name: 0 }),
      vector,
    );
    alone.forEach((score, k) => expect(score).toBeCloseTo(0.7 * gradient[k]!, 5));
  });
});
