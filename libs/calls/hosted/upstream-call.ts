import type { ShortLived } from '#primitives/memory/short-lived.js';
import { AnswerTooLargeError, Exchange } from './exchange.js';
import { HostedModelError } from './port.js';
import type { Provider } from './providers.js';
import { LATE_ANSWER, senseless } from './upstream-errors.js';

/** A call from its first attempt to the end of its answer: its deadline, and the signals that may stop it. */
export class UpstreamCall {
  private readonly deadline: NodeJS.Timeout;
  private current: Exchange | null = null;
  private stopped: HostedModelError | null = null;
  private wake: (() => void) | null = null;
  /** Start of the wait for a connection, in monotonic ms; null while not waiting. */
  private queuedAt: number | null = null;
  private queuedMs = 0;
  /** When the current try was sent, after any wait for a connection, in monotonic ms. */
  private sentAt = 0;
  /** Its place among the provider's calls; null after its end. */
  private place: number | null;

  constructor(
    private readonly provider: Provider,
    private readonly all: ShortLived<UpstreamCall>,
    private readonly signal: AbortSignal | undefined,
    /** The error of a call whose time was up while it waited for a connection, or soon after. */
    private readonly crowded: () => HostedModelError,
  ) {
    this.place = all.add(this);
    this.deadline = setTimeout(() => this.stop(this.wasQueued() ? this.crowded() : this.late()), provider.totalMs);
    if (signal?.aborted) this.gone();
    else signal?.addEventListener('abort', this.gone);
  }

  get isStopped(): boolean {
    return this.stopped !== null;
  }

  get msSinceSent(): number {
    return performance.now() - this.sentAt;
  }

  /** Starts the exchange of the next try. */
  exchange(maxBytes: number): Exchange {
    if (this.stopped !== null) throw this.stopped;
    this.sentAt = performance.now();
    this.current = new Exchange(maxBytes, (error) => this.errorOf(error));
    return this.current;
  }

  /** The call ends with this one. */
  begun(exchange: Exchange): void {
    exchange.onEnd(() => this.end());
  }

  stop(reason: HostedModelError): void {
    this.stopped ??= reason;
    this.current?.stop(reason);
    this.wake?.();
  }

  /** @throws HostedModelError if it is stopped in the meantime */
  async sleep(ms: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      this.wake = resolve;
      timer = setTimeout(resolve, ms);
    });
    clearTimeout(timer);
    if (this.stopped !== null) throw this.stopped;
  }

  /** Waits for a connection. @throws HostedModelError if it is stopped in the meantime */
  async queued(given: Promise<void>): Promise<void> {
    this.queuedAt = performance.now();
    const woken = new Promise<void>((resolve) => (this.wake = resolve));
    if (this.stopped === null) await Promise.race([given, woken]);
    this.queuedMs += performance.now() - this.queuedAt;
    this.queuedAt = null;
    if (this.stopped !== null) throw this.stopped;
  }

  end(): void {
    clearTimeout(this.deadline);
    this.signal?.removeEventListener('abort', this.gone);
    if (this.place !== null) this.all.take(this.place);
    this.place = null;
  }

  errorOf(error: Error): HostedModelError {
    if (this.stopped !== null) return this.stopped;
    if (error instanceof HostedModelError) return error;
    if (error instanceof AnswerTooLargeError) return senseless(this.provider, 'sent an answer that is too long', error);
    if (LATE.has((error as { code?: string }).code ?? '')) return this.late(error);
    return senseless(this.provider, 'cannot be reached or broke the connection; try again', error);
  }

  /** Whether most of its time passed before it had a connection: then the provider is not to blame. */
  private wasQueued(): boolean {
    return this.queuedAt !== null || this.queuedMs > this.provider.totalMs / 2;
  }

  private readonly gone = () => this.stop(new HostedModelError('cancelled', 'the caller has gone'));

  private late(cause?: Error): HostedModelError {
    return new HostedModelError('timeout', LATE_ANSWER, { provider: this.provider.name }, { cause });
  }
}

/** undici's own deadlines. */
const LATE = new Set(['UND_ERR_CONNECT_TIMEOUT', 'UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT']);
