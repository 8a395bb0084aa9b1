import type { JsonObject } from '#domain/json.js';
import type { LogSeal } from './seal.js';
import type { StoredEvent } from './stored-event.js';

/**
 * The event store port. A stream is an ordered list of events about one thing; the log is all streams in one order.
 *
 * Promises, proven for every adapter by `contract.ts`:
 * - revisions of a stream count from 0 without gaps; positions in the log only rise, may have gaps, and are never used
 *   again;
 * - the events of one append are stored together or not at all;
 * - an append that is repeated with the same ids at the same expected revision is recognised and changes nothing;
 * - a subscription delivers every matching event after its start, in log order, at least once, then live ones.
 */
export interface EventStore {
  /**
   * @param inPlaceOf ids of held events, which are let go of in the same commit; only for a store with `held`
   * @throws WrongExpectedRevisionError definite: nothing was stored
   * @throws AppendOutcomeUnknownError the events may or may not be stored: repeat the same append
   * @throws EventStoreUnavailableError definite: nothing was stored, the store accepts no writes now
   * @throws EventTooLargeError definite: an event or the whole append is beyond 1 MiB
   */
  append(
    stream: string,
    expected: ExpectedRevision,
    events: readonly EventToAppend[],
    inPlaceOf?: readonly string[],
  ): Promise<AppendResult>;

  /** Absent: this store holds no events beside the log, and what has begun is an event of it. */
  readonly held?: HeldEvents;

  /**
   * Reads one stream in pages, as the caller goes.
   * @throws StreamNotFoundError at the first step, when it never existed or was deleted
   * @throws EventStoreUnavailableError when the store cannot be reached, as all reads do
   * @throws LogDamagedError when stored data fails its checks, as all reads do
   */
  readStream(stream: string, options?: ReadStreamOptions): AsyncIterable<RecordedEvent>;

  /** Reads the log in pages, as the caller goes. Deleted streams' events may still be in it: see `deleteStream`. */
  readAll(options?: ReadAllOptions): AsyncIterable<RecordedEvent>;

  /**
   * The event at a position; null if there is none, as after a deletion.
   * @throws RangeError when the position cannot be one of this log
   */
  eventAt(position: Position): Promise<RecordedEvent | null>;

  /**
   * History from after `after`, then live events, without gap or double within one iteration. Ends when the signal aborts;
   * an unreachable store does not end it, a damaged log does.
   * @throws LogDamagedError
   */
  subscribe(options: SubscribeOptions): AsyncIterable<SubscriptionMessage>;

  /**
   * Removes a stream: it is no longer found, and its positions are never reused. Its name must not be written again
   * (SQLite would count its revisions from 0, EventStoreDB from where they were). Its events may stay in the log until
   * the store reclaims their space (EventStoreDB: at a scavenge), so projections obey the kept event that records the
   * deletion, and do not rely on the events' absence.
   * @throws StreamNotFoundError
   * @throws AppendOutcomeUnknownError it may or may not be deleted: a repeat that does not find it means that it was
   */
  deleteStream(stream: string): Promise<void>;

  /**
   * Reads the whole log and reports each damaged place, continuing after it. Costs a core while it runs.
   * @param pauseShare how much longer than each step to pause after it; default 0
   */
  check(options: { readonly signal: AbortSignal; readonly pauseShare?: number }): AsyncIterable<LogCheckMessage>;

  /**
   * Drops the texts of events, which readers find from now on in a segment of the archive (`archive/`). An event that is not
   * as the segment has it, or is archived already, stays as it is. Absent: this store keeps all texts itself.
   * @param segment its key in the object store, where the caller has stored it
   * @param events of that segment
   * @returns how many events have left their texts
   * @throws AppendOutcomeUnknownError, EventStoreUnavailableError: repeat it
   */
  archive?(segment: string, events: readonly StoredEvent[]): Promise<number>;

  /** Absent: this store is only read. */
  readonly seal?: LogSeal;

  /** Whether an append would be stored now, as far as the store knows; false while it is unreachable. Never throws. */
  takesWrites(): Promise<boolean>;

