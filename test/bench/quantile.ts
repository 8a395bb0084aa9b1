/** The value that this share of the others does not exceed. */
export const quantile = (values: readonly number[], share: number): number =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))]!;

/** The upper of the two in the middle, if their number is even. */
export const median = (values: readonly number[]): number => quantile(values, 0.5);
