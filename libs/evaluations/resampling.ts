/** Resamples of the rows from which an interval is read; of very many rows fewer, whose interval is narrow anyway. */
const MAX_RESAMPLES = 1_000;
const MIN_RESAMPLES = 100;
const MAX_DRAWS = 10_000_000;
const SEED = 3407;

/** Number of resamples for a number of rows. */
export const resamplesOf = (rows: number): number =>
  Math.min(MAX_RESAMPLES, Math.max(MIN_RESAMPLES, Math.floor(MAX_DRAWS / rows)));

/** Numbers of 32 bits, the same ones each time: Marsaglia's xorshift32. */
export function randomBits(): () => number {
  let state = SEED;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return state >>> 0;
  };
}

/** Rows drawn with replacement, the same ones each time. */
export function randomRows(count: number): () => number {
  const draw = randomBits();
  return () => draw() % count;
}

/**
 * The percentiles that hold all but a share of the values between them.
 * @param values at least one
 * @param outside half of it on either side
 */
export function intervalOf(values: readonly number[], outside = 0.05): { readonly low: number; readonly high: number } {
  const sorted = values.toSorted((a, b) => a - b);
  const percentile = (share: number) => sorted[Math.round(share * (sorted.length - 1))]!;
  return { low: percentile(outside / 2), high: percentile(1 - outside / 2) };
}

/** @param counts of rows, `width` numbers each */
export function sumOf(counts: Float64Array, width: number): Float64Array {
  const sum = new Float64Array(width);
  for (let row = 0; row < counts.length / width; row += 1) addRow(sum, counts, row);
  return sum;
}

/** @param sum has as many numbers as a row */
export function addRow(sum: Float64Array, counts: Float64Array, row: number): void {
  const width = sum.length;
  for (let count = 0; count < width; count += 1) sum[count]! += counts[row * width + count]!;
}
