import { percentileOf } from './models.js';

describe('the share of a caller', () => {
  const callers = Array.from({ length: 1_000 }, (_, n) => `caller-${n}`);
  const first = (name: string, percent: number) => callers.filter((id) => percentileOf(id, name) < percent);

  it('is about as large as the percentage', () => {
    for (const percent of [10, 50]) expect(Math.abs(first('tickets', percent).length - 10 * percent)).toBeLessThan(50);
    expect([first('tickets', 0).length, first('tickets', 100).length]).toEqual([0, 1_000]);
  });

  it('only grows with the percentage, and starts with other callers for another name', () => {
    const wider = new Set(first('tickets', 20));
    expect(first('tickets', 10).every((id) => wider.has(id))).toBe(true);
    expect(first('tickets', 10)).not.toEqual(first('orders', 10));
  });
});
