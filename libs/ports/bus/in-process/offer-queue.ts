import type { Json } from '#domain/json.js';
import { BusFullError, type Subscription } from '../port.js';

interface Message {
  readonly body: Json;
  refusals: number;
}

interface Taker {
  readonly handler: (body: Json) => Promise<void>;
  inHand: Promise<void> | null;
}

interface Options {
  readonly firstRetryMs: number;
  readonly maxRetryMs: number;
  readonly rememberIdsMs: number;
  readonly maxWaiting: number;
  readonly clock: () => number;
  readonly onError: (error: unknown, subject: string) => void;
}

/** Ids remembered per subject, regardless of age. */
const MAX_IDS = 20_000;

/** The messages offered on one subject, and its takers. */
export class OfferQueue {
  private readonly waiting: Message[] = [];
  /** Refused messages that wait for their next turn. */
  private readonly retries = new Map<NodeJS.Timeout, Message>();
  /** Recently offered ids, oldest first, with the time until which each is remembered. */
  private readonly ids = new Map<string, number>();
  /** Free takers, the longest free first, so that turns are fair. */
  private readonly free: Taker[] = [];
  private readonly takers = new Set<Taker>();

  constructor(
    private readonly subject: string,
    private readonly options: Options,
  ) {}

  offer(id: string, body: Json): void {
    this.forgetOldIds();
    if (this.ids.has(id)) return;
    if (this.waiting.length + this.retries.size >= this.options.maxWaiting)
      throw new BusFullError(
        `${this.options.maxWaiting} messages wait on ${this.subject} already; offer it again later`,
      );
    this.ids.set(id, this.options.clock() + this.options.rememberIdsMs);
    this.waiting.push({ body, refusals: 0 });
    queueMicrotask(() => this.deliver());
  }

  take(handler: (body: Json) => Promise<void>): Subscription {
    const taker: Taker = { handler, inHand: null };
    this.takers.add(taker);
    this.free.push(taker);
    queueMicrotask(() => this.deliver());
    return {
      stop: async () => {
        this.takers.delete(taker);
        const index = this.free.indexOf(taker);
        if (index >= 0) this.free.splice(index, 1);
        await taker.inHand;
      },
    };
  }

  async close(): Promise<void> {
    for (const timer of this.retries.keys()) clearTimeout(timer);
    this.retries.clear();
    this.waiting.length = 0;
    this.free.length = 0;
    const inHand = [...this.takers].map((taker) => taker.inHand ?? Promise.resolve());
    this.takers.clear();
    await Promise.all(inHand);
  }

  private deliver(): void {
    while (this.free.length > 0 && this.waiting.length > 0)
      this.hand(this.waiting.shift() as Message, this.free.shift() as Taker);
  }

  private hand(message: Message, taker: Taker): void {
    taker.inHand = (async () => {
      try {
        await taker.handler(message.body);
      } catch (error) {
        this.options.onError(error, this.subject);
        this.retryLater(message);
      } finally {
        taker.inHand = null;
        if (this.takers.has(taker)) this.free.push(taker);
        this.deliver();
      }
    })();
  }

  private retryLater(message: Message): void {
    const { firstRetryMs, maxRetryMs } = this.options;
    const wait = Math.min(firstRetryMs * 2 ** message.refusals, maxRetryMs);
    message.refusals += 1;
    const timer = setTimeout(() => {
      this.retries.delete(timer);
      this.waiting.push(message);
      this.deliver();
    }, wait);
    timer.unref();
    this.retries.set(timer, message);
  }

  private forgetOldIds(): void {
    const now = this.options.clock();
    for (const [id, until] of this.ids) {
      if (until > now && this.ids.size < MAX_IDS) break;
      this.ids.delete(id);
    }
  }
}
