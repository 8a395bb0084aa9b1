import { describe, expect, it } from '@jest/globals';
import { aboveUsual, nearestByChance } from './usual-labels.js';

describe('usual similarities', () => {
  it('are a mean and a spread, in standard deviations', () => {
    expect(aboveUsual([0.2, 0.4], 0)).toBeCloseTo(0.3);
    expect(aboveUsual([0.2, 0.4], 2)).toBeCloseTo(0.5);
  });

  it('put the nearest label by chance higher, the more labels there are', () => {
    const levels = [1, 3, 10, 77].map((labels) => nearestByChance([0.2, 0.4], labels));
    expect(levels).toEqual(levels.toSorted((a, b) => a - b));
    expect(nearestByChance([0.2, 0.4], 1)).toBeCloseTo(0.3 + 0.1 * Math.sqrt(2 * Math.log(2)));
    expect(nearestByChance([0.3, 0.3], 77)).toBeCloseTo(0.3);
  });
});
