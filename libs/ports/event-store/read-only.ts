import {
  EventStoreUnavailableError,
  type AppendResult,
  type EventReader,
  type EventStore,
  type LogCheckMessage,
  type LogHead,
  type Position,
  type ReadAllOptions,
  type ReadStreamOptions,
  type RecordedEvent,
  type SubscribeOptions,
  type SubscriptionMessage,
} from './port.js';

/** A read-only log, for code that requires a whole store. */
export class ReadOnlyStore implements EventStore {
  constructor(
    private readonly reader: EventReader,
    /** The writes that another process makes instead of this one. */
    readonly append: EventStore['append'] = refused<AppendResult>,
  ) {}

  get positions(): EventReader['positions'] {
    return this.reader.positions;
  }

  readStream(stream: string, options?: ReadStreamOptions): AsyncIterable<RecordedEvent> {
    return this.reader.readStream(stream, options);
  }

  readAll(options?: ReadAllOptions): AsyncIterable<RecordedEvent> {
    return this.reader.readAll(options);
  }

  eventAt(position: Position): Promise<RecordedEvent | null> {
    return this.reader.eventAt(position);
  }

  subscribe(options: SubscribeOptions): AsyncIterable<SubscriptionMessage> {
    return this.reader.subscribe(options);
  }

  head(): Promise<LogHead> {
    return this.reader.head();
  }

  deleteStream(): Promise<void> {
    return refused();
  }

  async *check(): AsyncGenerator<LogCheckMessage> {
    await refused();
  }

  async takesWrites(): Promise<boolean> {
    return false;
  }

  close(): Promise<void> {
    return this.reader.close();
  }
}

const refused = <T>(): Promise<T> => Promise.reject(new EventStoreUnavailableError('this log is read only'));
