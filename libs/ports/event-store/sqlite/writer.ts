import type { DatabaseSync } from 'node:sqlite';
import { v7 as uuid7 } from 'uuid';
import { categoryOf } from '#domain/streams.js';
import { logCreated, type NewLog } from '../log-created.js';
import { wrongSeal } from '../seal.js';
import { checksumOf, packedChecksumOf } from './checksum.js';
import { uuidBytes } from '#primitives/packing/index.js';
import { HELD_AT } from './held.js';
import { inspectSeal } from './sealed-rows.js';
import { Sealer } from './sealer.js';
import { LOG_ID, LogTables } from './tables.js';
import {
  FIELDS_PER_EVENT,
  PACKED,
  type ArchivedTexts,
  type FlatEvents,
  type Write,
  type WriteOutcome,
} from './writes.js';

/** Heads of streams kept in memory, so that checking an expectation costs no query. */
const MAX_HEADS = 20_000;
/** Events of deleted streams cleared away in one transaction. */
const CLEARED_AT_ONCE = 500;
const SQLITE_FULL = 13;
const REPEATABLE: ReadonlySet<WriteOutcome['kind']> = new Set([
  'probed',
  'archived',
  'learned',
  'inspected',
  'sealed',
  'checked',
]);

interface StreamHead {
  readonly id: number;
  revision: number;
}

/**
 * The one writer of the log, synchronous, in the store thread. Writes that wait together are checked one by one and
 * committed together: one that is refused changes nothing and harms no other.
 */
export class LogWriter {
  private tables: LogTables | null = null;
  private readonly heads = new Map<string, StreamHead>();
  private readonly kinds = new Map<string, number>();
  private nextPosition = 1;
  /** Absent until the log is sealed from here on. */
  private sealer: Sealer | null = null;
  /** The version of the file at which its end was this installation's. */
  private version: number | null = null;
  /** The version at which it was not, and what was wrong. */
  private foreign: { readonly version: number; readonly outcome: WriteOutcome } | null = null;

  /**
   * @param open opens the database; called again after a failed commit
   * @param creating called before a log is created, returns its first event's data; throws if none may be created
   */
  constructor(
    private readonly open: () => DatabaseSync,
    private readonly creating: () => NewLog = () => ({}),
  ) {
    this.connect();
  }

  get logId(): string {
    return this.connected().meta(LOG_ID) as string;
  }

  /** Executes the writes in order and in one commit, and returns the outcome of each. */
  write(writes: readonly Write[]): readonly WriteOutcome[] {
    let outcomes: WriteOutcome[];
    try {
      if (!this.tables) this.connect();
      this.connected().begin();
      const foreign = this.foreignEnd();
      if (foreign !== null) {
        this.undo();
        return writes.map(() => foreign);
      }
      outcomes = writes.map((write) => this.carryOut(write));
      this.sealer?.store(this.connected());
    } catch (error) {
      // No commit was attempted, so nothing is stored.
      this.undo();
      return writes.map(() => ({ kind: 'unavailable', reason: messageOf(error) }));
    }
    try {
      this.connected().commit();
      return outcomes;
    } catch (error) {
      return this.findOut(writes, outcomes, error);
    }
  }

  /**
   * Removes some events of streams that this installation has deleted: a mark in the file alone is not enough.
   * @returns whether more may be left
   */
  clearSome(): boolean {
    try {
      const tables = this.connected();
      const stream = this.sealer ? this.sealer.toClear : tables.removed();
      if (stream === null) return false;
      tables.begin();
      if (this.foreignEnd() !== null) throw new Error('the end of the log is not its own');
      if (!tables.clearRemoved(stream, CLEARED_AT_ONCE)) this.sealer?.cleared(stream);
      this.sealer?.store(tables);
      tables.commit();
      return true;
    } catch {
      this.undo();
      return false;
    }
  }

  close(): void {
    this.tables?.close();
    this.tables = null;
  }

  private carryOut(write: Write): WriteOutcome {
    if (write.kind === 'append') return this.append(write);
    if (write.kind === 'hold') return this.hold(write.streams, write.events);
    if (write.kind === 'delete') return this.delete(write.stream);
    if (write.kind === 'learn') return this.learn(write.texts);
    if (write.kind === 'archive') return this.archive(write.segment, write.texts);
    if (write.kind === 'inspect-seal') return this.inspectSeal(write.keys);
    if (write.kind === 'begin-seal') this.beginSeal(write.keys);
    if (write.kind === 'check-seal') return { kind: 'checked', position: this.nextPosition - 1 };
    if (write.kind === 'cover') this.sealer?.cover(this.connected(), write.position);
    if (write.kind !== 'probe') return { kind: 'sealed' };
    this.connected().setMeta('probed', new Date().toISOString());
    return { kind: 'probed' };
  }

