import type { Subscription as NatsSubscription } from 'nats';
import type { Json } from '#domain/json.js';
import {
  BusClosedError,
  type Bus,
  type CallHandler,
  type CallOptions,
  type ServeOptions,
  type Subscription,
} from '../port.js';
import { SignalListeners } from '../signal-listeners.js';
import { NatsCaller } from './calls/caller.js';
import type { Patience } from './calls/conversations.js';
import { Server } from './calls/server.js';
import type { BusConnection } from './connection.js';
import { InHand } from './in-hand.js';
import { Offers, type OfferOptions } from './offers.js';
import { Subjects } from './subjects.js';
import { Taker, type TakerOptions } from './taker.js';

export interface NatsBusOptions extends OfferOptions, TakerOptions, Patience {
  readonly prefix: string;
}

/** The bus over NATS: offers on JetStream, signals and calls on core subjects. */
export class NatsBus implements Bus {
  private readonly subjects: Subjects;
  private readonly offers: Offers;
  private readonly listeners: SignalListeners;
  /** Server subscriptions by subject, each shared by all listeners. */
  private readonly heard = new Map<string, { readonly on: NatsSubscription; listeners: number }>();
  private readonly caller: NatsCaller;
  private readonly server: Server;
  private readonly subscriptions = new Set<Subscription>();
  private readonly inHand = new InHand();
  private closed = false;

  constructor(
    private readonly connection: BusConnection,
    private readonly options: NatsBusOptions,
  ) {
    this.subjects = new Subjects(options.prefix);
    this.offers = new Offers(connection, this.subjects, options);
    this.listeners = new SignalListeners(options.onError);
    this.caller = new NatsCaller(connection, options);
    this.server = new Server(connection, options);
  }

  get isConnected(): boolean {
    return this.connection.isConnected;
  }

  /**
   * Creates the stream of offers, if it is missing.
   * @throws NatsError
   */
  prepare(): Promise<void> {
    return this.offers.ensureStream();
  }

  async offer(subject: string, id: string, body: Json): Promise<void> {
    this.assertOpen();
    return this.inHand.add(this.offers.offer(subject, id, body));
  }

  take(subject: string, handler: (body: Json) => Promise<void>): Subscription {
    this.assertOpen();
    return this.kept(new Taker(subject, handler, this.connection, this.offers, this.subjects, this.options));
  }

  signal(subject: string, body: Json): void {
    if (this.closed || this.connection.isStalled) return;
    try {
      this.connection.publish(this.subjects.signal(subject), Buffer.from(JSON.stringify(body)));
    } catch (error) {
      this.options.onError(error, subject);
    }
  }

  listen(subject: string, handler: (body: Json) => void): Subscription {
    this.assertOpen();
    const listener = this.listeners.listen(subject, handler);
    const heard = this.heard.get(subject) ?? this.hear(subject);
    heard.listeners += 1;
    let isStopped = false;
    return {
      stop: async () => {
        if (isStopped) return;
        isStopped = true;
        await listener.stop();
        heard.listeners -= 1;
        if (heard.listeners > 0) return;
        this.heard.delete(subject);
        heard.on.unsubscribe();
      },
    };
  }

  call(subject: string, body: Json, options: CallOptions): AsyncIterable<Json> {
    this.assertOpen();
    return this.called(this.caller.call(subject, this.subjects.call(subject), body, options));
  }

  serve(subject: string, handler: CallHandler, options?: ServeOptions): Subscription {
    this.assertOpen();
    return this.kept(this.server.serve(this.subjects.call(subject), handler, options));
  }

  /** Calls that this bus has made end by themselves, at their deadlines at the latest. */
  async close(): Promise<void> {
    if (this.closed) return;
    this.closed = true;
    this.listeners.close();
    for (const { on } of this.heard.values()) on.unsubscribe();
    await Promise.all([...this.subscriptions].map((subscription) => subscription.stop()));
    await this.inHand.done();
    this.caller.close();
    this.server.close();
    await this.connection.close();
  }

  private hear(subject: string): { readonly on: NatsSubscription; listeners: number } {
    const on = this.connection.subscribe(this.subjects.signal(subject), (message) =>
      this.listeners.signal(subject, message.json<Json>()),
    );
    const heard = { on, listeners: 0 };
    this.heard.set(subject, heard);
    return heard;
  }

  /** Counts as in flight from the first frame requested to the end. */
  private async *called(frames: AsyncIterable<Json>): AsyncGenerator<Json, void, undefined> {
    this.assertOpen();
    const { promise, resolve } = Promise.withResolvers<void>();
    void this.inHand.add(promise);
    try {
      yield* frames;
    } finally {
      resolve();
    }
  }

  private kept(subscription: Subscription): Subscription {
    this.subscriptions.add(subscription);
    return {
      stop: async () => {
        await subscription.stop();
        this.subscriptions.delete(subscription);
      },
    };
  }

  private assertOpen(): void {
    if (this.closed) throw new BusClosedError('the bus is closed');
  }
}
