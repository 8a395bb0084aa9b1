import { hearCommits } from './notifications.js';

/** A timer of less would wait as long. */
const SHORTEST_MS = 1;

/** Waits for the next commit. One that came since the last `reset` is not missed. */
export class CommitSignal {
  /** Of events committed since the last reset. */
  private readonly types = new Set<string>();
  /** Ends the present wait. */
  private wake: (() => void) | null = null;
  private readonly stopHearing: () => void;

  constructor(
    logId: string,
    private readonly signal: AbortSignal,
  ) {
    this.stopHearing = hearCommits(logId, (types) => {
      const known = this.types.size;
      for (const type of types) this.types.add(type);
      if (this.types.size > known) this.wake?.();
    });
    signal.addEventListener('abort', this.aborted);
  }

  reset(): void {
    this.types.clear();
  }

  /**
   * Resolves after `ms` without a commit, on abort, and after commits at the earliest time of their events' types.
   * @param notBefore times of `performance.now` by type
   */
  async commit(ms: number, notBefore: (type: string) => number): Promise<void> {
    const end = performance.now() + ms;
    while (!this.signal.aborted) {
      const due = this.types.size === 0 ? end : Math.min(...[...this.types].map(notBefore));
      const left = due - performance.now();
      if (left < SHORTEST_MS) return;
      await this.wait(left);
    }
  }

  /** Resolves on abort or after `ms`. */
  async pause(ms: number): Promise<void> {
    const end = performance.now() + ms;
    for (let left = ms; left >= SHORTEST_MS && !this.signal.aborted; left = end - performance.now())
      await this.wait(left);
  }

  close(): void {
    this.stopHearing();
    this.signal.removeEventListener('abort', this.aborted);
  }

  /** Resolves after `ms`, on abort, and on a commit of events of another type. */
  private async wait(ms: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, ms);
    this.wake = resolve;
    await promise;
    clearTimeout(timer);
    this.wake = null;
  }

  private readonly aborted = (): void => this.wake?.();
}
