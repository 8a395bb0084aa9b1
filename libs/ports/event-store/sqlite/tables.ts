import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { ARCHIVED } from '../archive/index.js';
import { ARCHIVING_VERSION } from './database.js';
import type { ArchivedTexts } from './writes.js';

/** The writer's statements over the log's tables, prepared once for each connection. */
export class LogTables {
  private readonly statements;

  constructor(private readonly database: DatabaseSync) {
    const prepare = (sql: string): StatementSync => database.prepare(sql);
    this.statements = {
      begin: prepare('BEGIN IMMEDIATE'),
      commit: prepare('COMMIT'),
      insert: prepare(
        `INSERT INTO events (position, stream, revision, kind, id, data, metadata, checksum)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
      ),
      head: prepare(
        'SELECT id, (SELECT max(revision) FROM events WHERE stream = streams.id) AS revision FROM streams WHERE name = ?',
      ),
      addStream: prepare('INSERT INTO streams (name) VALUES (?)'),
      ids: prepare('SELECT id, position FROM events WHERE stream = ? AND revision BETWEEN ? AND ? ORDER BY revision'),
      kind: prepare('SELECT id FROM kinds WHERE category = ? AND type = ?'),
      addKind: prepare('INSERT INTO kinds (category, type) VALUES (?, ?)'),
      meta: prepare('SELECT value FROM meta WHERE name = ?'),
      setMeta: prepare(
        'INSERT INTO meta (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value',
      ),
      highest: prepare('SELECT max(position) AS position FROM events'),
      removeStream: prepare('DELETE FROM streams WHERE id = ?'),
      addRemoved: prepare('INSERT INTO removed (stream) VALUES (?)'),
      removed: prepare('SELECT stream FROM removed LIMIT 1'),
      clear: prepare(
        'DELETE FROM events WHERE position IN (SELECT position FROM events WHERE stream = ? ORDER BY revision DESC LIMIT ?)',
      ),
      cleared: prepare('DELETE FROM removed WHERE stream = ?'),
      archive: prepare(
        `UPDATE events SET data = '${ARCHIVED}', metadata = ? WHERE position = ? AND data = ? AND metadata = ?`,
      ),
    };
  }

  begin(): void {
    this.statements.begin.run();
  }

  commit(): void {
    this.statements.commit.run();
  }

  rollback(): void {
    if (this.database.isTransaction) this.database.exec('ROLLBACK');
  }

  head(stream: string): { readonly id: number; readonly revision: number } | null {
    return (this.statements.head.get(stream) as { id: number; revision: number } | undefined) ?? null;
  }

  addStream(name: string): number {
    return Number(this.statements.addStream.run(name).lastInsertRowid);
  }

  /** The number of a pair of category and event type, given at its first use. */
  kind(category: string, type: string): number {
    const found = this.statements.kind.get(category, type) as { id: number } | undefined;
    return found?.id ?? Number(this.statements.addKind.run(category, type).lastInsertRowid);
  }

  insert(
    position: number,
    stream: number,
    revision: number,
    kind: number,
    id: string,
    data: string,
    metadata: string,
    checksum: number,
  ): void {
    this.statements.insert.run(position, stream, revision, kind, id, data, metadata, checksum);
  }

  /** Ids and positions of the events from one revision to another, both inclusive. */
  ids(stream: number, from: number, to: number): readonly { readonly id: string; readonly position: number }[] {
    return this.statements.ids.all(stream, from, to) as unknown as { id: string; position: number }[];
  }

  /** The highest position ever given that the file knows of, 0 for none. */
  highestPosition(): number {
    const { position } = this.statements.highest.get() as { position: number | null };
    return Math.max(position ?? 0, (this.meta(HIGHEST_REMOVED) as number | null) ?? 0);
  }

  /** Hides the stream at once; `clearRemoved` deletes its events later. */
  removeStream(stream: number, highestPosition: number): void {
    this.statements.removeStream.run(stream);
    this.statements.addRemoved.run(stream);
    this.setMeta(HIGHEST_REMOVED, highestPosition);
  }

  /** Deletes at most `limit` events of removed streams. @returns whether more are left */
  clearRemoved(limit: number): boolean {
    const removed = this.statements.removed.get() as { stream: number } | undefined;
    if (!removed) return false;
    const { changes } = this.statements.clear.run(removed.stream, limit);
    if (Number(changes) < limit) this.statements.cleared.run(removed.stream);
    return true;
  }

  /** A reader that knows no archived events must not open the log. */
  markArchived(): void {
    this.database.exec(`PRAGMA user_version = ${ARCHIVING_VERSION}`);
  }

  /** Puts the key of a segment in the place of an event's texts. @returns false for an event with other texts */
  archive(segment: string, [position, data, metadata]: ArchivedTexts): boolean {
    return Number(this.statements.archive.run(segment, position, data, metadata).changes) === 1;
  }

  meta(name: string): string | number | null {
    return (this.statements.meta.get(name) as { value: string | number } | undefined)?.value ?? null;
  }

  setMeta(name: string, value: string | number): void {
    this.statements.setMeta.run(name, value);
  }

  close(): void {
    this.database.close();
  }
}

/** Keys of `meta`: the log's id, and the highest position at the last deletion, which no later event may get. */
export const LOG_ID = 'log-id';
export const HIGHEST_REMOVED = 'highest-removed';
