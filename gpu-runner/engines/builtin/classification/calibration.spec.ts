import { describe, expect, it } from '@jest/globals';
import { Random } from '../random.js';
import { chooseDecisionPoint, f1At, fitTemperature } from './calibration.js';
import { meanLoss, negativeLogLikelihood, type ScoredRow } from './probability.js';

/** Rows whose true class is drawn from softmax(scores): scores times k are then k times too sharp. */
function rowsOf(sharpness: number, count = 2000): ScoredRow[] {
  const random = new Random(3);
  return Array.from({ length: count }, () => {
    const logits = Array.from({ length: 3 }, () => 3 * random.next());
    const weights = logits.map(Math.exp);
    let draw = random.next() * weights.reduce((sum, weight) => sum + weight, 0);
    const gold = weights.findIndex((weight) => (draw -= weight) < 0);
    return { scores: Float32Array.from(logits, (logit) => sharpness * logit), gold: [gold] };
  });
}

describe('temperature', () => {
  it.each([0.5, 1, 2.5])('undoes a sharpness of %d', (sharpness) => {
    expect(fitTemperature(rowsOf(sharpness), false) / sharpness).toBeCloseTo(1, 0.9);
  });

  it('is the minimum of the loss', () => {
    const rows = rowsOf(2, 200);
    const fitted = fitTemperature(rows, false);
    for (const factor of [0.8, 1.25])
      expect(meanLoss(rows, false, fitted)).toBeLessThan(meanLoss(rows, false, fitted * factor));
  });

  it('stays at 1 with too few rows, and within bounds if all rows are right', () => {
    expect(fitTemperature(rowsOf(3, 5), false)).toBe(1);
    const right = Array.from({ length: 30 }, () => ({ scores: Float32Array.from([1, 0]), gold: [0] }));
    expect(fitTemperature(right, false)).toBeGreaterThan(0.25);
  });

  it('counts an unknown class as a large but finite loss', () => {
    const loss = negativeLogLikelihood({ scores: Float32Array.from([1, 0]), gold: [-1] }, false, 1);
    expect(loss).toBeGreaterThan(10);
    expect(loss).toBeLessThan(20);
  });
});

describe('decision point', () => {
  const score = (probability: number) => Math.log(probability / (1 - probability));
  const row = (probabilities: readonly number[], gold: readonly number[]): ScoredRow => ({
    scores: Float64Array.from(probabilities, score),
    gold,
  });
  const rows = Array.from({ length: 20 }, (_, index) => row([0.32, 0.05, index < 2 ? 0.28 : 0.1], [0]));

  it('is the point with the best F1', () => {
    expect(chooseDecisionPoint(rows, 1)).toBe(0.3);
    expect(f1At(rows, 1, 0.3)).toBe(1);
    expect(f1At(rows, 1, 0.25)).toBeCloseTo(40 / 42);
    expect(f1At(rows, 1, 0.5)).toBe(0);
  });

  it('stays at one half with few rows, or if no point is better', () => {
    expect(chooseDecisionPoint(rows.slice(0, 5), 1)).toBe(0.5);
    expect(
      chooseDecisionPoint(
        Array.from({ length: 20 }, () => row([0.99, 0.01], [0])),
        1,
      ),
    ).toBe(0.5);
  });
});
