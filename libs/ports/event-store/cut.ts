import { matches } from './matches.js';
import {
  StreamNotFoundError,
  type EventFilter,
  type EventReader,
  type LogHead,
  type Position,
  type ReadAllOptions,
  type ReadStreamOptions,
  type RecordedEvent,
  type SubscribeOptions,
  type SubscriptionMessage,
} from './port.js';

/** A point of a log, as plain data that a thread can be given. */
export interface Cut {
  /** The last position that is seen. */
  readonly upTo: Position;
  /** Types of events after the point that are read as well: those that erase. */
  readonly later: readonly string[];
}

/** Reads a log up to a point in its past, without contents erased since. */
export class CutReader implements EventReader {
  private readonly later: ReadonlySet<string>;
  /** Up to here the log has been searched for later events. */
  private searched: Position;
  private last: Position;

  constructor(
    private readonly stored: EventReader,
    private readonly cut: Cut,
  ) {
    this.later = new Set(cut.later);
    this.searched = this.last = cut.upTo;
  }

  get positions(): EventReader['positions'] {
    return this.stored.positions;
  }

  async *readStream(stream: string, options: ReadStreamOptions = {}): AsyncGenerator<RecordedEvent> {
    const { limit, ...whence } = options;
    let left = limit ?? Infinity;
    let isThere = false;
    for await (const event of this.stored.readStream(stream, whence)) {
      if (!this.sees(event)) continue;
      isThere = true;
      if (left <= 0) return;
      yield event;
      left -= 1;
    }
    // Nothing follows its last revision either.
    if (!isThere && (whence.fromRevision === undefined || !(await this.has(stream))))
      throw new StreamNotFoundError(stream);
  }

  async *readAll(options: ReadAllOptions = {}): AsyncGenerator<RecordedEvent> {
    let left = options.limit ?? Infinity;
    if (left <= 0) return;
    const read = options.direction === 'backwards' ? this.backwards(options) : this.forwards(options);
    for await (const event of read) {
      yield event;
      if ((left -= 1) <= 0) return;
    }
  }

  async eventAt(position: Position): Promise<RecordedEvent | null> {
    const event = await this.stored.eventAt(position);
    return event && this.sees(event) ? event : null;
  }

  async *subscribe(options: SubscribeOptions): AsyncGenerator<SubscriptionMessage> {
    const { after, signal, filter } = options;
    const { upTo } = this.cut;
    if (after === null || after < upTo) {
      yield* this.history(options);
      if (signal.aborted) return;
      yield { kind: 'checkpoint', position: upTo };
    }
    const later = this.laterOf(filter);
    if (later === null) {
      yield { kind: 'caught-up' };
      if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
      return;
    }
    // Places between these events do not matter, because readers see no other events there.
    for await (const message of this.stored.subscribe({ ...options, after: this.behind(after), filter: later }))
      if (message.kind !== 'checkpoint') yield message;
  }

  async head(): Promise<LogHead> {
    const { logId, position } = await this.stored.head();
    for await (const event of this.since(this.searched, {})) this.last = this.searched = event.position;
    if (position !== null && position > this.searched) this.searched = position;
    return { logId, position: this.last };
  }

  close(): Promise<void> {
    return this.stored.close();
  }

  private sees({ position, type }: RecordedEvent): boolean {
    return position <= this.cut.upTo || this.later.has(type);
  }

  private async has(stream: string): Promise<boolean> {
    for await (const event of this.stored.readStream(stream)) if (this.sees(event)) return true;
    return false;
  }

  private async *forwards({ after = null, filter }: ReadAllOptions): AsyncGenerator<RecordedEvent> {
    if (after === null || after < this.cut.upTo)
      for await (const event of this.stored.readAll({ after, ...(filter && { filter }) })) {
        if (event.position > this.cut.upTo) break;
        yield event;
      }
    yield* this.since(after, filter);
  }

  private async *backwards({ after = null, filter }: ReadAllOptions): AsyncGenerator<RecordedEvent> {
    const { upTo } = this.cut;
    if (after === null || after > upTo) {
      const later = await Array.fromAsync(this.since(null, filter));
      yield* later.filter(({ position }) => after === null || position < after).toReversed();
      const last = await this.stored.eventAt(upTo);
      if (last && matches(filter, last)) yield last;
    }
    const before = after === null || after > upTo ? upTo : after;
    yield* this.stored.readAll({ direction: 'backwards', after: before, ...(filter && { filter }) });
  }

  /** Later events, and none at or before `after`. */
  private async *since(after: Position | null, filter: EventFilter | undefined): AsyncGenerator<RecordedEvent> {
    const later = this.laterOf(filter);
    if (later !== null) yield* this.stored.readAll({ after: this.behind(after), filter: later });
  }

  /** Messages up to the point; the last one is not marked as such. */
  private async *history(options: SubscribeOptions): AsyncGenerator<SubscriptionMessage> {
    const { upTo } = this.cut;
    for await (const message of this.stored.subscribe(options)) {
      if (message.kind === 'caught-up' || (message.kind === 'checkpoint' && message.position >= upTo)) return;
      if (message.kind === 'checkpoint') yield message;
      else {
        const events = message.events.filter(({ position }) => position <= upTo);
        if (events.length > 0) yield { kind: 'events', events };
        if (events.length < message.events.length) return;
      }
    }
  }

  private behind(after: Position | null): Position {
    return after === null || after < this.cut.upTo ? this.cut.upTo : after;
  }

  /** A filter of the later events among those; null for none. */
  private laterOf(filter: EventFilter = {}): EventFilter | null {
    const types = this.cut.later.filter((type) => filter.types?.includes(type) ?? true);
    return types.length === 0 ? null : { ...filter, types };
  }
}