  private append({ stream, expected, events, inPlaceOf = [] }: Extract<Write, { kind: 'append' }>): WriteOutcome {
    const known = this.head(stream);
    const actual = known?.revision ?? -1;
    if (actual !== expected) return this.repeated(stream, expected, events) ?? { kind: 'wrong-revision', actual };
    const tables = this.connected();
    const head = known ?? this.remember(stream, { id: tables.addStream(stream), revision: -1 });
    const category = categoryOf(stream);
    for (let at = 0; at < events.length; at += FIELDS_PER_EVENT) {
      const [id, type, metadata] = [events[at]!, events[at + 1]!, events[at + 3]!];
      head.revision += 1;
      const [position, { revision }] = [this.nextPosition, head];
      const kind = this.kind(category, type);
      const stored = storedAs(position, stream, revision, events, at);
      const storedId = metadata === PACKED ? (uuidBytes(id) ?? id) : id;
      tables.insert(position, head.id, revision, kind, storedId, stored.data, metadata, stored.checksum);
      this.sealer?.add([position, stream, revision, type, id, events[at + 2]!, metadata]);
      this.nextPosition += 1;
    }
    for (const id of inPlaceOf) tables.letGo(id);
    return { kind: 'stored', revision: head.revision, position: this.nextPosition - 1 };
  }

  private hold(streams: readonly string[], events: FlatEvents): WriteOutcome {
    for (const [index, stream] of streams.entries()) {
      const at = index * FIELDS_PER_EVENT;
      const { data, checksum } = storedAs(HELD_AT, stream, HELD_AT, events, at);
      const held = [events[at]!, stream, events[at + 1]!, data, events[at + 3]!] as const;
      this.connected().hold(...held, checksum, this.sealer?.macOfHeld(held) ?? null);
    }
    return { kind: 'held' };
  }

  /** An identical append that is already stored, whatever was appended since; null otherwise. */
  private repeated(stream: string, expected: number, events: FlatEvents): WriteOutcome | null {
    const head = this.head(stream);
    const count = events.length / FIELDS_PER_EVENT;
    const last = expected + count;
    if (!head || head.revision < last) return null;
    const stored = this.connected().ids(head.id, expected + 1, last);
    const same = stored.length === count && stored.every(({ id }, index) => id === events[index * FIELDS_PER_EVENT]);
    return same ? { kind: 'stored', revision: last, position: stored.at(-1)!.position } : null;
  }

  private delete(stream: string): WriteOutcome {
    const head = this.head(stream);
    if (!head) return { kind: 'not-found' };
    const tables = this.connected();
    this.sealer?.delete(tables, { id: head.id, name: stream });
    tables.removeStream(head.id, this.nextPosition - 1);
    this.heads.delete(stream);
    return { kind: 'deleted' };
  }

  private archive(segment: string, texts: readonly ArchivedTexts[]): WriteOutcome {
    const tables = this.connected();
    // What is archived is covered by a checkpoint.
    for (const [position] of texts.slice(-1)) this.sealer?.cover(tables, position);
    const events = texts.filter((event) => !this.sealer?.holds(event[0]) && tables.archive(segment, event)).length;
    return { kind: 'archived', events };
  }

  private learn(texts: readonly string[]): WriteOutcome {
    const ids = this.connected().learn(texts);
    this.sealer?.learned(texts, ids);
    return { kind: 'learned', ids };
  }

  private beginSeal(keys: readonly Uint8Array[]): void {
    this.sealer = Sealer.begin(this.connected(), keys);
    [this.version, this.foreign] = [this.connected().version(), null];
  }

  /**
   * Within a transaction: what is wrong if another connection has written since the last one, and the end is not as this
   * writer sealed it. Then nothing is written: an event behind a foreign one would seem to follow from it.
   */
  private foreignEnd(): WriteOutcome | null {
    if (this.sealer === null) return null;
    const tables = this.connected();
    const version = tables.version();
    if (version === this.version) return null;
    if (version === this.foreign?.version) return this.foreign.outcome;
    const state = this.sealer.inspect(tables);
    if (state.kind === 'whole') {
      this.version = version;
      return null;
    }
    const position = state.kind === 'longer' ? state.events[0]!.position : null;
    const outcome: WriteOutcome = { kind: 'foreign', position, reason: wrongSeal(state) };
    [this.version, this.foreign] = [null, { version, outcome }];
    return outcome;
  }

  private inspectSeal(keys: readonly Uint8Array[]): WriteOutcome {
    const { database } = this.connected();
    return { kind: 'inspected', state: inspectSeal(database, keys, this.logId) };
  }

  private head(stream: string): StreamHead | null {
    const known = this.heads.get(stream);
    if (known) return known;
    const found = this.connected().head(stream);
    return found && this.remember(stream, found);
  }

