import fc from 'fast-check';
import { calibrated, chooseDecisionPoint, f1At, fitCalibration, UNCHANGED } from './calibration.js';

/** Proposals of a calibrated model: of those at probability p, the share p is right. */
function proposalsAt(levels: readonly number[], each: number, missed: number) {
  const probabilities = levels.flatMap((level) => new Array<number>(each).fill(level));
  const right = levels.flatMap((level) => Array.from({ length: each }, (_, k) => k < level * each));
  return { gold: right.filter(Boolean).length + missed, probabilities, right };
}

describe('the decision point', () => {
  it('is low if many entities are missed, and high if few are', () => {
    const levels = [0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.9];
    const hard = chooseDecisionPoint(proposalsAt(levels, 100, 600));
    const easy = chooseDecisionPoint(proposalsAt([...levels, 1, 1, 1, 1, 1, 1, 1, 1], 100, 0));
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

describe('a calibration', () => {
  const inner = fc.double({ min: 0.001, max: 0.999, noNaN: true });

  it('keeps the order, and is the identity if nothing was proposed', () => {
    const shapes = fc.record({
      slope: fc.double({ min: 0.05, max: 3, noNaN: true }),
      shift: fc.double({ min: -3, max: 3, noNaN: true }),
    });
    fc.assert(
      fc.property(inner, inner, shapes, (a, b, shape) => {
        if (a + 1e-6 < b) expect(calibrated(a, shape)).toBeLessThanOrEqual(calibrated(b, shape));
        expect(calibrated(a, UNCHANGED)).toBeCloseTo(a, 9);
      }),
    );
    expect([calibrated(0, UNCHANGED), calibrated(1, UNCHANGED)]).toEqual([0, 1]);
    expect(fitCalibration({ gold: 3, probabilities: [], right: [] })).toEqual(UNCHANGED);
  });

  it('gives each proposal how often those like it are right', () => {
    const levels = [0.02, 0.05, 0.1, 0.3, 0.6];
    // Right three times as often as they say, in odds.
    const odds = (p: number) => (3 * p) / (1 - p) / (1 + (3 * p) / (1 - p));
    const probabilities = levels.flatMap((level) => new Array<number>(400).fill(level));
    const right = levels.flatMap((level) => Array.from({ length: 400 }, (_, k) => k < 400 * odds(level)));
    const fitted = fitCalibration({ gold: 1000, probabilities, right });
    for (const level of levels) expect(Math.abs(calibrated(level, fitted) - odds(level))).toBeLessThan(0.03);
  });

  it('changes little if proposals are few, and stays finite if they are all right or all wrong', () => {
    const few = fitCalibration({ gold: 2, probabilities: [0.9, 0.4], right: [true, false] });
    expect(Math.abs(calibrated(0.5, few) - 0.5)).toBeLessThan(0.2);
    for (const all of [true, false]) {
      const probabilities = Array.from({ length: 500 }, (_, k) => (k + 1) / 502);
      const { slope, shift } = fitCalibration({ gold: 500, probabilities, right: probabilities.map(() => all) });
      expect([slope, shift].every(Number.isFinite)).toBe(true);
      expect(calibrated(0.5, { slope, shift }) > 0.9).toBe(all);
      expect(slope).toBeGreaterThan(0);
    }
  });
});
