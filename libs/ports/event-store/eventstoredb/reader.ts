import { setTimeout as sleep } from 'node:timers/promises';
import { matches } from '../matches.js';
import {
  LogReplacedError,
  type EventFilter,
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
} from '../port.js';
import type { SealState } from '../seal.js';
import { parseAddress, type ServerAddress } from './address.js';
import { LogClient } from './client.js';
import { isAppendRefusal, readError } from './errors.js';
import { readLogId } from './log-id.js';
import { SubscriptionPlace } from './place.js';
import { fromPosition } from './position.js';
import { lastEvent, readOneStream, readRecords, recordAt, type ServerStream } from './reading.js';
import { EventStoreDbSeal, ownEvents } from './seal.js';
import { follow, followOnce } from './subscription.js';

export interface EventStoreDbReaderOptions {
  /** `esdb://...`, as EventStoreDB's clients take it. */
  readonly address: string;
  /** Longest wait for the server within a read; default 5 s. */
  readonly readDeadlineMs?: number;
  /** Keys of the seal: events without a MAC of them are not read. Absent: everything is read. */
  readonly sealKeys?: readonly Uint8Array[] | undefined;
}

const READ_DEADLINE_MS = 5_000;
/** Records of a filtered read that are filtered here before the server is asked to filter. */
const LOOKED_AT_HERE = 1024;
const WHOLE_PAGE = 512;
const CHECKED_AT_ONCE = 1_000;

type CheckOptions = Parameters<EventStore['check']>[0];

/**
 * Opens the log of an EventStoreDB server or cluster for reading. Connects on the first call.
 * @throws RangeError when the address is invalid
 */
export const openEventStoreDbReader = (options: EventStoreDbReaderOptions): EventStoreDbReader =>
  new EventStoreDbReader(options);

export class EventStoreDbReader implements EventReader {
  readonly positions = 'sparse';
  protected readonly client: LogClient;
  protected readonly address: ServerAddress;
  protected logId: string | null = null;
  /** The last event that was read or written. */
  private newest: Pick<RecordedEvent, 'position' | 'id'> | null = null;
  private readonly closing = new AbortController();
  protected readonly source: ServerStream;

  /** Use `openEventStoreDbReader`. */
  constructor({ address, readDeadlineMs = READ_DEADLINE_MS, sealKeys }: EventStoreDbReaderOptions) {
    this.address = parseAddress(address);
    this.client = new LogClient(this.address, () => this.requireSameLog());
    const [closing, admission] = [this.closing.signal, { own: null }];
    this.source = { client: this.client, deadlineMs: readDeadlineMs, closing, admission };
    if (sealKeys) this.source.admission.own = ownEvents(this.source, sealKeys);
  }

  readStream(stream: string, options: ReadStreamOptions = {}): AsyncGenerator<RecordedEvent> {
    return readOneStream(this.source, stream, options);
  }

  async *readAll(options: ReadAllOptions = {}): AsyncGenerator<RecordedEvent> {
    let left = options.limit ?? Infinity;
    if (left <= 0) return;
    try {
      for await (const event of this.matching(options)) {
        yield event;
        if ((left -= 1) <= 0) return;
      }
    } catch (error) {
      throw readError(error);
    }
  }

  async eventAt(position: Position): Promise<RecordedEvent | null> {
    try {
      return await recordAt(this.source, position);
    } catch (error) {
      if (isAppendRefusal(error)) throw new RangeError(`no event of this log can be at ${position}`, { cause: error });
      throw readError(error);
    }
  }

  async *subscribe(options: SubscribeOptions): AsyncGenerator<SubscriptionMessage> {
    if (options.after !== null) fromPosition(options.after);
    const signal = AbortSignal.any([options.signal, this.closing.signal]);
    for await (const message of follow({ ...this.source, closing: signal }, { ...options, signal })) {
      if (message.kind === 'events') this.saw(message.events.at(-1));
      yield message;
    }
  }

