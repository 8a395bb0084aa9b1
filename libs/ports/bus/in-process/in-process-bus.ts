import type { Json } from '#domain/json.js';
import {
  BusClosedError,
  type Bus,
  type CallHandler,
  type CallOptions,
  type ServeOptions,
  type Subscription,
} from '../port.js';
import { CallServers } from './call-servers.js';
import { OfferQueue } from './offer-queue.js';
import { SignalListeners } from '../signal-listeners.js';

interface InProcessBusOptions {
  /** Wait before a refused message is delivered again; doubled each time up to the longest. Milliseconds. */
  readonly firstRetryMs?: number;
  readonly maxRetryMs?: number;
  /** An id offered again within this time is not delivered again. */
  readonly rememberIdsMs?: number;
  /** Maximum number of messages that wait on one subject. */
  readonly maxWaiting?: number;
  /** Monotonic milliseconds. */
  readonly clock?: () => number;
  /** Called with the error of a listener or taker. Default: a process warning. */
  readonly onError?: (error: unknown, subject: string) => void;
}

/**
 * The bus within one process. Bodies are passed by reference and must not be changed. Waiting messages are lost with
 * the process, as the port allows.
 */
export class InProcessBus implements Bus {
  private readonly options: Required<InProcessBusOptions>;
  private readonly queues = new Map<string, OfferQueue>();
  private readonly listeners: SignalListeners;
  private readonly servers = new CallServers();
  private closed = false;

  constructor(options: InProcessBusOptions = {}) {
    this.options = {
      firstRetryMs: 100,
      maxRetryMs: 30_000,
      rememberIdsMs: 120_000,
      maxWaiting: 10_000,
      clock: () => performance.now(),
      onError: (error, subject) => process.emitWarning(`bus subject ${subject}: ${describe(error)}`),
      ...options,
    };
    this.listeners = new SignalListeners(this.options.onError);
  }

  async offer(subject: string, id: string, body: Json): Promise<void> {
    this.assertOpen();
    this.queue(subject).offer(id, body);
  }

  take(subject: string, handler: (body: Json) => Promise<void>): Subscription {
    this.assertOpen();
    return this.queue(subject).take(handler);
  }

  signal(subject: string, body: Json): void {
    if (!this.closed) this.listeners.signal(subject, body);
  }

  listen(subject: string, handler: (body: Json) => void): Subscription {
    this.assertOpen();
    return this.listeners.listen(subject, handler);
  }

  call(subject: string, body: Json, options: CallOptions): AsyncIterable<Json> {
    this.assertOpen();
    return this.servers.call(subject, body, options);
  }

  serve(subject: string, handler: CallHandler, options?: ServeOptions): Subscription {
    this.assertOpen();
    return this.servers.serve(subject, handler, options);
  }

  async close(): Promise<void> {
    this.closed = true;
    this.listeners.close();
    await Promise.all([this.servers.close(), ...[...this.queues.values()].map((queue) => queue.close())]);
  }

  private queue(subject: string): OfferQueue {
    let queue = this.queues.get(subject);
    if (!queue) this.queues.set(subject, (queue = new OfferQueue(subject, this.options)));
    return queue;
  }

  private assertOpen(): void {
    if (this.closed) throw new BusClosedError('the bus is closed');
  }
}

const describe = (error: unknown): string => (error instanceof Error ? (error.stack ?? error.message) : String(error));
