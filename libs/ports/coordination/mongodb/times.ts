/** Two clocks of this process, both in milliseconds. */
export interface Clocks {
  /** Since 1970. What ends, ends by the clock of whoever asks. */
  readonly now: () => number;
  /** Only ever forward, at the pace of time: how long something has lasted. */
  readonly monotonic: () => number;
}

/** Of what never ends: greater than any time. */
export const NEVER = Number.MAX_SAFE_INTEGER;

/**
 * How long a document outlives its end. By then no clock doubts that it has ended, nothing that was asked before is still
 * under way, and the number of its life is never drawn again.
 */
const SLACK_MS = 24 * 60 * 60 * 1000;

/** When a document that ends then may be removed; it has no such time when it never ends. */
export const removableAt = (ends: number): { readonly removable: number } => ({
  removable: ends === NEVER ? NEVER : ends + SLACK_MS,
});
