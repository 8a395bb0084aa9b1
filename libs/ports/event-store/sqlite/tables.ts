import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { ARCHIVED } from '../archive/index.js';
import { checksumOf } from './checksum.js';
import { Unpacker, uuidText } from '#primitives/packing/index.js';
import { HELD_COLUMNS, type HeldRow } from './held.js';
import { TEXT_COLUMNS, textChecksum, Texts, type TextRow } from './texts.js';
import type { ArchivedTexts } from './writes.js';

/** The writer's statements over the log's tables, prepared once for each connection. */
export class LogTables {
  private readonly statements;
  private unpacker: Unpacker;

  constructor(readonly database: DatabaseSync) {
    const prepare = (sql: string): StatementSync => database.prepare(sql);
    this.statements = {
      begin: prepare('BEGIN IMMEDIATE'),
      commit: prepare('COMMIT'),
      version: prepare('PRAGMA data_version'),
      insert: prepare(
        `INSERT INTO events (position, stream, revision, kind, id, data, metadata, checksum)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
      ),
      head: prepare(
        'SELECT id, (SELECT max(revision) FROM events WHERE stream = streams.id) AS revision FROM streams WHERE name = ?',
      ),
      lastOf: prepare('SELECT position FROM events WHERE stream = ? ORDER BY revision DESC LIMIT 1'),
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
      nameless: prepare('SELECT stream FROM removed WHERE stream NOT IN (SELECT id FROM streams) ORDER BY stream'),
      keepRemoved: prepare('DELETE FROM removed WHERE stream NOT IN (SELECT value FROM json_each(?))'),
      clear: prepare(
        'DELETE FROM events WHERE position IN (SELECT position FROM events WHERE stream = ? ORDER BY revision DESC LIMIT ?)',
      ),
      cleared: prepare('DELETE FROM removed WHERE stream = ?'),
      archive: prepare(
        `UPDATE events SET data = '${ARCHIVED}', metadata = ? WHERE position = ? AND data = ? AND metadata = ?`,
      ),
      packed: prepare(`
        SELECT streams.name AS stream, revision, kinds.type, events.id, data
        FROM events JOIN streams ON streams.id = stream JOIN kinds ON kinds.id = kind
        WHERE position = ? AND typeof(data) = 'blob'`),
      archivePacked: prepare(
        `UPDATE events SET id = ?, data = '${ARCHIVED}', metadata = ?, checksum = ? WHERE position = ?`,
      ),
      text: prepare('SELECT id FROM texts WHERE text = ?'),
      nextText: prepare('SELECT coalesce(max(id), -1) + 1 AS id FROM texts'),
      textsAfter: prepare(`SELECT ${TEXT_COLUMNS} FROM texts WHERE id > ? ORDER BY id`),
      hold: prepare(
        `INSERT INTO open_calls (${HELD_COLUMNS}, mac) VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
      ),
      sealHeld: prepare('UPDATE open_calls SET mac = ? WHERE id = ?'),
      isHeld: prepare('SELECT 1 FROM open_calls WHERE id = ?'),
      letGo: prepare('DELETE FROM open_calls WHERE id = ?'),
      addText: prepare(`INSERT INTO texts (${TEXT_COLUMNS}) VALUES (?, ?, ?)`),
    };
    this.statements.textsAfter.setReturnArrays(true);
    this.unpacker = this.newUnpacker();
  }

  begin(): void {
    this.statements.begin.run();
  }

  commit(): void {
    this.statements.commit.run();
  }

  /** Changes when another connection has written to the file. */
  version(): number {
    return (this.statements.version.get() as { data_version: number }).data_version;
  }

  rollback(): void {
    if (this.database.isTransaction) this.database.exec('ROLLBACK');
    // Texts of the transaction may get other ids.
    this.unpacker = this.newUnpacker();
  }

  head(stream: string): { readonly id: number; readonly revision: number } | null {
    return (this.statements.head.get(stream) as { id: number; revision: number } | undefined) ?? null;
  }

