import type { Query, ReadStoreQueries } from '#ports/read-store/port.js';
import { permuted, randomCalls } from './random-calls.js';

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

describe('calls in a random order', () => {
  /** Numbered calls 1 to `total`. */
  const storeOf = (total: number) =>
    ({
      find: async (_name: string, { where: { n } = {} }: Query) =>
        (Array.isArray(n) ? n : [total]).map((number) => ({ n: number as number })),
    }) as unknown as ReadStoreQueries;

  it.each([0, 1, 100, 101, 1234])('are each of %i calls once, chunk after chunk', async (total) => {
    const seen: number[] = [];
    for await (const call of randomCalls(storeOf(total), { where: { workspaceId: 'w' }, ordinal: 'n' }, 7))
      seen.push((call as unknown as { n: number }).n);
    expect(seen).toEqual([...permuted(total, 7)]);
  });
});
