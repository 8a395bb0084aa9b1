import { setTimeout as sleep } from 'node:timers/promises';

/**
 * A token bucket: a burst of steps, then a fixed number per second. Under load the feed takes more events at a time
 * instead of stepping more often, since each step costs every projection a commit; otherwise nothing is delayed.
 */
export class Pace {
  private tokens: number;
  private at: number;

  /** @param now monotonic milliseconds */
  constructor(
    private readonly perSecond: number,
    private readonly burst: number,
    private readonly now: () => number = () => performance.now(),
  ) {
    this.tokens = burst;
    this.at = now();
  }

  /** Counts a step, or several. @returns milliseconds to wait before the next one */
  step(steps = 1): number {
    const now = this.now();
    this.tokens = Math.min(this.burst, this.tokens + ((now - this.at) / 1000) * this.perSecond) - steps;
    this.at = now;
    return Math.max(0, (-this.tokens / this.perSecond) * 1000);
  }

  /** Counts them and waits until the next one may be taken, or the signal aborts. */
  async wait(signal: AbortSignal, steps = 1): Promise<void> {
    const ms = this.step(steps);
    // A timer of less than a millisecond would wait for a whole one.
    if (ms >= 1) await sleep(ms, undefined, { signal }).catch(() => undefined);
  }
}
