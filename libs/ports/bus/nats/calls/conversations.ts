import { createInbox, type Msg, type Subscription as NatsSubscription } from 'nats';
import type { BusConnection } from '../connection.js';

/** A call as one of its sides sees it. */
export interface Conversation {
  /** Takes a message of the other side. */
  hear(message: Msg): void;
  /** Called when the other side's subject has lost its listener: that side has died. */
  hearNobody(): void;
  /** The connection was lost, possibly with messages in flight. */
  hearDisconnected(): void;
  /** Called a few times a second. @param now monotonic milliseconds */
  tick(now: number): void;
}

export interface Patience {
  /** Milliseconds of its own silence after which a side sends a keep-alive. */
  readonly aliveMs: number;
  /** Milliseconds in which a server must acknowledge the request, or it counts as dead. */
  readonly firstWordMs: number;
  /** Milliseconds of silence after which a side counts as dead. */
  readonly silenceMs: number;
}

const TICK_MS = 50;

/** The calls of one side, each with its own subject in a common inbox. */
export class Conversations {
  private readonly inbox = createInbox();
  private readonly subscription: NatsSubscription;
  private readonly unwatch: () => void;
  private readonly open = new Map<string, Conversation>();
  private opened = 0;
  private timer: NodeJS.Timeout | null = null;

  /** @param onStray called with messages of calls that have ended */
  constructor(
    connection: BusConnection,
    private readonly onStray: (message: Msg) => void,
  ) {
    this.subscription = connection.subscribe(`${this.inbox}.*`, (message) => this.hear(message));
    this.unwatch = connection.onChange((isConnected) => {
      if (!isConnected) for (const conversation of [...this.open.values()]) conversation.hearDisconnected();
    });
  }

  /** @returns its subject */
  begin(conversation: Conversation): string {
    const subject = `${this.inbox}.${(this.opened += 1)}`;
    this.open.set(subject, conversation);
    this.timer ??= setInterval(() => this.tick(), TICK_MS);
    return subject;
  }

  end(subject: string): void {
    this.open.delete(subject);
    if (this.open.size > 0 || this.timer === null) return;
    clearInterval(this.timer);
    this.timer = null;
  }

  close(): void {
    this.unwatch();
    this.subscription.unsubscribe();
  }

  private hear(message: Msg): void {
    const conversation = this.open.get(message.subject);
    if (message.data.length === 0) {
      if (message.headers?.code === 503) conversation?.hearNobody();
    } else if (conversation) conversation.hear(message);
    else this.onStray(message);
  }

  private tick(): void {
    const now = performance.now();
    for (const conversation of [...this.open.values()]) conversation.tick(now);
  }
}
