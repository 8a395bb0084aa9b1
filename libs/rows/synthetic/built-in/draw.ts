import { faker } from '@faker-js/faker/locale/en';

/**
 * Reseeds the one random generator for a row. Each row has its own stream, derived from the job's seed and the row's
 * number, so that the same seed gives the same rows.
 */
export function seedRow(seed: number, row: number): void {
  faker.seed([seed, row]);
}

// "Last year" must not depend on when rows are generated.
faker.setDefaultRefDate('2026-06-01T00:00:00.000Z');

/** A uniformly random item. */
export const pick = <T>(items: readonly T[]): T => items[below(items.length)]!;

/** True with this probability. */
export const chance = (probability: number): boolean => faker.number.float() < probability;

/** A whole number, both ends included. */
export const between = (low: number, high: number): number => faker.number.int({ min: low, max: high });

/** `count` random items, in their order. */
export const some = <T>(items: readonly T[], count: number): T[] =>
  faker.helpers
    .arrayElements([...items], Math.min(count, items.length))
    .toSorted((a, b) => items.indexOf(a) - items.indexOf(b));

/** # is a digit, @ a capital letter, * a hexadecimal letter or digit; everything else is literal. */
export const filled = (pattern: string): string =>
  pattern.replaceAll(/[#@*]/g, (mark) =>
    mark === '#' ? String(below(10)) : mark === '@' ? 'ABCDEFGHJKLMNPQRSTUVWXYZ'[below(24)]! : below(16).toString(16),
  );

/** The same item for a text: by its letters, not by chance. */
const below = (bound: number): number => faker.number.int({ min: 0, max: bound - 1 });

export const capitalised = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1);

export { faker };