  /** The log's own id (that of its first event, null while empty) and the position of its last event. */
  head(): Promise<LogHead>;

  /**
   * `dense`: each event's position is about one more than the one before, so that a difference counts events. `sparse`:
   * positions count something else, such as bytes, and can only be compared.
   */
  readonly positions: 'dense' | 'sparse';

  close(): Promise<void>;
}

/** Events beside the log, of what has begun: the event of its end takes their place, so that the log has one instead of two. */
export interface HeldEvents {
  /**
   * Resolves once the events are stored as durably as by an append. A repeat changes nothing.
   * @throws AppendOutcomeUnknownError, EventStoreUnavailableError, EventTooLargeError as `append`
   */
  hold(events: readonly HeldEvent[]): Promise<void>;

  /** All that are held now, in no order. @throws EventStoreUnavailableError, LogDamagedError */
  all(): Promise<readonly HeldEvent[]>;
}

/** `stream`: to which its end is to be appended. */
export type HeldEvent = EventToAppend & Pick<RecordedEvent, 'stream'>;

/** The part without writes: for a projection's thread or another process. */
export type EventReader = Omit<
  EventStore,
  'append' | 'archive' | 'held' | 'seal' | 'deleteStream' | 'check' | 'takesWrites'
>;

/** `no-stream`: the stream must not exist. `exact`: the last event's revision must equal this one. */
export type ExpectedRevision = { readonly kind: 'no-stream' } | { readonly kind: 'exact'; readonly revision: number };
export const NO_STREAM: ExpectedRevision = { kind: 'no-stream' };
export const exactly = (revision: number): ExpectedRevision => ({ kind: 'exact', revision });
/** The expected revision after a stream was read up to `lastRevision`; -1 for none. */
export const expectedAfter = (lastRevision: number): ExpectedRevision =>
  lastRevision < 0 ? NO_STREAM : exactly(lastRevision);

/** A place in the log: a fixed-width decimal string, so that string order is log order. */
export type Position = string;

export interface EventMetadata {
  /** The workspace whose data this is, null for what belongs to none (a team, the log itself). */
  readonly workspaceId: string | null;
  /** The cause: `user:<id>`, `key:<id>`, `runner:<id>` or `system:<role>`. */
  readonly actor: string;
  /** Shared by all events that follow from one request. */
  readonly correlationId: string;
  /** The event or command that led to this one. */
  readonly causationId: string;
  readonly commandId: string;
  /** ISO 8601 UTC with milliseconds. */
  readonly occurredAt: string;
  /** The user of the operating system who ran `npx anneal`. Absent: it was not run. */
  readonly by?: string;
  /** What a person said about the change. Absent: nothing. */
  readonly reason?: string;
  /** The number of a ticket or case elsewhere. Absent: none was named. */
  readonly ticket?: string;
  /** The second person: `user:<id>` or `key:<id>`, who confirmed what the actor had proposed. Absent: nobody had to. */
  readonly confirmedBy?: string;
  /** W3C trace context, if a trace is being recorded. */
  readonly traceparent?: string;
}

export interface EventToAppend {
  /** UUID; derived from stream, command id and index, so that a repeat is recognised. */
  readonly id: string;
  /** Explicit and versioned: `training-job-requested.v1`. */
  readonly type: string;
  readonly data: JsonObject;
  readonly metadata: EventMetadata;
}

export interface RecordedEvent extends EventToAppend {
  readonly stream: string;
  readonly revision: number;
  readonly position: Position;
}

export interface AppendResult {
  /** Revision of the last event appended. */
  readonly revision: number;
  readonly position: Position;
}

export interface ReadStreamOptions {
  readonly direction?: 'forwards' | 'backwards';
  /** First revision to read, inclusive. Default: the first forwards, the last backwards. */
  readonly fromRevision?: number;
  readonly limit?: number;
}

/** Filters by type, by category, or by both. */
export interface EventFilter {
  /** Event types, whole. */
  readonly types?: readonly string[];
  /** Stream categories: the part of a stream's name before the first `-`. */
  readonly categories?: readonly string[];
}

