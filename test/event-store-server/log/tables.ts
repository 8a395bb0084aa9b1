import type { DatabaseSync, StatementSync } from 'node:sqlite';

/** The facts about a stream that need no reading of its events. */
export interface StreamState {
  /** Id of its row; null if nothing was ever written to it. */
  id: number | null;
  readonly name: string;
  /** Revision of the last event; -1 without one, `TOMBSTONE` for ever after a tombstone. */
  last: number;
}

/** Stands in the tables for a tombstone's revision, 2^63 - 1. JavaScript has no such integer. */
export const TOMBSTONE = Number.MAX_SAFE_INTEGER;
export const HIGHEST_REVISION = '9223372036854775807';

export interface EventToStore {
  readonly id: string;
  readonly type: string;
  readonly contentType: string;
  readonly data: Uint8Array;
  readonly metadata: Uint8Array;
}

export interface StoredEvent extends EventToStore {
  readonly stream: string;
  /** `TOMBSTONE` for the event that a tombstone is. */
  readonly revision: number;
  readonly position: number;
  /** Milliseconds since 1970. */
  readonly created: number;
}

const EVENT = `
  SELECT position, revision, events.id, type, content_type AS contentType, created, data, metadata, streams.name AS stream
  FROM events JOIN streams ON streams.id = events.stream`;

/** The log's statements, prepared once. */
export class Tables {
  private readonly statements = new Map<string, StatementSync>();

  constructor(private readonly database: DatabaseSync) {}

  /** Runs in one transaction; whatever it throws undoes all of it. */
  transaction(work: () => void): void {
    this.run('BEGIN IMMEDIATE');
    try {
      work();
      this.run('COMMIT');
    } catch (error) {
      if (this.database.isTransaction) this.run('ROLLBACK');
      throw error;
    }
  }

  stream(name: string): StreamState {
    return { id: null, last: -1, ...this.get('SELECT id, last FROM streams WHERE name = ?', name), name };
  }

  saveStream(stream: StreamState): void {
    const { id, name, last } = stream;
    if (id === null)
      stream.id = Number(this.run('INSERT INTO streams (name, last) VALUES (?, ?)', name, last).lastInsertRowid);
    else this.run('UPDATE streams SET last = ? WHERE id = ?', last, id);
  }

  insert(position: number, stream: number, revision: number, created: number, event: EventToStore): void {
    const { id, type, contentType, data, metadata } = event;
    this.run(
      'INSERT INTO events (position, stream, revision, id, type, content_type, created, data, metadata) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)',
      position,
      stream,
      revision,
      id,
      type,
      contentType,
      created,
      data,
      metadata,
    );
  }

  recordAt(stream: number, revision: number): { readonly id: string; readonly position: number } | null {
    const row = this.get('SELECT id, position FROM events WHERE stream = ? AND revision = ?', stream, revision);
    return (row as { readonly id: string; readonly position: number } | undefined) ?? null;
  }

  /** Events of a stream between two revisions, both inclusive. */
  streamPage(stream: number, from: number, to: number, direction: Direction, limit: number): readonly StoredEvent[] {
    const order = direction === 'forwards' ? 'ASC' : 'DESC';
    return this.all(
      `${EVENT} WHERE stream = ? AND revision BETWEEN ? AND ? ORDER BY revision ${order} LIMIT ?`,
      stream,
      from,
      to,
      limit,
    ) as unknown as StoredEvent[];
  }

  /** Events of the whole log from a position on: inclusive forwards, exclusive backwards. */
  logPage(from: number, direction: Direction, limit: number): readonly StoredEvent[] {
    const where =
      direction === 'forwards' ? 'position >= ? ORDER BY position ASC' : 'position < ? ORDER BY position DESC';
    return this.all(`${EVENT} WHERE ${where} LIMIT ?`, from, limit) as unknown as StoredEvent[];
  }

  /** The last place in the log at or before a position, null when there is none. */
  placeAtOrBefore(position: number): number | null {
    const row = this.get(
      `SELECT max(
         coalesce((SELECT max(position) FROM events WHERE position <= ?1), -1),
         coalesce((SELECT max(position) FROM gone WHERE position <= ?1), -1)
       ) AS position`,
      position,
    );
    const place = row!['position'] as number;
    return place < 0 ? null : place;
  }

  /** Removes the events before the tombstones of their streams; their positions stay places in the log. */
  scavenge(): void {
    const removed = `stream IN (SELECT id FROM streams WHERE last = ${TOMBSTONE}) AND revision < ${TOMBSTONE}`;
    this.run(`INSERT INTO gone SELECT position FROM events WHERE ${removed}`);
    this.run(`DELETE FROM events WHERE ${removed}`);
  }

  close(): void {
    this.database.close();
  }

  private prepared(sql: string): StatementSync {
    let statement = this.statements.get(sql);
    if (!statement) this.statements.set(sql, (statement = this.database.prepare(sql)));
    return statement;
  }

  private run(sql: string, ...values: readonly Value[]) {
    return this.prepared(sql).run(...values);
  }

  private get(sql: string, ...values: readonly Value[]): Row | undefined {
    return this.prepared(sql).get(...values);
  }

  private all(sql: string, ...values: readonly Value[]): readonly Row[] {
    return this.prepared(sql).all(...values);
  }
}

export type Direction = 'forwards' | 'backwards';
type Value = string | number | null | Uint8Array;
type Row = Record<string, unknown>;
