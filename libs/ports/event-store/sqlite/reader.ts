import {
  LogDamagedError,
  StreamNotFoundError,
  type EventReader,
  type LogCheckMessage,
  type LogHead,
  type Position,
  type ReadAllOptions,
  type ReadStreamOptions,
  type RecordedEvent,
  type SubscribeOptions,
  type SubscriptionMessage,
} from '../port.js';
import type { ObjectStoreAddress } from '#ports/object-store/open.js';
import { ArchiveReader } from '../archive/index.js';
import { checkLog } from './check.js';
import { LogPages } from './pages.js';
import { paged } from './paging.js';
import { fromPosition, toPosition } from './position.js';
import { follow } from './subscription.js';

/**
 * Reads the log of a data folder over a connection of its own, in any thread, and in other processes than the one that
 * writes. Reading is synchronous inside, a page at a time.
 * @throws LogNotFoundError when there is no log yet
 * @throws LogUnusableError when it is not a log, not readable, or of another release; LogDamagedError when the part
 * that every opening reads is damaged
 */
export const openSqliteEventReader = ({ directory, archive }: SqliteLog): SqliteEventReader =>
  new SqliteEventReader(directory, archive);

interface SqliteLog {
  readonly directory: string;
  /** The object store that has archived events; absent: there are none. */
  readonly archive?: ObjectStoreAddress | undefined;
}

export class SqliteEventReader implements EventReader {
  readonly positions = 'dense';
  protected readonly pages: LogPages;
  private readonly archived: ArchiveReader;
  private readonly closing = new AbortController();

  /** Use `openSqliteEventReader`. */
  constructor(
    private readonly directory: string,
    archive?: ObjectStoreAddress,
    onDamage?: (error: LogDamagedError) => void,
  ) {
    this.archived = new ArchiveReader(archive);
    this.pages = new LogPages(directory, onDamage, this.archived);
  }

  async *readStream(name: string, options: ReadStreamOptions = {}): AsyncGenerator<RecordedEvent> {
    const { direction = 'forwards', fromRevision, limit } = options;
    const stream = this.pages.stream(name);
    if (stream === null) throw new StreamNotFoundError(name);
    const from = fromRevision ?? (direction === 'forwards' ? 0 : Number.MAX_SAFE_INTEGER);
    const read = (at: number, size: number) => this.pages.complete(this.pages.streamPage(stream, direction, at, size));
    yield* paged(read, from, limit);
  }

  async *readAll(options: ReadAllOptions = {}): AsyncGenerator<RecordedEvent> {
    const { direction = 'forwards', after = null, filter, limit } = options;
    const end = direction === 'forwards' ? 0 : Number.MAX_SAFE_INTEGER;
    const from = after === null ? end : fromPosition(after);
    const read = (at: number, size: number) => this.pages.complete(this.pages.logPage(direction, at, filter, size));
    yield* paged(read, from, limit);
  }

  async eventAt(position: Position): Promise<RecordedEvent | null> {
    // Positions are whole numbers: the page begins after the one before.
    const page = await this.pages.complete(this.pages.logPage('forwards', fromPosition(position) - 1, undefined, 1));
    return page.events.find((event) => event.position === position) ?? null;
  }

  subscribe(options: SubscribeOptions): AsyncGenerator<SubscriptionMessage> {
    const signal = AbortSignal.any([options.signal, this.closing.signal]);
    return follow(this.pages, { ...options, signal });
  }

  async *check(options: {
    readonly signal: AbortSignal;
    readonly pauseShare?: number;
  }): AsyncGenerator<LogCheckMessage> {
    const signal = AbortSignal.any([options.signal, this.closing.signal]);
    for await (const message of checkLog(this.directory, { ...options, signal })) {
      if (message.kind === 'damage') this.pages.meet(new LogDamagedError(message.position, message.problem));
      yield message;
    }
  }

  async head(): Promise<LogHead> {
    return { logId: this.pages.logId, position: toPosition(this.pages.head()) };
  }

  /** Ends subscriptions; pending reads fail. */
  async close(): Promise<void> {
    this.closing.abort();
    this.pages.close();
    await this.archived.close();
  }
}
