import type { Upcasters } from '#domain/upcaster.js';
import { upcasters as ofEveryAggregate } from '#domain/upcasters.js';
import type { EventFilter, EventReader, EventStore, ReadAllOptions, RecordedEvent, SubscribeOptions } from './port.js';
import { joined, MappedReader } from './wrappers.js';

/**
 * Reads a log with every event in its newest shape, whichever release stored it. Stored events do not change. A filter
 * by a newest type also finds the older types that become it.
 */
export class UpcastingReader extends MappedReader {
  constructor(
    stored: EventReader,
    private readonly upcasters: Upcasters = ofEveryAggregate,
  ) {
    super(stored);
  }

  override readAll(options: ReadAllOptions = {}) {
    return super.readAll(this.widened(options));
  }

  override subscribe(options: SubscribeOptions) {
    return super.subscribe(this.widened(options));
  }

  protected mapped(event: RecordedEvent): RecordedEvent {
    return this.upcasters.upcast(event);
  }

  private widened<Options extends { readonly filter?: EventFilter }>(options: Options): Options {
    const { filter } = options;
    if (!filter?.types) return options;
    return { ...options, filter: { ...filter, types: this.upcasters.withOlder(filter.types) } };
  }
}

/** The same with writes, which pass through unchanged. */
export const upcastingStore = (store: EventStore, upcasters?: Upcasters): EventStore =>
  Object.assign(joined(new UpcastingReader(store, upcasters), store), store.held && { held: store.held });
