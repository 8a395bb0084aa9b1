import type {
  EventReader,
  EventStore,
  LogHead,
  Position,
  ReadAllOptions,
  ReadStreamOptions,
  RecordedEvent,
  SubscribeOptions,
  SubscriptionMessage,
} from './port.js';

/** Reads a log, each event through a function. */
export abstract class MappedReader implements EventReader {
  constructor(private readonly stored: EventReader) {}

  protected abstract mapped(event: RecordedEvent): RecordedEvent | Promise<RecordedEvent>;

  get positions(): EventReader['positions'] {
    return this.stored.positions;
  }

  async *readStream(stream: string, options?: ReadStreamOptions): AsyncGenerator<RecordedEvent> {
    for await (const event of this.stored.readStream(stream, options)) yield this.mapped(event);
  }

  async *readAll(options?: ReadAllOptions): AsyncGenerator<RecordedEvent> {
    for await (const event of this.stored.readAll(options)) yield this.mapped(event);
  }

  async eventAt(position: Position): Promise<RecordedEvent | null> {
    const event = await this.stored.eventAt(position);
    return event && this.mapped(event);
  }

  async *subscribe(options: SubscribeOptions): AsyncGenerator<SubscriptionMessage> {
    for await (const message of this.stored.subscribe(options)) {
      if (message.kind !== 'events') yield message;
      else {
        const events: RecordedEvent[] = [];
        for (const event of message.events) {
          const mapped = this.mapped(event);
          events.push(mapped instanceof Promise ? await mapped : mapped);
        }
        yield { kind: 'events', events };
      }
    }
  }

  head(): Promise<LogHead> {
    return this.stored.head();
  }

  close(): Promise<void> {
    return this.stored.close();
  }
}

/** A log with the reads of one and the writes of another; closing it closes the first. */
export const joined = (
  reads: EventReader,
  writes: Pick<EventStore, 'append' | 'deleteStream' | 'check' | 'takesWrites'>,
): EventStore => ({
  get positions() {
    return reads.positions;
  },
  readStream: (...args) => reads.readStream(...args),
  readAll: (...args) => reads.readAll(...args),
  eventAt: (...args) => reads.eventAt(...args),
  subscribe: (...args) => reads.subscribe(...args),
  head: () => reads.head(),
  append: (...args) => writes.append(...args),
  deleteStream: (...args) => writes.deleteStream(...args),
  check: (...args) => writes.check(...args),
  takesWrites: () => writes.takesWrites(),
  close: () => reads.close(),
});