  /** Position of the last event of a stream; 0 for none. */
  lastOf(stream: number): number {
    return (this.statements.lastOf.get(stream) as { position: number } | undefined)?.position ?? 0;
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
    id: string | Uint8Array,
    data: string | Uint8Array,
    metadata: string,
    checksum: number,
  ): void {
    this.statements.insert.run(position, stream, revision, kind, id, data, metadata, checksum);
  }

  /** Changes nothing if it is held already. */
  hold(...held: readonly [...HeldRow, mac: string | null]): void {
    this.statements.hold.run(...held);
  }

  sealHeld(id: string, mac: string): void {
    this.statements.sealHeld.run(mac, id);
  }

  isHeld(id: string): boolean {
    return this.statements.isHeld.get(id) !== undefined;
  }

  letGo(id: string): void {
    this.statements.letGo.run(id);
  }

  /** Ids and positions of the events from one revision to another, both inclusive. */
  ids(stream: number, from: number, to: number): readonly { readonly id: string; readonly position: number }[] {
    const rows = this.statements.ids.all(stream, from, to) as unknown as {
      id: string | Uint8Array;
      position: number;
    }[];
    return rows.map(({ id, position }) => ({ id: typeof id === 'string' ? id : uuidText(id), position }));
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

  /** The number of a removed stream that is not cleared yet; null for none. */
  removed(): number | null {
    return (this.statements.removed.get() as { stream: number } | undefined)?.stream ?? null;
  }

  /** Deletes at most `limit` events of a removed stream. @returns whether more are left */
  clearRemoved(stream: number, limit: number): boolean {
    const { changes } = this.statements.clear.run(stream, limit);
    if (Number(changes) === limit) return true;
    this.statements.cleared.run(stream);
    return false;
  }

  /** Numbers of removed streams whose name is gone, as a deletion leaves them. */
  removedWithoutName(): readonly number[] {
    const rows = this.statements.nameless.all() as unknown as readonly { readonly stream: number }[];
    return rows.map(({ stream }) => stream);
  }

  /** Takes the mark off all removed streams but these. */
  keepRemoved(streams: readonly number[]): void {
    this.statements.keepRemoved.run(JSON.stringify(streams));
  }

  /** Puts the key of a segment in the place of an event's texts. @returns false for an event with other texts */
  archive(segment: string, [position, data, metadata]: ArchivedTexts): boolean {
    const { changes } = this.statements.archive.run(segment, position, data, metadata);
    return Number(changes) === 1 || this.archivePacked(segment, [position, data, metadata]);
  }

  /** Ids of texts, which are added where they are missing. */
  learn(texts: readonly string[]): readonly number[] {
    return texts.map((text) => {
      const known = this.statements.text.get(text) as { id: number } | undefined;
      if (known) return known.id;
      const { id } = this.statements.nextText.get() as { id: number };
      this.statements.addText.run(id, text, textChecksum(id, text));
      return id;
    });
  }

  private newUnpacker(): Unpacker {
    const texts = new Texts((id) => this.statements.textsAfter.all(id) as unknown as readonly TextRow[]);
    return new Unpacker((id) => texts.get(id));
  }

  /** The checksum of an archived event is that of its texts. */
  private archivePacked(segment: string, [position, data, metadata]: ArchivedTexts): boolean {
    const row = this.statements.packed.get(position) as unknown as PackedRow | undefined;
    if (!row) return false;
    const { stream, revision, type } = row;
    const texts = this.unpacker.unpack(row.data).map((each) => JSON.stringify(each));
    if (texts[0] !== data || texts[1] !== metadata) return false;
    const id = typeof row.id === 'string' ? row.id : uuidText(row.id);
    const checksum = checksumOf(position, stream, revision, type, id, data, metadata);
    return Number(this.statements.archivePacked.run(id, segment, checksum, position).changes) === 1;
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

interface PackedRow {
  readonly stream: string;
  readonly revision: number;
  readonly type: string;
  readonly id: string | Uint8Array;
  readonly data: Uint8Array;
}

/** Keys of `meta`: the log's id, and the highest position at the last deletion, which no later event may get. */
export const LOG_ID = 'log-id';
export const HIGHEST_REMOVED = 'highest-removed';