  private remember(stream: string, head: StreamHead): StreamHead {
    // A Map keeps the order of insertion: the first key is the oldest.
    if (this.heads.size >= MAX_HEADS) this.heads.delete(this.heads.keys().next().value!);
    this.heads.set(stream, head);
    return head;
  }

  private kind(category: string, type: string): number {
    const name = `${category}-${type}`;
    const known = this.kinds.get(name);
    if (known !== undefined) return known;
    const kind = this.connected().kind(category, type);
    this.kinds.set(name, kind);
    return kind;
  }

  /**
   * Resolves the outcome of a failed commit. If there was no room for the commit record, nothing was stored. Otherwise
   * the outcome is unknown: reopening recovers what reached the disk, a commit of our own overwrites the rest (a later
   * crash could otherwise revive it), and what is stored decides.
   */
  private findOut(
    writes: readonly Write[],
    outcomes: readonly WriteOutcome[],
    error: unknown,
  ): readonly WriteOutcome[] {
    const reason = messageOf(error);
    if ((error as { errcode?: number }).errcode === SQLITE_FULL) {
      this.undo();
      return writes.map(() => ({ kind: 'unavailable', reason }));
    }
    this.disconnect();
    try {
      this.connect();
      return writes.map((write, index) => this.whatBecameOf(write, outcomes[index]!, reason));
    } catch {
      this.disconnect();
      return writes.map(() => ({ kind: 'unknown', reason }));
    }
  }

  private whatBecameOf(write: Write, outcome: WriteOutcome, reason: string): WriteOutcome {
    const unavailable: WriteOutcome = { kind: 'unavailable', reason };
    if (outcome.kind === 'stored' && write.kind === 'append') {
      return this.repeated(write.stream, write.expected, write.events) ?? unavailable;
    }
    if (outcome.kind === 'deleted' && write.kind === 'delete') return this.head(write.stream) ? unavailable : outcome;
    // All or none, as one commit.
    if (write.kind === 'hold') return this.connected().isHeld(write.events[0]!) ? outcome : unavailable;
    // An archived event may be archived again, and texts learned again.
    return REPEATABLE.has(outcome.kind) ? unavailable : outcome;
  }

  private undo(): void {
    this.forget();
    try {
      this.tables?.rollback();
      if (this.tables) {
        this.nextPosition = this.tables.highestPosition() + 1;
        this.sealer?.reload(this.tables);
      }
    } catch {
      this.disconnect();
    }
  }

  /** Drops cached values: they may stem from a transaction that was rolled back. */
  private forget(): void {
    this.heads.clear();
    this.kinds.clear();
  }

  private connect(): void {
    this.forget();
    const tables = new LogTables(this.open());
    try {
      tables.begin();
      if (tables.meta(LOG_ID) === null) createLog(tables, this.creating());
      tables.setMeta('opened', new Date().toISOString());
      tables.commit();
      this.nextPosition = tables.highestPosition() + 1;
      this.sealer?.reload(tables);
      // A version counts for one connection.
      [this.version, this.foreign] = [null, null];
    } catch (error) {
      tables.close();
      throw error;
    }
    this.tables = tables;
  }

  private disconnect(): void {
    this.forget();
    const { tables } = this;
    this.tables = null;
    try {
      tables?.close();
    } catch {
      // The connection is dropped either way.
    }
  }

  private connected(): LogTables {
    if (!this.tables) throw new Error('the event log is not open');
    return this.tables;
  }
}

/** The data of an event of flat ones as the file has it, and the checksum. @param at where it begins */
function storedAs(position: number, stream: string, revision: number, events: FlatEvents, at: number) {
  const [id, type, data, metadata] = [events[at]!, events[at + 1]!, events[at + 2]!, events[at + 3]!];
  if (metadata !== PACKED) return { data, checksum: checksumOf(position, stream, revision, type, id, data, metadata) };
  const packed = Buffer.from(data, 'latin1');
  return { data: packed, checksum: packedChecksumOf(position, stream, revision, type, id, packed) };
}

function createLog(tables: LogTables, { facts, origin }: NewLog): void {
  const { logId, occurredAt } = origin ?? { logId: uuid7(), occurredAt: new Date().toISOString() };
  const { stream, event } = logCreated(logId, occurredAt, facts);
  const [data, metadata] = [JSON.stringify(event.data), JSON.stringify(event.metadata)];
  const checksum = checksumOf(1, stream, 0, event.type, event.id, data, metadata);
  const kind = tables.kind(categoryOf(stream), event.type);
  tables.insert(1, tables.addStream(stream), 0, kind, event.id, data, metadata, checksum);
  tables.setMeta(LOG_ID, logId);
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
