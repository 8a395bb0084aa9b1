import { EventEmitter } from 'node:events';
import { openDatabase } from './database.js';
import { Positions } from './positions.js';
import { firstEvents, startEvent, tombstoneEvent } from './system-events.js';
import { Tables, TOMBSTONE, type EventToStore, type StreamState } from './tables.js';

export interface WriteRequest {
  readonly stream: string;
  /** The stream's last revision, -1 for no stream. */
  readonly expected: number;
  /** A tombstone leaves a stream that nothing can ever be read from or written to again. */
  readonly events: readonly EventToStore[] | 'tombstone';
}

export type WriteOutcome =
  | { readonly kind: 'stored'; readonly revision: number; readonly position: number }
  | { readonly kind: 'wrong-version'; readonly current: number }
  | { readonly kind: 'deleted' };

const MAX_STREAMS_CACHED = 50_000;

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

  constructor(directory: string | null) {
    super();
    this.setMaxListeners(0);
    this.tables = new Tables(openDatabase(directory));
    const last = this.tables.placeAtOrBefore(Number.MAX_SAFE_INTEGER);
    this.positions = new Positions(last);
    this.tables.transaction(() => {
      for (const { stream, event } of last === null ? firstEvents() : []) this.store(this.stream(stream), event);
      const { stream, event } = startEvent();
      this.store(this.stream(stream), event);
    });
  }

  /** The place of the next record. */
  get end(): number {
    return this.positions.end;
  }

  /** The place at which the record after `place` starts. */
  placeBehind(place: number): number {
    return this.tables.logPage(place + 1, 'forwards', 1)[0]?.position ?? this.positions.end;
  }

  /** Answers after the commit. Rejects when the commit failed and nothing was stored. */
  write(request: WriteRequest): Promise<WriteOutcome> {
    const answer = Promise.withResolvers<WriteOutcome>();
    this.waiting.push({ request, answer });
    if (this.waiting.length === 1) setImmediate(() => this.commit());
    return answer.promise;
  }

  /** Whether an append of the same events at the same revision has no outcome yet. */
  isCommitting({ stream, expected, events }: WriteRequest): boolean {
    return this.waiting.some(
      ({ request }) => request.stream === stream && request.expected === expected && sameEvents(request.events, events),
    );
  }

  stream(name: string): StreamState {
    const known = this.cached.get(name);
    if (known) return known;
    const found = this.tables.stream(name);
    this.cached.set(name, found);
    return found;
  }

  /** Removes what reads no longer show, as an operator's scavenge does. */
  scavenge(): void {
    this.commit();
    this.tables.transaction(() => this.tables.scavenge());
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
    // Cleared here only: within a commit, each stream must have one state.
    if (this.cached.size >= MAX_STREAMS_CACHED) this.cached.clear();
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

  /** Follows the server's `IndexWriter.CheckCommit`. */
  private carryOut({ stream: name, expected, events }: WriteRequest): WriteOutcome {
    const stream = this.stream(name);
    if (stream.last === TOMBSTONE) return { kind: 'deleted' };
    if (expected === stream.last) return this.append(stream, events);
    if (events !== 'tombstone' && expected < stream.last) {
      const there = events.map((_, index) => this.tables.recordAt(stream.id!, expected + 1 + index));
      if (events.every(({ id }, index) => id === there[index]?.id))
        return { kind: 'stored', revision: expected + events.length, position: there.at(-1)?.position ?? 0 };
    }
    return { kind: 'wrong-version', current: stream.last };
  }

  private append(stream: StreamState, events: WriteRequest['events']): WriteOutcome {
    if (events === 'tombstone')
      return { kind: 'stored', revision: TOMBSTONE, position: this.store(stream, tombstoneEvent(), TOMBSTONE) };
    let position = 0;
    for (const event of events) position = this.store(stream, event);
    return { kind: 'stored', revision: stream.last, position };
  }

  private store(stream: StreamState, event: EventToStore, revision = stream.last + 1): number {
    const position = this.positions.take(stream.name, event);
    stream.last = revision;
    this.tables.saveStream(stream);
    this.tables.insert(position, stream.id!, revision, Date.now(), event);
    return position;
  }
}

const sameEvents = (some: WriteRequest['events'], others: WriteRequest['events']): boolean =>
  some !== 'tombstone' &&
  others !== 'tombstone' &&
  some.length === others.length &&
  some.every(({ id }, index) => id === others[index]!.id);
