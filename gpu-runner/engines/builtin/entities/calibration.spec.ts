import fc from 'fast-check';
import { chooseDecisionPoint, f1At, fitConfidenceSlope, toConfidence, toMarginal } from './calibration.js';

/** Proposals of a calibrated model: of those at probability p, the share p is right. */
function calibrated(levels: readonly number[], each: number, missed: number) {
  const probabilities = levels.flatMap((level) => new Array<number>(each).fill(level));
  const right = levels.flatMap((level) => Array.from({ length: each }, (_, k) => k < level * each));
  return { gold: right.filter(Boolean).length + missed, probabilities, right };
}

describe('the decision point', () => {
  it('is low if many entities are missed, and high if few are', () => {
    const levels = [0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.9];
    const hard = chooseDecisionPoint(calibrated(levels, 100, 600));
    const easy = chooseDecisionPoint(calibrated([...levels, 1, 1, 1, 1, 1, 1, 1, 1], 100, 0));
    expect(hard).toBeLessThan(0.25);
    expect(easy).toBeGreaterThan(0.35);
  });

  it('stays near a quarter without data', () => {
    expect(chooseDecisionPoint({ gold: 0, probabilities: [], right: [] })).toBe(0.25);
    expect(chooseDecisionPoint({ gold: 1, probabilities: [0.5], right: [true] })).toBeLessThan(0.35);
  });
});

describe('F1 at a threshold', () => {
  it('counts the proposals at or above it', () => {
    const proposals = { gold: 3, probabilities: [0.9, 0.5, 0.2], right: [true, false, true] };
    expect(f1At(proposals, 0.5)).toBeCloseTo(2 / 5);
    expect(f1At(proposals, 0.1)).toBeCloseTo(4 / 6);
    expect(f1At({ gold: 0, probabilities: [], right: [] }, 0.5)).toBe(1);
  });
});

describe('confidence', () => {
  const inner = fc.double({ min: 0.01, max: 0.99, noNaN: true });

  it('is one half at the decision point, keeps the order, and is invertible', () => {
    const slopes = fc.double({ min: 0.3, max: 2, noNaN: true });
    fc.assert(
      fc.property(inner, inner, inner, slopes, (point, a, b, slope) => {
        expect(toConfidence(point, point, slope)).toBeCloseTo(0.5, 9);
        if (a + 1e-6 < b) expect(toConfidence(a, point, slope)).toBeLessThan(toConfidence(b, point, slope));
        expect(toMarginal(toConfidence(a, point, slope), point, slope)).toBeCloseTo(a, 6);
      }),
    );
    expect(toConfidence(0, 0.3)).toBe(0);
    expect(toConfidence(1, 0.3)).toBe(1);
    expect([toMarginal(0, 0.3, 0.5), toMarginal(1, 0.3, 0.5)]).toEqual([0, 1]);
  });

  const returned = (probability: number, right: number, wrong: number) => ({
    gold: right,
    probabilities: new Array<number>(right + wrong).fill(probability),
    right: Array.from({ length: right + wrong }, (_, k) => k < right),
  });

  it('matches how often returned entities are right', () => {
    const proposals = returned(0.99, 70, 30);
    const slope = fitConfidenceSlope(proposals, 0.25);
    expect(toConfidence(0.99, 0.25, slope)).toBeGreaterThan(0.62);
    expect(toConfidence(0.99, 0.25, slope)).toBeLessThan(0.78);
  });

  it('is not certain after a few right entities, and unchanged if none was returned', () => {
    expect(toConfidence(0.999, 0.25, fitConfidenceSlope(returned(0.999, 5, 0), 0.25))).toBeLessThan(0.95);
    expect(toConfidence(0.999, 0.25, fitConfidenceSlope(returned(0.999, 5000, 0), 0.25))).toBeGreaterThan(0.99);
    expect(fitConfidenceSlope(returned(0.1, 3, 3), 0.25)).toBe(1);
  });
});
