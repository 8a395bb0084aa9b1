/** Resamples of the rows from which an interval is read; of very many rows fewer, whose interval is narrow anyway. */
const MAX_RESAMPLES = 1_000;
const MIN_RESAMPLES = 100;
const MAX_DRAWS = 10_000_000;
const SEED = 3407;

/** How often rows are drawn anew. */
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

export const percentile = (sorted: readonly number[], share: number): number =>
  sorted[Math.round(share * (sorted.length - 1))]!;
