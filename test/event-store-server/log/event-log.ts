import { EventEmitter } from 'node:events';
import { checkCommit, type ExpectedVersion } from './check-commit.js';
import { openDatabase, type Durability } from './database.js';
import { Positions } from './positions.js';
import { scavenge } from './scavenge.js';
import {
  applyMetadata,
  isMetadataStream,
  isSoftDeleted,
  metadataStreamOf,
  originalStreamOf,
  SOFT_DELETED_METADATA,
  TOMBSTONE,
  withTruncateBefore,
  type StreamState,
} from './streams.js';
import { firstEvents, metadataEvent, startEvent, tombstoneEvent } from './system-events.js';
import { Tables, type EventToStore } from './tables.js';

export interface AppendRequest {
  readonly kind: 'append';
  readonly stream: string;
  readonly expected: ExpectedVersion;
  readonly events: readonly EventToStore[];
}

export interface DeleteRequest {
  /** `delete` leaves a stream that can be begun again, `tombstone` does not. */
  readonly kind: 'delete' | 'tombstone';
  readonly stream: string;
  readonly expected: ExpectedVersion;
}

export type WriteRequest = AppendRequest | DeleteRequest;

export type WriteOutcome =
  /** Revision -1: an append of no events to no stream. Without a position when nothing was stored. */
  | { readonly kind: 'stored'; readonly revision: number; readonly position: number | null }
  | { readonly kind: 'wrong-version'; readonly current: number }
  | { readonly kind: 'deleted' };

const MOST_STREAMS_CACHED = 50_000;

/**
 * The log in SQLite, or in memory. Writes that come in one turn of the event loop are committed together, each checked on its own.
 * Emits `commit` after every commit that stored something.
 */
export class EventLog extends EventEmitter<{ commit: [] }> {
  readonly tables: Tables;
  private readonly positions: Positions;
  private readonly cached = new Map<string, StreamState>();
  private waiting: { readonly request: WriteRequest; readonly answer: PromiseWithResolvers<WriteOutcome> }[] = [];
  private closed = false;

  constructor(directory: string | null, durability: Durability) {
    super();
    this.setMaxListeners(0);
    this.tables = new Tables(openDatabase(directory, durability));
    const last = this.tables.placeAtOrBefore(Number.MAX_SAFE_INTEGER);
    this.positions = new Positions(last);
    this.tables.transaction(() => {
      for (const { stream, event } of last === null ? firstEvents() : []) this.store(this.stream(stream), event);
      const { stream, event } = startEvent();
      this.store(this.stream(stream), event);
    });
  }

  /** Where the record behind a place begins, or is going to. */
  placeBehind(place: number): number {
    return this.tables.logPage(place + 1, 'forwards', 1)[0]?.position ?? this.positions.end;
  }

  /** Answers after the commit. Rejects when the commit failed: then nothing was stored. */
  write(request: WriteRequest): Promise<WriteOutcome> {
    const answer = Promise.withResolvers<WriteOutcome>();
    this.waiting.push({ request, answer });
    if (this.waiting.length === 1) setImmediate(() => this.commit());
    return answer.promise;
  }

  stream(name: string): StreamState {
    const known = this.cached.get(name);
    if (known) return known;
    const found = this.tables.stream(name);
    this.cached.set(name, found);
    return found;
  }

  /** Whether a stream has a tombstone; its metadata stream then has one too. */
  isTombstoned(name: string): boolean {
    if (this.stream(name).last === TOMBSTONE) return true;
    return isMetadataStream(name) && this.stream(originalStreamOf(name)).last === TOMBSTONE;
  }

  /** Removes what reads no longer show, as an operator's scavenge does. */
  scavenge(): void {
    this.commit();
    this.tables.transaction(() => scavenge(this.tables));
  }

  close(): void {
    if (this.closed) return;
    this.commit();
    this.closed = true;
    this.tables.close();
  }

  private commit(): void {
    const group = this.waiting;
    if (group.length === 0) return;
    this.waiting = [];
    const outcomes: WriteOutcome[] = [];
    const before = this.positions.end;
    // Only here: within a commit there must be one state of each stream.
    if (this.cached.size >= MOST_STREAMS_CACHED) this.cached.clear();
    try {
      if (this.closed) throw new Error('the server is closed');
      this.tables.transaction(() => {
        for (const { request } of group) outcomes.push(this.carryOut(request));
      });
    } catch (error) {
      this.cached.clear();
      for (const { answer } of group) answer.reject(error);
      return;
    }
    for (const [index, { answer }] of group.entries()) answer.resolve(outcomes[index]!);
    if (this.positions.end > before) this.emit('commit');
  }

  private carryOut(request: WriteRequest): WriteOutcome {
    if (this.isTombstoned(request.stream)) return { kind: 'deleted' };
    const stream = this.stream(request.stream);
    const events = request.kind === 'append' ? request.events : [];
    const decision = checkCommit(
      stream,
      request.expected,
      events.map((event) => event.id),
      (revision) => (stream.id === null ? null : this.tables.idAt(stream.id, revision)),
    );
    if (decision.kind === 'idempotent') return { kind: 'stored', revision: decision.last, position: null };
    if (decision.kind !== 'ok') return decision;
    if (request.kind === 'append') return this.append(stream, events);
    return request.kind === 'delete' ? this.delete(stream) : this.tombstone(stream);
  }

  private append(stream: StreamState, events: readonly EventToStore[]): WriteOutcome {
    if (events.length === 0) return { kind: 'stored', revision: stream.last, position: null };
    if (isSoftDeleted(stream)) this.truncate(stream.name, stream.last + 1);
    let position = 0;
    for (const event of events) position = this.store(stream, event);
    if (isMetadataStream(stream.name)) this.metadataWritten(stream, events.at(-1)!);
    return { kind: 'stored', revision: stream.last, position };
  }

  /** As the server does: new metadata bring no deleted event back. */
  private metadataWritten(metadataStream: StreamState, { data }: EventToStore): void {
    const original = this.stream(originalStreamOf(metadataStream.name));
    const wasDeleted = isSoftDeleted(original);
    applyMetadata(original, data);
    this.tables.saveStream(original);
    if (wasDeleted && original.truncateBefore <= original.last) this.truncate(original.name, original.last + 1, data);
  }

  private delete(stream: StreamState): WriteOutcome {
    const position = this.writeMetadata(stream, SOFT_DELETED_METADATA);
    return { kind: 'stored', revision: stream.last, position };
  }

  private tombstone(stream: StreamState): WriteOutcome {
    const position = this.store(stream, tombstoneEvent(), TOMBSTONE);
    return { kind: 'stored', revision: TOMBSTONE, position };
  }

  private truncate(name: string, before: number, metadata = this.metadataOf(name)): void {
    this.writeMetadata(this.stream(name), withTruncateBefore(metadata, before));
  }

  private metadataOf(name: string): Uint8Array | null {
    const { id, last } = this.stream(metadataStreamOf(name));
    return id === null ? null : (this.tables.streamPage(id, last, last, 'forwards', 1)[0]?.data ?? null);
  }

  private writeMetadata(stream: StreamState, content: Uint8Array): number {
    const position = this.store(this.stream(metadataStreamOf(stream.name)), metadataEvent(content));
    applyMetadata(stream, content);
    this.tables.saveStream(stream);
    return position;
  }

  private store(stream: StreamState, event: EventToStore, revision = stream.last + 1): number {
    const position = this.positions.take(stream.name, event);
    stream.last = revision;
    this.tables.saveStream(stream);
    this.tables.insert(position, stream.id!, revision, Date.now(), event);
    return position;
  }
}
