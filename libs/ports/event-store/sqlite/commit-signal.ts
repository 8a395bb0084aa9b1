import { hearCommits } from './notifications.js';

/** Waits for the next commit. One that came since the last `reset` is not missed: it ends the wait at once. */
export class CommitSignal {
  private committed = false;
  /** Ends the present wait: an abort always, a commit only if the wait is for one. */
  private waiting: { readonly forCommit: boolean; readonly end: () => void } | null = null;
  private readonly stopHearing: () => void;

  constructor(
    logId: string,
    private readonly signal: AbortSignal,
  ) {
    this.stopHearing = hearCommits(logId, () => {
      this.committed = true;
      if (this.waiting?.forCommit) this.waiting.end();
    });
    signal.addEventListener('abort', this.aborted);
  }

  reset(): void {
    this.committed = false;
  }

  /** Resolves on a commit, on abort, or after `ms`. */
  async commit(ms: number): Promise<void> {
    if (!this.committed) await this.wait(ms, true);
  }

  /** Resolves on abort or after `ms`. */
  async pause(ms: number): Promise<void> {
    await this.wait(ms, false);
  }

  close(): void {
    this.stopHearing();
    this.signal.removeEventListener('abort', this.aborted);
  }

  private async wait(ms: number, forCommit: boolean): Promise<void> {
    if (this.signal.aborted) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, ms);
    this.waiting = { forCommit, end: resolve };
    await promise;
    clearTimeout(timer);
    this.waiting = null;
  }

  private readonly aborted = (): void => this.waiting?.end();
}
