import type { Upcasters } from '#domain/upcaster.js';
import { upcasters as ofEveryAggregate } from '#domain/upcasters.js';
import type {
  AppendResult,
  EventFilter,
  EventReader,
  EventStore,
  EventToAppend,
  ExpectedRevision,
  LogCheckMessage,
  LogHead,
  Position,
  ReadAllOptions,
  ReadStreamOptions,
  RecordedEvent,
  SubscribeOptions,
  SubscriptionMessage,
} from './port.js';

/**
 * Reads a log with every event in its newest shape, whichever release stored it. Stored events do not change. A filter
 * by a newest type also finds the older types that become it.
 */
export class UpcastingReader implements EventReader {
  constructor(
    private readonly stored: EventReader,
    private readonly upcasters: Upcasters = ofEveryAggregate,
  ) {}

  get positions(): EventReader['positions'] {
    return this.stored.positions;
  }

  async *readStream(stream: string, options?: ReadStreamOptions): AsyncGenerator<RecordedEvent> {
    for await (const event of this.stored.readStream(stream, options)) yield this.upcasters.upcast(event);
  }

  async *readAll(options: ReadAllOptions = {}): AsyncGenerator<RecordedEvent> {
    for await (const event of this.stored.readAll(this.widened(options))) yield this.upcasters.upcast(event);
  }

  async eventAt(position: Position): Promise<RecordedEvent | null> {
    const event = await this.stored.eventAt(position);
    return event && this.upcasters.upcast(event);
  }

  async *subscribe(options: SubscribeOptions): AsyncGenerator<SubscriptionMessage> {
    for await (const message of this.stored.subscribe(this.widened(options)))
      yield message.kind === 'events'
        ? { kind: 'events', events: message.events.map((event) => this.upcasters.upcast(event)) }
        : message;
  }

  head(): Promise<LogHead> {
    return this.stored.head();
  }

  close(): Promise<void> {
    return this.stored.close();
  }

  private widened<Options extends { readonly filter?: EventFilter }>(options: Options): Options {
    const { filter } = options;
    if (!filter?.types) return options;
    return { ...options, filter: { ...filter, types: this.upcasters.withOlder(filter.types) } };
  }
}

/** The same with writes, which pass through unchanged. */
export class UpcastingStore extends UpcastingReader implements EventStore {
  constructor(
    private readonly store: EventStore,
    upcasters?: Upcasters,
  ) {
    super(store, upcasters);
  }

  append(stream: string, expected: ExpectedRevision, events: readonly EventToAppend[]): Promise<AppendResult> {
    return this.store.append(stream, expected, events);
  }

  deleteStream(stream: string): Promise<void> {
    return this.store.deleteStream(stream);
  }

  check(options: Parameters<EventStore['check']>[0]): AsyncIterable<LogCheckMessage> {
    return this.store.check(options);
  }

  takesWrites(): Promise<boolean> {
    return this.store.takesWrites();
  }
}
