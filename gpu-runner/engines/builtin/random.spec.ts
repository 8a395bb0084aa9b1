import { Random } from './random.js';

describe('the random generator', () => {
  it('repeats itself for a seed and differs between near seeds', () => {
    const draw = (seed: number) => {
      const random = new Random(seed);
      return Array.from({ length: 5 }, () => random.uint32());
    };
    expect(draw(1)).toEqual(draw(1));
    expect(draw(1).filter((value) => draw(2).includes(value))).toEqual([]);
  });

  it('resumes from a saved state', () => {
    const random = new Random(9);
    random.uint32();
    const saved = random.save();
    const expected = [random.next(), random.next()];
    const other = new Random(1);
    other.restore(saved);
    expect([other.next(), other.next()]).toEqual(expected);
  });

  it('is uniform over its range', () => {
    const random = new Random(3);
    const counts = new Array<number>(10).fill(0);
    for (let k = 0; k < 20_000; k++) counts[random.below(10)]!++;
    // Standard deviation of a count is 42.
    for (const count of counts) expect(Math.abs(count - 2000)).toBeLessThan(250);
  });

  it('shuffles without loss, and can reach every order', () => {
    const random = new Random(4);
    const seen = new Set<string>();
    for (let k = 0; k < 500; k++) {
      const items = random.shuffle([1, 2, 3, 4]);
      expect([...items].sort()).toEqual([1, 2, 3, 4]);
      seen.add(items.join());
    }
    expect(seen.size).toBe(24);
  });
});
