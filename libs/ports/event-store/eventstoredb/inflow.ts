import type { Readable } from 'node:stream';

const nothing = (): void => undefined;

/**
 * Reads one of the client's streams at the consumer's pace. When disposed, it cancels the call, or lets the few items that are left
 * come and go: a cancelled call is a reset of HTTP/2, and servers close connections that have many of them.
 */
export class Inflow<Item> implements Disposable {
  private failure: Error | null = null;
  over = false;
  private wake = nothing;

  constructor(
    private readonly stream: Readable,
    private readonly cancel: () => Promise<void>,
    private readonly endsSoon = false,
  ) {
    // Errors come late as well: this listener stays.
    stream.on('error', (error) => this.end(error));
    stream.on('end', () => this.end());
    stream.on('close', () => this.end());
    stream.on('readable', () => this.wake());
  }

  /** @returns the next available item; null if none is available */
  read(): Item | null {
    return this.stream.destroyed ? null : (this.stream.read() as Item | null);
  }

  /** Whether the flow has ended. @throws the error that ended it */
  ended(): boolean {
    if (this.failure) throw this.failure;
    return this.over;
  }

  /** Waits until an item can be read or the flow ends. @returns false on timeout */
  async wait(ms: number, signal?: AbortSignal): Promise<boolean> {
    if (this.over || this.stream.readableLength > 0) return true;
    return new Promise((resolve) => {
      const settle = (came: boolean) => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', stop);
        this.wake = nothing;
        resolve(came);
      };
      const stop = () => settle(false);
      const timer = setTimeout(stop, ms);
      signal?.addEventListener('abort', stop);
      this.wake = () => settle(true);
      if (signal?.aborted) stop();
    });
  }

  [Symbol.dispose](): void {
    // A stream that tells of what is readable does not flow.
    if (!this.over && this.endsSoon) return void this.stream.removeAllListeners('readable').resume();
    // Destroying the outer stream alone would leave the call open.
    if (!this.over) this.cancel().catch(nothing);
    this.stream.destroy();
  }

  private end(error?: Error): void {
    this.failure ??= error ?? null;
    this.over = true;
    this.wake();
  }
}
