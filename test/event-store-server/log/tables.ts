import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { newStream, type StreamState } from './streams.js';

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
    const row = this.get(
      'SELECT id, last, truncate_before AS truncateBefore, max_count AS maxCount, max_age AS maxAgeSeconds FROM streams WHERE name = ?',
      name,
    );
    return { ...newStream(name), ...row };
  }

  streams(): readonly StreamState[] {
    return this.all('SELECT name FROM streams').map((row) => this.stream(row['name'] as string));
  }

  saveStream(stream: StreamState): void {
    const { id, name, last, truncateBefore, maxCount, maxAgeSeconds } = stream;
    if (id === null) {
      stream.id = Number(
        this.run(
          'INSERT INTO streams (name, last, truncate_before, max_count, max_age) VALUES (?, ?, ?, ?, ?)',
          name,
          last,
          truncateBefore,
          maxCount,
          maxAgeSeconds,
        ).lastInsertRowid,
      );
    } else {
      this.run(
        'UPDATE streams SET last = ?, truncate_before = ?, max_count = ?, max_age = ? WHERE id = ?',
        last,
        truncateBefore,
        maxCount,
        maxAgeSeconds,
        id,
      );
    }
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

  idAt(stream: number, revision: number): string | null {
    const row = this.get('SELECT id FROM events WHERE stream = ? AND revision = ?', stream, revision);
    return (row?.['id'] as string | undefined) ?? null;
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

  /** Removes a stream's events before a revision; their positions stay places in the log. */
  scavenge(stream: number, before: number): void {
    this.run('INSERT INTO gone SELECT position FROM events WHERE stream = ? AND revision < ?', stream, before);
    this.run('DELETE FROM events WHERE stream = ? AND revision < ?', stream, before);
  }

  /** The first revision of a stream that is not older than a time, null when there is none. */
  firstSince(stream: number, created: number): number | null {
    const row = this.get(
      'SELECT min(revision) AS first FROM events WHERE stream = ? AND created >= ?',
      stream,
      created,
    );
    return row!['first'] as number | null;
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
