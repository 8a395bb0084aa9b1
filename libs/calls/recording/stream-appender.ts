import { LogUnavailableError, UnavailableError } from '#domain/errors.js';
import {
  expectedAfter,
  WrongExpectedRevisionError,
  type EventStore,
  type EventToAppend,
  type RecordedEvent,
} from '#ports/event-store/port.js';
import { appendDefinitely } from '#log/execute.js';

/** Maximum size of one append (EventStoreDB takes 1 MiB, envelope included). */
const MAX_GROUP_BYTES = 512 * 1024;
const MAX_GROUP = 512;
const PROBE_AFTER_MS = 1_000;

interface Waiting extends Appending {
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** Events to append adjacently, all or none. */
interface Appending {
  readonly events: readonly EventToAppend[];
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
  private waiting: Waiting[] = [];
  private busy = false;
  private failedAt: number | null = null;

  constructor(
    private readonly store: EventStore,
    private readonly stream: string,
  ) {}

  get idle(): boolean {
    return !this.busy && this.waiting.length === 0;
  }

  /** True for a second after a failed append; then a call is let through as a probe. */
  get failing(): boolean {
    return this.failedAt !== null && performance.now() - this.failedAt < PROBE_AFTER_MS;
  }

  /**
   * @throws UnavailableError when the log gives no definite answer in time
   * @throws SupersededError if another event was stored in their place
   */
  append(appending: Appending): Promise<void> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ ...appending, resolve, reject });
      // Deferred to the end of the turn, so that calls answered together are stored together.
      if (!this.busy) {
        this.busy = true;
        queueMicrotask(() => void this.drain());
      }
    });
  }

  private async drain(): Promise<void> {
    while (this.waiting.length > 0) {
      const group = this.takeGroup();
      try {
        await this.appendGroup(group);
        this.failedAt = null;
        for (const { resolve } of group) resolve();
      } catch (error) {
        this.failedAt = performance.now();
        const reason = new LogUnavailableError('the event log accepts no writes now; try again', { cause: error });
        // Appends that arrived since have already waited for this answer, and would wait as long again.
        const refused = error instanceof UnavailableError ? [...group, ...this.waiting.splice(0)] : group;
        for (const { reject } of refused) reject(reason);
      }
    }
    this.busy = false;
  }

  private async appendGroup(group: readonly Waiting[]): Promise<void> {
    try {
      await this.appendAll(group);
    } catch (error) {
      if (!(error instanceof WrongExpectedRevisionError)) throw error;
      // An earlier group may have been stored although it was given up, or another process may have closed this one's
      // calls, taking it for dead.
      await this.appendAll(await this.notStored(group));
    }
  }

  private async appendAll(group: readonly Waiting[]): Promise<void> {
    const events = group.flatMap((each) => each.events);
    if (events.length === 0) return;
    this.revision = (await appendDefinitely(this.store, this.stream, expectedAfter(this.revision), events)).revision;
  }

  /** Reads the stream's new events, and keeps the part of the group that is not among them. */
  private async notStored(group: readonly Waiting[]): Promise<readonly Waiting[]> {
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

  private takeGroup(): Waiting[] {
    let bytes = 0;
    let count = 0;
    for (const { bytes: size } of this.waiting) {
      if (count > 0 && (count === MAX_GROUP || bytes + size > MAX_GROUP_BYTES)) break;
      bytes += size;
      count += 1;
    }
    return this.waiting.splice(0, count);
  }
}
