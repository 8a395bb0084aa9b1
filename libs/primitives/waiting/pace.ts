/** A token bucket: a burst of steps, then a fixed number per second. Steps slower than that are not delayed. */
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

  step(): void {
    const now = this.now();
    this.tokens = Math.min(this.burst, this.tokens + ((now - this.at) / 1000) * this.perSecond) - 1;
    this.at = now;
  }

  /** When the next step may be taken, on its clock. */
  get next(): number {
    return this.at + Math.max(0, (-this.tokens / this.perSecond) * 1000);
  }
}
