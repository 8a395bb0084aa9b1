import type { EventReader, RecordedEvent, SubscribeOptions, SubscriptionMessage } from '#ports/event-store/port.js';

/** Those that start together come one after another; a reading begins once none has come for this long. */
const GATHER_MS = 50;
const BATCH = 500;

/**
 * Reads the log once for all who read it from its start at about the same time, instead of once for each: what an event
 * costs before it is applied, such as decrypting a call, is then paid once. The slowest sets the pace. Who leaves, or
 * fails, holds up nobody.
 */
export class SharedReading implements Pick<EventReader, 'subscribe'> {
  private gathering: Reader[] = [];
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly eventStore: Pick<EventReader, 'subscribe'>) {}

  async *subscribe(options: SubscribeOptions): AsyncGenerator<SubscriptionMessage> {
    const { after, filter } = options;
    if (after !== null || !filter?.types || filter.categories) {
      yield* this.eventStore.subscribe(options);
      return;
    }
    const reader = new Reader(options, new Set(filter.types));
    this.gathering.push(reader);
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.begin(), GATHER_MS);
    yield* reader.messages();
  }

  private async begin(): Promise<void> {
    const readers = this.gathering;
    this.gathering = [];
    const tell = (message: SubscriptionMessage | Error | null) =>
      Promise.all(readers.map((reader) => reader.tell(message)));
    try {
      for await (const message of this.eventStore.subscribe(together(readers))) await tell(message);
      await tell(null);
    } catch (error) {
      await tell(error as Error);
    }
  }
}

function together(readers: readonly Reader[]): SubscribeOptions {
  const over = new AbortController();
  void Promise.all(readers.map(({ gone }) => gone)).then(() => over.abort());
  return {
    after: null,
    filter: { types: [...new Set(readers.flatMap(({ types }) => [...types]))] },
    signal: over.signal,
    batchSize: Math.max(...readers.map(({ options }) => options.batchSize ?? BATCH)),
    onTrouble: (error) => readers.forEach(({ options }) => options.onTrouble?.(error)),
  };
}

/** One of those who read together. It takes one message at a time. */
class Reader {
  private readonly leaving = Promise.withResolvers<void>();
  private asked = Promise.withResolvers<void>();
  private told = Promise.withResolvers<SubscriptionMessage | null>();

  constructor(
    readonly options: SubscribeOptions,
    readonly types: ReadonlySet<string>,
  ) {}

  /** Resolves when it takes no more messages. */
  get gone(): Promise<void> {
    return this.leaving.promise;
  }

  async *messages(): AsyncGenerator<SubscriptionMessage> {
    const { signal } = this.options;
    const stop = () => this.told.resolve(null);
    signal.addEventListener('abort', stop);
    try {
      while (!signal.aborted) {
        this.told = Promise.withResolvers();
        this.asked.resolve();
        const message = await this.told.promise;
        if (message === null) return;
        yield message;
      }
    } finally {
      signal.removeEventListener('abort', stop);
      this.leaving.resolve();
    }
  }

  /** Resolves when the message has been handed over, or concerns nobody. @param message null: the reading is over */
  async tell(message: SubscriptionMessage | Error | null): Promise<void> {
    const own =
      message !== null && 'kind' in message && message.kind === 'events' ? this.ownOf(message.events) : message;
    if (own === undefined) return;
    await Promise.race([this.asked.promise, this.gone]);
    this.asked = Promise.withResolvers();
    if (own instanceof Error) this.told.reject(own);
    else this.told.resolve(own);
  }

  private ownOf(all: readonly RecordedEvent[]): SubscriptionMessage | undefined {
    const events = all.filter(({ type }) => this.types.has(type));
    return events.length > 0 ? { kind: 'events', events } : undefined;
  }
}
