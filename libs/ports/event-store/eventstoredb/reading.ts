import {
  BACKWARDS,
  END,
  FORWARDS,
  START,
  type AllStreamResolvedEvent,
  type ResolvedEvent,
  type StreamingRead,
} from '@eventstore/db-client';
import type { Readable } from 'node:stream';
import { matches } from '../matches.js';
import {
  EventStoreUnavailableError,
  type EventFilter,
  type Position,
  type ReadStreamOptions,
  type RecordedEvent,
} from '../port.js';
import type { LogClient } from './client.js';
import { isWorthRepeating, readError } from './errors.js';
import { toRecorded } from './events.js';
import { ForeignEventError, type OwnEvents } from './own-events.js';
import { Inflow } from './inflow.js';
import { fromPosition, toPosition } from './position.js';

type Admission = Pick<OwnEvents, 'require' | 'refresh' | 'requireWhole'>;

/** A client and the longest wait for its server. */
export interface ServerStream {
  readonly client: LogClient;
  readonly deadlineMs: number;
  /** Aborts when the store is closed. */
  readonly closing: AbortSignal;
  /** What may be read. `own` is null: everything. */
  readonly admission: { own: Admission | null };
}

type Direction = 'forwards' | 'backwards';

/** A record of the log: `event` is null for events of other applications. */
interface LogRecord {
  readonly position: Position;
  readonly event: RecordedEvent | null;
}

/** Times a read is redirected to the leader. */
const REPEATS = 3;
const FIRST_PAGE = 32;
const MAX_PAGE = 1024;

/** Reads the events of a stream from the leader node. */
export async function* readOneStream(
  source: ServerStream,
  stream: string,
  { direction = 'forwards', fromRevision, limit = Number.MAX_SAFE_INTEGER }: ReadStreamOptions,
): AsyncGenerator<RecordedEvent> {
  const from = fromRevision === undefined ? (direction === 'forwards' ? START : END) : BigInt(fromRevision);
  // At least one record, so that a missing stream is noticed.
  const maxCount = Math.max(1, limit);
  const read = () =>
    source.client.readStream(stream, {
      direction: direction === 'forwards' ? FORWARDS : BACKWARDS,
      fromRevision: from,
      maxCount,
      requiresLeader: true,
    });
  try {
    for await (const { event } of atLeader(() => drawn<ResolvedEvent>(read(), source, maxCount))) {
      const recorded = await received(source, event);
      if (recorded && limit > 0) yield recorded;
    }
  } catch (error) {
    throw readError(error, stream);
  }
}

/**
 * Records after (forwards) or before (backwards) a position, exclusive, in pages that start small. Reads from the
 * leader: on a node that lags, a checkpoint would be past the end of the log and look like another log's.
 */
export async function* readRecords(
  source: ServerStream,
  direction: Direction,
  after: Position | null,
  firstPage = FIRST_PAGE,
): AsyncGenerator<LogRecord> {
  const forwards = direction === 'forwards';
  let last = after;
  for (let size = firstPage; ; size = Math.min(size * 4, MAX_PAGE)) {
    const fromPlace = last === null ? (forwards ? START : END) : fromPosition(last);
    // Forwards, the one at the position itself comes again.
    const maxCount = size + 1;
    const page = () =>
      source.client.readAll({
        direction: forwards ? FORWARDS : BACKWARDS,
        fromPosition: fromPlace,
        maxCount,
        requiresLeader: true,
      });
    let count = 0;
    for await (const { event } of atLeader(() => drawn<AllStreamResolvedEvent>(page(), source, maxCount))) {
      count += 1;
      if (!event) continue;
      const position = toPosition(event.position);
      if (last !== null && (forwards ? position <= last : position >= last)) continue;
      last = position;
      yield { position, event: await received(source, event) };
    }
    if (count <= size) return;
  }
}

/** The last event of a log, also one of others: it says where the end is. */
export async function lastEvent(source: ServerStream): Promise<RecordedEvent | null> {
  const whole = { ...source, admission: { own: null } };
  for await (const { event } of readRecords(whole, 'backwards', null, 1)) if (event) return event;
  return null;
}

/** @throws ForeignEventError unless an operator has accepted it by now */
async function received(
  { admission: { own } }: ServerStream,
  event: Parameters<typeof toRecorded>[0],
): Promise<RecordedEvent | null> {
  try {
    return toRecorded(event, own);
  } catch (error) {
    if (!(error instanceof ForeignEventError)) throw error;
    await own?.refresh();
    return toRecorded(event, own);
  }
}

/** The server's record at a position. */
export async function recordAt(source: ServerStream, position: Position): Promise<RecordedEvent | null> {
  const from = { fromPosition: fromPosition(position), maxCount: 1, requiresLeader: true };
  const page = () => source.client.readAll(from);
  for await (const { event } of atLeader(() => drawn<AllStreamResolvedEvent>(page(), source, from.maxCount))) {
    const recorded = await received(source, event);
    return recorded?.position === position ? recorded : null;
  }
  return null;
}

/**
 * The events after a place that need no delivery, up to the first that does, the end, or a maximum number of records.
 */
interface Passed {
  /** The last record passed; null when there was none. */
  readonly position: Position | null;
  /** The last own event among them. */
  readonly event: Position | null;
  /** Whether an event that must be delivered comes next. */
  readonly matched: boolean;
}

export async function passUnmatched(
  source: ServerStream,
  after: Position | null,
  filter: EventFilter | undefined,
  limit: number,
): Promise<Passed> {
  let position: Position | null = null;
  let event: Position | null = null;
  let left = limit;
  for await (const record of readRecords(source, 'forwards', after)) {
    if (record.event && matches(filter, record.event)) return { position, event, matched: true };
    position = record.position;
    if (record.event) event = position;
    if (--left === 0) break;
  }
  return { position, event, matched: false };
}

/** Follows redirects to the leader, and reconnects after a broken connection, as long as nothing was received. */
async function* atLeader<Item>(read: () => AsyncIterable<Item>): AsyncGenerator<Item> {
  for (let left = REPEATS; ; left -= 1) {
    let begun = false;
    try {
      for await (const item of read()) {
        begun = true;
        yield item;
      }
      return;
    } catch (error) {
      if (begun || left === 0 || !isWorthRepeating(error)) throw error;
    }
  }
}

/** The items of a call, at most so many. @throws EventStoreUnavailableError when the server is silent for too long */
async function* drawn<Item extends ResolvedEvent | AllStreamResolvedEvent>(
  stream: StreamingRead<Item>,
  { deadlineMs, closing }: ServerStream,
  maxCount: number,
): AsyncGenerator<Item> {
  using inflow = new Inflow<Item>(stream as unknown as Readable, () => stream.cancel(), maxCount <= FIRST_PAGE + 1);
  for (;;) {
    const item = inflow.read();
    if (item !== null) yield item;
    else if (inflow.ended()) return;
    else if (!(await inflow.wait(deadlineMs, closing))) {
      const reason = closing.aborted ? 'it is closed' : `no answer in ${deadlineMs} ms`;
      throw new EventStoreUnavailableError(`the event log cannot be read now: ${reason}`);
    }
  }
}