export interface ReadAllOptions {
  readonly direction?: 'forwards' | 'backwards';
  /** Start after (forwards) or before (backwards) this position, exclusive. Default: the very start or end. */
  readonly after?: Position | null;
  readonly filter?: EventFilter;
  readonly limit?: number;
}

export interface SubscribeOptions {
  readonly after: Position | null;
  readonly filter?: EventFilter;
  readonly signal: AbortSignal;
  /** Maximum number of events in one message; default 500. */
  readonly batchSize?: number;
  /**
   * The time of `performance.now` before which live events of a type do not wake the subscription: all that have come by the
   * earliest of these times are given together. More than a batch need not wait. Default: at once.
   */
  readonly notBefore?: (type: string) => number;
  /** Called with the reason each time that the store cannot be read; the next message means that it can again. */
  readonly onTrouble?: (error: Error) => void;
}

export type SubscriptionMessage =
  | { readonly kind: 'events'; readonly events: readonly RecordedEvent[] }
  /**
   * Every matching event up to this position has been delivered. Reading may resume there, although no event has that
   * position.
   */
  | { readonly kind: 'checkpoint'; readonly position: Position }
  /** History up to the log's head at that moment has been delivered. */
  | { readonly kind: 'caught-up' };

export type LogCheckMessage =
  | { readonly kind: 'progress'; readonly done: number; readonly total: number }
  | { readonly kind: 'damage'; readonly position: Position | null; readonly problem: string }
  /** The end. `unchecked`: events whose checksum was cleared, and archived ones. */
  | { readonly kind: 'checked'; readonly events: number; readonly unchecked: number };

export interface LogHead {
  readonly logId: string | null;
  readonly position: Position | null;
}

export class WrongExpectedRevisionError extends Error {
  override readonly name = 'WrongExpectedRevisionError';
  constructor(
    readonly stream: string,
    readonly expected: ExpectedRevision,
    /** -1 when there is no stream. */
    readonly actualRevision: number,
  ) {
    super(
      `stream ${stream} is at revision ${actualRevision}, not ${expected.kind === 'exact' ? expected.revision : 'new'}`,
    );
  }
}

export class AppendOutcomeUnknownError extends Error {
  override readonly name = 'AppendOutcomeUnknownError';
}

export class EventStoreUnavailableError extends Error {
  override readonly name: string = 'EventStoreUnavailableError';
}

/** The server holds another log than before, or an earlier state of it: nothing is read or written until it has the right one again. */
export class LogReplacedError extends EventStoreUnavailableError {
  override readonly name = 'LogReplacedError';
  /**
   * @param sees id of the log that is there; null for none
   * @param lacks position of the last event that this process knows, if the log is the same
   */
  constructor(
    readonly knows: string,
    readonly sees: string | null,
    readonly lacks: Position | null = null,
  ) {
    const same = `an earlier state of the event log (without the event at ${lacks})`;
    const other = lacks !== null ? same : sees === null ? 'no event log' : `another event log (${sees})`;
    super(`the event store holds ${other} in place of the one that this process knows (${knows})`);
  }
}

export const LOG_DAMAGED = 'log_damaged';

/** Stored events differ from the written ones, or cannot be read. Retrying does not help. */
export class LogDamagedError extends EventStoreUnavailableError {
  override readonly name = 'LogDamagedError';
  readonly code = LOG_DAMAGED;
  /** @param position of the event; null if unknown */
  constructor(
    readonly position: Position | null,
    readonly problem: string,
    options?: ErrorOptions,
  ) {
    const place = position === null ? '' : ` at position ${position.replace(/^0+(?=\d)/, '')}`;
    super(
      `the event log is damaged${place}: ${problem}; run npx anneal events check, and restore the log from its backup`,
      options,
    );
  }
}

export class EventTooLargeError extends Error {
  override readonly name = 'EventTooLargeError';
}

export class StreamNotFoundError extends Error {
  override readonly name = 'StreamNotFoundError';
  constructor(readonly stream: string) {
    super(`stream ${stream} does not exist`);
  }
}
