import { setTimeout as sleep } from 'node:timers/promises';
import { createInbox, nanos, type Msg, type NatsError, type Subscription as NatsSubscription } from 'nats';
import type { Json } from '#domain/json.js';
import type { Subscription } from '../port.js';
import { NOBODY_THERE, type BusConnection } from './connection.js';
import type { Offers } from './offers.js';
import type { Subjects } from './subjects.js';

export interface TakerOptions {
  /** Wait before a refused message is delivered again; doubled each time up to the longest. Milliseconds. */
  readonly firstRetryMs: number;
  readonly maxRetryMs: number;
  readonly ackWaitMs: number;
  readonly onError: (error: unknown, subject: string) => void;
}

const PULL_MS = 30_000;
const HEARTBEAT_MS = 5_000;
/** Missed heartbeats after which the pull request counts as lost. */
const MISSED = 2.5;
const SETTLE_TRY_MS = 2_000;
const MAX_MEND_WAIT_MS = 5_000;

/**
 * Takes the messages of one subject, one at a time: asks for one, works on it, acknowledges it, asks for the next.
 * Nothing is prefetched, since it would wait here while another taker is free.
 * https://docs.nats.io/reference/reference-protocols/nats_api_reference
 */
export class Taker implements Subscription {
  private readonly inbox = createInbox();
  /** The subject that requests the next message. */
  private readonly next: string;
  private readonly subscription: NatsSubscription;
  private readonly unwatch: () => void;
  private readonly timer: NodeJS.Timeout;
  private readonly stopping = new AbortController();
  /** The newest pull; answers to earlier ones come late. */
  private pulls = 0;
  private heardAt = 0;
  private inHand: Promise<void> | null = null;
  private mending = false;

  constructor(
    private readonly subject: string,
    private readonly handler: (body: Json) => Promise<void>,
    private readonly connection: BusConnection,
    private readonly offers: Offers,
    subjects: Subjects,
    private readonly options: TakerOptions,
  ) {
    this.next = `$JS.API.CONSUMER.MSG.NEXT.${subjects.stream}.${subjects.consumer(subject)}`;
    this.subscription = connection.subscribe(`${this.inbox}.*`, (message) => this.hear(message));
    this.unwatch = connection.onChange((isConnected) => isConnected && this.pull());
    this.timer = setInterval(() => this.check(), HEARTBEAT_MS);
    this.timer.unref();
    // A consumer that another release created may have other settings.
    void this.mend();
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    clearInterval(this.timer);
    this.unwatch();
    // Messages that arrive before the server has unsubscribed are returned.
    await this.connection.drain(this.subscription);
    await this.inHand;
  }

  private get isStopped(): boolean {
    return this.stopping.signal.aborted;
  }

  private pull(): void {
    if (this.isStopped || this.inHand || this.mending) return;
    this.pulls += 1;
    this.heardAt = performance.now();
    const wanted = { batch: 1, expires: nanos(PULL_MS), idle_heartbeat: nanos(HEARTBEAT_MS) };
    this.connection.publish(this.next, Buffer.from(JSON.stringify(wanted)), `${this.inbox}.${this.pulls}`);
  }

  private check(): void {
    if (performance.now() - this.heardAt > MISSED * HEARTBEAT_MS) this.pull();
  }

  private hear(message: Msg): void {
    const status = message.data.length === 0 ? (message.headers?.code ?? 0) : 0;
    if (status === 0) {
      if (this.isStopped || this.inHand) this.connection.publish(message.reply!, Buffer.from('-NAK'));
      else this.take(message);
    } else if (message.subject.endsWith(`.${this.pulls}`)) this.hearStatus(status);
  }

  private hearStatus(status: number): void {
    this.heardAt = performance.now();
    switch (status) {
      case 100:
        return;
      case 404:
      case 408:
        return this.pull();
      default:
        // 409: the consumer was deleted or is moving. 503: the consumer does not exist.
        void this.mend();
    }
  }

  /** Resolves once stream and consumer exist again. */
  private async mend(): Promise<void> {
    if (this.mending || this.isStopped) return;
    this.mending = true;
    for (let wait = 50; !this.isStopped && this.connection.isConnected; wait = Math.min(wait * 2, MAX_MEND_WAIT_MS))
      try {
        await this.offers.ensureConsumer(this.subject);
        break;
      } catch (error) {
        // The loss of the connection is reported elsewhere.
        if (this.connection.isConnected) this.options.onError(error, this.subject);
        await sleep(wait, undefined, { signal: this.stopping.signal }).catch(() => undefined);
      }
    this.mending = false;
    this.pull();
  }

  private take(message: Msg): void {
    this.inHand = this.handle(message)
      .catch((error: unknown) => this.options.onError(error, this.subject))
      .then(() => {
        this.inHand = null;
        this.pull();
      });
  }

  private async handle(message: Msg): Promise<void> {
    const reply = message.reply!;
    try {
      await this.handler(message.json<Json>());
    } catch (error) {
      this.options.onError(error, this.subject);
      const { firstRetryMs, maxRetryMs } = this.options;
      const delay = Math.min(firstRetryMs * 2 ** (deliveries(reply) - 1), maxRetryMs);
      return this.settle(reply, `-NAK ${JSON.stringify({ delay: nanos(delay) })}`);
    }
    await this.settle(reply, '+ACK');
  }

  /** Repeats the verdict until the server has received it, or the message has gone to another taker. */
  private async settle(reply: string, verdict: string): Promise<void> {
    const until = performance.now() + this.options.ackWaitMs;
    for (;;) {
      const left = Math.min(until - performance.now(), this.isStopped ? SETTLE_TRY_MS : Infinity);
      if (left <= 0 || !(await this.connection.whenConnected(left, this.stopping.signal))) return;
      try {
        await this.connection.request(reply, Buffer.from(verdict), Math.min(left, SETTLE_TRY_MS));
        return;
      } catch (error) {
        if ((error as NatsError).code === NOBODY_THERE || this.isStopped) return;
      }
    }
  }
}

/**
 * The number of deliveries of this message, this one included: `$JS.ACK.[domain.account.]stream.consumer.delivered...`.
 */
function deliveries(reply: string): number {
  const words = reply.split('.');
  return Number(words[words.length === 9 ? 4 : 6]) || 1;
}
