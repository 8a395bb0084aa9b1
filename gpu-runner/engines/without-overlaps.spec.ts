import { withoutOverlaps } from './without-overlaps.js';

describe('the choice among hits that overlap', () => {
  const hit = (start: number, end: number, confidence: number, label = 0) => ({ start, end, confidence, label });
  const all = [hit(0, 3, 0.7), hit(1, 2, 0.9), hit(1, 2, 0.8, 1), hit(2, 4, 0.6), hit(5, 6, 0.5)];
  const places = (options: Parameters<typeof withoutOverlaps>[1]) =>
    withoutOverlaps(all, options).map(({ start, end, label }) => [start, end, label]);

  it('keeps the most confident, in text order', () => {
    expect(places({})).toEqual([
      [1, 2, 0],
      [2, 4, 0],
      [5, 6, 0],
    ]);
  });

  it('keeps hits within others if they may nest, but not crossing ones, and one label for a place', () => {
    expect(places({ mayNest: true })).toEqual([
      [0, 3, 0],
      [1, 2, 0],
      [5, 6, 0],
    ]);
  });

  it('leaves taken places free, and keeps the first of equally likely hits', () => {
    expect(places({ taken: [{ start: 1, end: 2 }] })).toEqual([
      [2, 4, 0],
      [5, 6, 0],
    ]);
    const alike = [hit(0, 2, 0.5), hit(1, 3, 0.5)];
    expect(withoutOverlaps(alike)).toEqual([alike[0]]);
    expect(withoutOverlaps(alike.toReversed())).toEqual([alike[1]]);
  });
});
