import type { Random } from '#gpu-runner/engines/builtin/random.js';

/** @returns one item, all equally likely */
export function pick<T>(random: Random, items: readonly T[]): T {
  return items[random.below(items.length)]!;
}

/** @returns true with the given probability */
export function chance(random: Random, probability: number): boolean {
  return random.next() < probability;
}

/** @returns an integer from low to high, both included */
export function between(random: Random, low: number, high: number): number {
  return low + random.below(high - low + 1);
}

/** @returns one item, with probability proportional to its weight */
export function weighted<T>(random: Random, items: readonly (readonly [weight: number, item: T])[]): T {
  let rest = random.next() * items.reduce((sum, [weight]) => sum + weight, 0);
  for (const [weight, item] of items) {
    rest -= weight;
    if (rest < 0) return item;
  }
  return items[items.length - 1]![1];
}

/** Writes a pattern: # is a digit, @ a capital letter, ? a lower-case letter, * a hexadecimal digit; all else stands. */
export function filled(random: Random, pattern: string): string {
  return pattern.replace(/[#@?*]/g, (mark) =>
    mark === '#'
      ? String(random.below(10))
      : mark === '@'
        ? String.fromCharCode(65 + random.below(26))
        : mark === '?'
          ? String.fromCharCode(97 + random.below(26))
          : random.below(16).toString(16),
  );
}

/** @returns the text with its first letter as a capital */
export function capitalised(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}