  async head(): Promise<LogHead> {
    this.logId ??= await readLogId(this);
    try {
      const last = await lastEvent(this.source);
      this.saw(last);
      return { logId: this.logId, position: last?.position ?? null };
    } catch (error) {
      throw readError(error);
    }
  }

  /**
   * The server keeps its own checksums, so events have none here. A check reads every event and makes sure that no
   * stream has a gap.
   */
  async *check({ signal, pauseShare = 0 }: CheckOptions): AsyncGenerator<LogCheckMessage> {
    const revisions = new Map<string, number>();
    let [events, since] = [0, performance.now()];
    for await (const { stream, revision, position } of this.readAll()) {
      if (signal.aborted) return;
      const expected = (revisions.get(stream) ?? revision - 1) + 1;
      if (revision !== expected)
        yield { kind: 'damage', position, problem: 'an event before it in its stream is missing' };
      revisions.set(stream, revision);
      events += 1;
      if (events % CHECKED_AT_ONCE > 0) continue;
      yield { kind: 'progress', done: events, total: events };
      await sleep((performance.now() - since) * pauseShare, undefined, { signal }).catch(() => undefined);
      since = performance.now();
    }
    yield { kind: 'checked', events, unchecked: 0 };
  }

  /** How the end of the log compares with its seal. */
  inspectSeal(keys: readonly Uint8Array[]): Promise<SealState> {
    return new EventStoreDbSeal(this.source, () => undefined).inspect(keys);
  }

  protected saw(event: Pick<RecordedEvent, 'position' | 'id'> | null | undefined): void {
    if (event && event.position > (this.newest?.position ?? ''))
      this.newest = { position: event.position, id: event.id };
  }

  /**
   * A server that was away may come back with another log, none, or an older backup: it is looked at by a connection of
   * its own.
   * @throws LogReplacedError
   */
  private async requireSameLog(): Promise<void> {
    if (this.logId === null) return;
    const client = new LogClient(this.address);
    try {
      const source = { ...this.source, client };
      const sees = await readLogId({ readStream: (stream, options = {}) => readOneStream(source, stream, options) });
      if (sees !== this.logId) throw new LogReplacedError(this.logId, sees);
      if (this.newest && !(await holds(source, this.newest)))
        throw new LogReplacedError(this.logId, sees, this.newest.position);
    } finally {
      client.close();
    }
  }

  /** Ends subscriptions; pending reads fail. */
  async close(): Promise<void> {
    this.closing.abort();
    this.client.close();
  }

  private async *matching(options: ReadAllOptions): AsyncGenerator<RecordedEvent> {
    const { direction = 'forwards', filter, limit } = options;
    let after = options.after ?? null;
    let left = direction === 'forwards' && isSelective(filter) ? LOOKED_AT_HERE : Infinity;
    const page = isSelective(filter) ? LOOKED_AT_HERE / 8 : Math.min(limit ?? WHOLE_PAGE, WHOLE_PAGE);
    for await (const { position, event } of readRecords(this.source, direction, after, page)) {
      if (event && matches(filter, event)) yield event;
      after = position;
      if ((left -= 1) <= 0) break;
    }
    if (left > 0) return;
    // The client's reads of the log know no filter; subscriptions do, and are caught up at the end of the log.
    const { closing: signal } = this.source;
    for await (const message of followOnce(this.source, new SubscriptionPlace(after), {
      ...(filter && { filter }),
      signal,
    })) {
      if (message.kind === 'caught-up') return;
      if (message.kind === 'events') yield* message.events;
    }
    throw new Error('the server ended the read');
  }
}

/** Whether the log has the event, or had: an erased one is gone. */
async function holds(source: ServerStream, { position, id }: Pick<RecordedEvent, 'position' | 'id'>): Promise<boolean> {
  const head = await lastEvent(source);
  if (head === null || head.position < position) return false;
  try {
    const there = await recordAt(source, position);
    return there === null || there.id === id;
  } catch (error) {
    if (isAppendRefusal(error)) return false;
    throw error;
  }
}

const isSelective = (filter: EventFilter = {}): boolean => Boolean(filter.types ?? filter.categories);
