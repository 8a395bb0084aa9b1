import { randomNumbers } from '#primitives/random-numbers.js';
import { calibrate, contradicts, leastCount, stricter, type JudgedCall, agreementOf } from './bound.js';

/** Calls whose certainty is the probability of agreement, from `least` to 1. */
function calls(count: number, least: number, draw: () => number): readonly JudgedCall[] {
  return Array.from({ length: count }, () => {
    const certainty = least + (1 - least) * draw();
    return { certainty, agrees: draw() < certainty };
  });
}

describe('calibrate', () => {
  it.each([
    [0.92, [36, 58, 77, 95]],
    [0.95, [59, 93, 124, 153]],
    [0.98, [149, 236, 313, 386]],
  ])('needs as many calls for %d as the exact binomial test does', (target, counts) => {
    expect([0, 1, 2, 3].map((errors) => leastCount(errors, target))).toEqual(counts);
  });

  it('says how many calls are missing', () => {
    expect(
      calibrate(
        calls(58, 1, () => 0.5),
        0.95,
      ),
    ).toEqual({ kind: 'too-few', needed: 59 });
  });

  it('answers everything where everything agrees, and nothing where the surest do not', () => {
    const all = Array.from({ length: 200 }, (_, at) => ({ certainty: at / 200, agrees: true }));
    expect(calibrate(all, 0.95)).toMatchObject({ bound: { threshold: 0, answered: 200, disagreements: 0 } });
    const wrong = all.map(({ certainty }) => ({ certainty, agrees: certainty < 0.9 }));
    expect(calibrate(wrong, 0.95)).toMatchObject({ kind: 'refused' });
  });

  it('takes calls of one certainty in or leaves them out together', () => {
    const two = Array.from({ length: 400 }, (_, at) => ({ certainty: at < 200 ? 0.9 : 0.5, agrees: at < 200 }));
    expect(calibrate(two, 0.95)).toMatchObject({ bound: { threshold: 0.9, answered: 200 } });
  });

  it('holds its target in live calls of 300 draws, but for one in twenty', () => {
    const draw = randomNumbers(7);
    let [served, missed] = [0, 0];
    for (let time = 0; time < 300; time += 1) {
      const calibration = calibrate(calls(600, 0.6, draw), 0.92);
      if (calibration.kind !== 'bound') continue;
      served += 1;
      // Certainty is the probability of agreement, so the agreement above a threshold is its mean with 1.
      if ((1 + calibration.bound.threshold) / 2 < 0.92) missed += 1;
    }
    expect(served).toBeGreaterThan(150);
    expect(missed / served).toBeLessThan(0.05);
  });

  it('refuses labels by a coin', () => {
    const draw = randomNumbers(3);
    for (let time = 0; time < 100; time += 1) {
      const coin = Array.from({ length: 500 }, () => ({ certainty: draw(), agrees: draw() < 0.5 }));
      expect(calibrate(coin, 0.92).kind).toBe('refused');
    }
  });
});

describe('stricter', () => {
  const bound = { threshold: 0.8, answered: 50, disagreements: 1, judged: 100 };

  it('takes the same share of live calls where that is stricter', () => {
    expect(stricter(bound, [0.99, 0.98, 0.97, 0.96])).toBe(0.98);
    expect(stricter(bound, [0.9, 0.7, 0.6, 0.5])).toBe(0.8);
  });

  it('leaves out no live call for its share where all were answered out of fold', () => {
    expect(stricter({ ...bound, answered: 100 }, [0.99, 0.98, 0.97, 0.96])).toBe(0.8);
  });

  it('answers nothing where the share is less than one of the live calls', () => {
    expect(stricter({ ...bound, answered: 1 }, [0.9, 0.8])).toBe(Infinity);
  });
});

it('tells live disagreements that contradict the target from those that chance brings', () => {
  expect(contradicts(0, 200, 0.95)).toBe(false);
  expect(contradicts(15, 200, 0.95)).toBe(false);
  expect(contradicts(17, 200, 0.95)).toBe(true);
});

it('an agreement has its exact interval', () => {
  // R: binom.test(95, 100), binom.test(0, 20), binom.test(20, 20)
  expect(agreementOf(5, 100)).toEqual({
    agreement: 0.95,
    low: expect.closeTo(0.88717, 4),
    high: expect.closeTo(0.98357, 4),
  });
  expect(agreementOf(20, 20)).toEqual({ agreement: 0, low: 0, high: expect.closeTo(0.16843, 4) });
  expect(agreementOf(0, 20)).toEqual({ agreement: 1, low: expect.closeTo(0.83157, 4), high: 1 });
});
