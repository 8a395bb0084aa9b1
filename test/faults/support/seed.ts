import { randomNumbers } from '#primitives/random-numbers.js';

/** The seed of a suite's random moments: `ANNEAL_FAULT_SEED`, or another one each time. Suites print it in their name. */
export const faultSeed = (): number => Number(process.env['ANNEAL_FAULT_SEED'] ?? Date.now() % 1_000_000);

export interface Random {
  /** A whole number from 0 to below the bound. */
  below(bound: number): number;
  shuffled<T>(list: readonly T[]): T[];
}

/** The same for the same seed. */
export function seeded(seed: number): Random {
  const next = randomNumbers(seed);
  const below = (bound: number) => Math.floor(next() * bound);
  return {
    below,
    shuffled(list) {
      const shuffled = [...list];
      for (let at = shuffled.length - 1; at > 0; at -= 1) {
        const other = below(at + 1);
        [shuffled[at], shuffled[other]] = [shuffled[other]!, shuffled[at]!];
      }
      return shuffled;
    },
  };
}
