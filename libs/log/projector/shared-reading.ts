import type { EventReader, SubscribeOptions, SubscriptionMessage } from '#ports/event-store/port.js';

/** Milliseconds without another reader after which a reading begins. */
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
    const each = (step: (reader: Reader) => Promise<void>) => Promise.all(readers.map(step));
    try {
      for await (const message of this.eventStore.subscribe(together(readers)))
        await each((reader) => reader.tell(message));
      await each((reader) => reader.end());
    } catch (error) {
      await each((reader) => reader.fail(error));
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

/** A reader of the shared history, which takes one message at a time. */
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

  /** Resolves when it was handed its part of the message, or has left. */
  async tell(message: SubscriptionMessage): Promise<void> {
    const own = this.ownOf(message);
    if (own === null) return;
    await this.ready();
    this.told.resolve(own);
  }

  async end(): Promise<void> {
    await this.ready();
    this.told.resolve(null);
  }

  async fail(error: unknown): Promise<void> {
    await this.ready();
    this.told.reject(error);
  }

  private async ready(): Promise<void> {
    await Promise.race([this.asked.promise, this.gone]);
    this.asked = Promise.withResolvers();
  }

  private ownOf(message: SubscriptionMessage): SubscriptionMessage | null {
    if (message.kind !== 'events') return message;
    const events = message.events.filter(({ type }) => this.types.has(type));
    return events.length > 0 ? { kind: 'events', events } : null;
  }
}
