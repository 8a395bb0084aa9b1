/** The monotonic clock and timers of leases. Specs inject their own. */
export interface Clock {
  /** Milliseconds that only rise, of this machine alone. */
  now(): number;
  /**
   * Calls once, after `ms` milliseconds or more.
   * @returns a function that cancels it
   */
  after(ms: number, then: () => void): () => void;
}

export const MONOTONIC: Clock = {
  now: () => performance.now(),
  after(ms, then) {
    const timer = setTimeout(then, ms);
    return () => clearTimeout(timer);
  },
};
