import { permuted } from './random-calls.js';

describe('a random order', () => {
  it.each([0, 1, 2, 3, 7, 100, 1024, 5000])('contains each of %i numbers once', (total) => {
    for (const seed of [0, 1, 0xffffffff])
      expect([...permuted(total, seed)].toSorted((a, b) => a - b)).toEqual(
        Array.from({ length: total }, (_, index) => index + 1),
      );
  });

  it('follows from its seed, and keeps the order of existing numbers when more are added', () => {
    const first = [...permuted(600, 7)];
    expect([...permuted(600, 7)]).toEqual(first);
    expect([...permuted(600, 8)]).not.toEqual(first);
    expect([...permuted(900, 7)].filter((number) => number <= 600)).toEqual(first);
  });

  it('is spread over all numbers', () => {
    const mean = [...permuted(1000, 3)].slice(0, 100).reduce((sum, number) => sum + number, 0) / 100;
    expect(mean).toBeGreaterThan(400);
    expect(mean).toBeLessThan(600);
  });
});
