/** Two clocks of this process, both in milliseconds. */
export interface Clocks {
  /** Milliseconds since 1970, the asking process's clock. It decides what has expired. */
  readonly now: () => number;
  /** Milliseconds that only increase, for measuring durations. */
  readonly monotonic: () => number;
}

/** The end of an entry that never expires: greater than any time. */
export const NEVER = Number.MAX_SAFE_INTEGER;

/**
 * Time for which a document is kept after its end. By then all clocks agree that it has ended, every earlier request is
 * over, and its number cannot be drawn again.
 */
const SLACK_MS = 24 * 60 * 60 * 1000;

/** The removal time of a document that ends at `ends`; none if it never ends. */
export const removableAt = (ends: number): { readonly removable: number } => ({
  removable: ends === NEVER ? NEVER : ends + SLACK_MS,
});
