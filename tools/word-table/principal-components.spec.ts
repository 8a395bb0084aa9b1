import { describe, expect, it } from '@jest/globals';
import { principalComponents, type Rows } from './principal-components.js';

describe('principal components', () => {
  const rows = () => {
    // Points of a flat ellipse in three dimensions, away from the origin.
    const points = Array.from({ length: 40 }, (_, at) => {
      const [along, across] = [5 * Math.cos(at), Math.sin(at)];
      return [3 + along * 0.6, 7 + along * 0.8, -2 + across];
    });
    return { data: Float64Array.from(points.flat()), count: points.length, width: 3 };
  };
  const column = ({ data, count, width }: Rows, at: number) =>
    Array.from({ length: count }, (_, row) => data[row * width + at]!);
  const square = (values: readonly number[]) => values.reduce((sum, value) => sum + value * value, 0);

  it('find the direction in which rows differ most, then the next', () => {
    const found = principalComponents(rows(), 2);
    expect(found).toMatchObject({ count: 40, width: 2 });
    const [first, second] = [column(found, 0), column(found, 1)];
    expect(square(first)).toBeGreaterThan(10 * square(second));
    expect(first.reduce((sum, value, at) => sum + value * second[at]!, 0)).toBeCloseTo(0, 6);
    for (const values of [first, second]) expect(values.reduce((sum, value) => sum + value)).toBeCloseTo(0, 8);
  });

  it('keep all distances when none is left out', () => {
    const before = rows();
    const found = principalComponents(rows(), 3);
    const distance = ({ data }: Rows, a: number, b: number) =>
      Math.hypot(...[0, 1, 2].map((at) => data[a * 3 + at]! - data[b * 3 + at]!));
    for (const [a, b] of [
      [0, 1],
      [3, 30],
      [12, 39],
    ] as const)
      expect(distance(found, a, b)).toBeCloseTo(distance(before, a, b), 8);
  });
});
