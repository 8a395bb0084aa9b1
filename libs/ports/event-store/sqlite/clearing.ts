import type { LogWriter } from './writer.js';

/**
 * Clears the events of deleted streams between groups of writes, some at a time, so that deleting a long stream does
 * not block other writes.
 */
export class Clearing {
  private immediate: NodeJS.Immediate | null = null;
  private done = Promise.withResolvers<void>();
  private cleared = false;
  private closed = false;

  /** @param afterwards called when something was cleared and nothing is left to clear */
  constructor(
    private readonly writer: LogWriter,
    private readonly afterwards: () => void,
  ) {}

  /** Resolves when the events of all streams deleted so far are removed, or cannot be removed now. */
  run(): Promise<void> {
    if (this.closed) return Promise.resolve();
    this.immediate ??= setImmediate(() => this.step());
    return this.done.promise;
  }

  close(): void {
    this.closed = true;
    if (this.immediate) clearImmediate(this.immediate);
    this.done.resolve();
  }

  private step(): void {
    this.immediate = null;
    if (this.writer.clearSome()) {
      this.cleared = true;
      void this.run();
      return;
    }
    if (this.cleared) this.afterwards();
    this.cleared = false;
    this.done.resolve();
    this.done = Promise.withResolvers<void>();
  }
}
