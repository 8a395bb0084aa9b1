import {
  expectedAfter,
  WrongExpectedRevisionError,
  type EventStore,
  type EventToAppend,
  type RecordedEvent,
} from '#ports/event-store/port.js';
import { appendDefinitely } from '#log/execute.js';
import { GroupedWrites, type Waiting } from './grouped-writes.js';

/** Events to append adjacently, all or none. */
interface Appending {
  readonly events: readonly EventToAppend[];
  /** The held event whose place they take. */
  readonly inPlaceOf?: string;
  /** About how large they are. */
  readonly bytes: number;
  /** An event of another process that makes these obsolete; they are not appended after it. */
  readonly supersededBy?: (event: RecordedEvent) => boolean;
}

/** Another writer has already appended a different end in place of these events. */
export class SupersededError extends Error {
  override readonly name = 'SupersededError';
}

/**
 * Appends to one stream, of which this process is the only writer while it lives. One append is in flight at a time;
 * later ones are grouped into the next.
 */
export class StreamAppender {
  private revision = -1;
  private readonly writes = new GroupedWrites<Appending>((group) => this.appendGroup(group));

  constructor(
    private readonly store: EventStore,
    private readonly stream: string,
  ) {}

  get idle(): boolean {
    return this.writes.idle;
  }

  /** True for a second after a failed append; then a call is let through as a probe. */
  get failing(): boolean {
    return this.writes.failing;
  }

  /**
   * @throws UnavailableError when the log gives no definite answer in time
   * @throws SupersededError if another event was stored in their place
   */
  append(appending: Appending): Promise<void> {
    return this.writes.add(appending);
  }

  private async appendGroup(group: readonly Waiting<Appending>[]): Promise<void> {
    try {
      await this.appendAll(group);
    } catch (error) {
      if (!(error instanceof WrongExpectedRevisionError)) throw error;
      // An earlier group may have been stored although it was given up, or another process may have closed this one's
      // calls, taking it for dead.
      await this.appendAll(await this.notStored(group));
    }
  }

  private async appendAll(group: readonly Waiting<Appending>[]): Promise<void> {
    const events = group.flatMap((each) => each.events);
    if (events.length === 0) return;
    const expected = expectedAfter(this.revision);
    const inPlaceOf = group.flatMap(({ inPlaceOf: held }) => held ?? []);
    this.revision = (await appendDefinitely(this.store, this.stream, expected, events, inPlaceOf)).revision;
  }

  /** Reads the stream's new events, and keeps the part of the group that is not among them. */
  private async notStored(group: readonly Waiting<Appending>[]): Promise<readonly Waiting<Appending>[]> {
    const come: RecordedEvent[] = [];
    for await (const event of this.store.readStream(this.stream, { fromRevision: this.revision + 1 })) {
      come.push(event);
      this.revision = event.revision;
    }
    const stored = new Set(come.map(({ id }) => id));
    return group.filter(({ events: [first], supersededBy, reject }) => {
      if (stored.has(first!.id)) return false;
      const isSuperseded = supersededBy !== undefined && come.some(supersededBy);
      if (isSuperseded) reject(new SupersededError(`${first!.type} is superseded`));
      return !isSuperseded;
    });
  }
}
