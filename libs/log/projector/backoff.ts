import { setTimeout as sleep } from 'node:timers/promises';

/** Growing pauses between retries. */
export class Backoff {
  private pause: number;

  constructor(
    private readonly firstMs = 100,
    private readonly longestMs = 10_000,
  ) {
    this.pause = firstMs;
  }

  /** Resolves after the pause, or immediately when the signal aborts. */
  async wait(signal: AbortSignal): Promise<void> {
    const pause = this.pause;
    this.pause = Math.min(pause * 2, this.longestMs);
    await sleep(pause, undefined, { signal }).catch(() => undefined);
  }

  reset(): void {
    this.pause = this.firstMs;
  }
}
