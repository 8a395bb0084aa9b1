import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import type { JsonObject } from '#domain/json.js';
import { Groups, groupingFields } from '../grouping.js';
import type {
  ProjectionCheckpoint,
  DocumentWrite,
  Group,
  Grouping,
  Index,
  LoadedDocument,
  Query,
  WriteBatch,
} from '../port.js';
import { fieldsOf, indexed } from '../indexes.js';
import { DocumentRefusedError, type Scalar } from '../port.js';
import { indexedText, wordIndexOf } from '../words.js';
import { Codec } from './codec.js';
import { isUniqueViolation } from './result-codes.js';
import { Scans } from './scans.js';
import { countSql, fieldColumn, fieldsSql, findSql, scopeWord, sumSql } from './sql.js';

/** Removals remembered before older ones are forgotten. */
const MAX_GONE = 10_000;
const MAX_STATEMENTS = 300;

/**
 * A version of a collection in a SQLite file of its own, so that a rebuild never waits for live writes and dropping
 * removes a file. The writer fills a column for each indexed field.
 */
export class CollectionFile {
  private readonly database: DatabaseSync;
  private readonly statements = new Map<string, StatementSync>();
  private readonly fields: readonly string[];
  private readonly upsertSql: string;
  private readonly words: ReturnType<typeof wordIndexOf>;
  /** Documents of the current batch whose words are still to be written, by row. */
  private readonly unindexed = new Map<number, JsonObject>();
  private hasGone: boolean;
  private removals = 0;
  private readonly scans: readonly Scans[];
  private readonly codec: Codec;
  private readonly columns: readonly { readonly field: string; readonly isShared: boolean }[];
  /** Upper bound of the ids of documents and removals; null if unknown. */
  private highestId: string | null = null;

  constructor(
    path: string,
    readonly name: string,
    readonly indexes: readonly Index[],
    readOnly: boolean,
  ) {
    this.fields = fieldsOf(indexes);
    this.words = wordIndexOf(indexes);
    this.upsertSql = upsertSql(this.fields);
    this.database = new DatabaseSync(path, { readOnly, timeout: 5_000 });
    try {
      this.database.exec('PRAGMA cache_size = -2000; PRAGMA temp_store = MEMORY');
      // Only checkpoints sync, so they should be rare; writes lost in a power failure are rebuilt.
      if (!readOnly)
        this.database.exec(`
          PRAGMA synchronous = NORMAL;
          PRAGMA secure_delete = ON;
          PRAGMA wal_autocheckpoint = 4000;
          PRAGMA journal_size_limit = 16777216;
        `);
      this.codec = new Codec(this.database);
      this.columns = this.fields.map((field) => ({ field, isShared: this.shared.has(field) }));
      this.scans = indexes.filter(({ scanned }) => scanned).map((index) => new Scans(this.database, index, this.codec));
      this.hasGone = this.database.prepare('SELECT 1 FROM gone LIMIT 1').get() !== undefined;
    } catch (error) {
      this.database.close();
      throw error;
    }
  }

  /** Fields whose columns are ids of texts. */
  get shared(): ReadonlySet<string> {
    return this.codec.shared;
  }

  get(id: string): JsonObject | null {
    const row = this.statement('SELECT doc FROM documents WHERE key = ?').get(this.codec.key(id));
    return row ? this.codec.decode(row['doc']) : null;
  }

  find(query: Query): JsonObject[] {
    const { sql, values } = findSql(this, query);
    for (const scans of this.scans) {
      const found = scans.find(query);
      if (found) return found;
    }
    return this.statement(sql)
      .all(...values)
      .map((row) => this.codec.decode(row['doc']));
  }

  count(query: Pick<Query, 'where' | 'range' | 'filter'>): number {
    const { sql, values } = countSql(this, query);
    for (const scans of this.scans) {
      const total = scans.count(query);
      if (total !== null) return total;
    }
    return this.statement(sql).get(...values)?.['total'] as number;
  }

  sum(query: Pick<Query, 'where'>, fields: readonly string[]): number[] {
    const { sql, values } = sumSql(this, query, fields);
    const row = this.statement(sql).get(...values);
    return fields.map((_, place) => row?.[`sum${place}`] as number);
  }

  async group(query: Pick<Query, 'where' | 'range' | 'filter'>, grouping: Grouping): Promise<readonly Group[] | null> {
    const { sql, values } = fieldsSql(this, query, groupingFields(grouping));
    for (const scans of this.scans) {
      const groups = await scans.group(query, grouping);
      if (groups) return groups.result();
    }
    const groups = new Groups(grouping);
    const statement = this.database.prepare(sql);
    statement.setReturnArrays(true);
    for (const row of statement.iterate(...values) as unknown as Iterable<Scalar[]>) {
      groups.add((place) => row[place]!);
      if (groups.isFull) break;
    }
    return groups.result();
  }

  load(ids: readonly string[]): Map<string, LoadedDocument> {
    const found = new Map<string, LoadedDocument>();
    const documents = this.statement('SELECT pos, doc FROM documents WHERE key = ?');
    const gone = this.hasGone ? this.statement('SELECT pos FROM gone WHERE key = ?') : null;
    const highest = this.highest();
    for (const id of ids) {
      if (isAbove(id, highest)) continue;
      const row = documents.get(this.codec.key(id));
      if (row) {
        found.set(id, {
          position: this.codec.positionOf(row['pos'] as string | number),
          document: this.codec.decode(row['doc']),
        });
        continue;
      }
      const removed = gone?.get(id);
      if (removed) found.set(id, { position: removed['pos'] as string, document: null });
    }
    return found;
  }

  counters(keys: readonly string[]): Map<string, number> {
    const found = new Map<string, number>();
    const statement = this.statement('SELECT value FROM counters WHERE key = ?');
    for (const key of keys) {
      const row = statement.get(key);
      if (row) found.set(key, row['value'] as number);
    }
    return found;
  }

  checkpoint(): ProjectionCheckpoint | null {
    const row = this.statement('SELECT log, pos, event FROM checkpoint').get();
    if (!row) return null;
    return { logId: row['log'] as string, position: row['pos'] as string, eventId: row['event'] as string | null };
  }

  /** Stores the whole batch or nothing. @throws DocumentRefusedError */
  write({ first = [], writes, counters, checkpoint }: WriteBatch): void {
    this.statement('BEGIN IMMEDIATE').run();
    const all = [...first, ...writes];
    try {
      for (const write of all) this.writeDocument(write);
      this.writeWords();
      if (counters) this.writeCounters(counters);
      if (this.removals > MAX_GONE) this.forgetRemovals();
      this.statement(
        `INSERT INTO checkpoint VALUES (1, ?, ?, ?)
         ON CONFLICT (one) DO UPDATE SET log = excluded.log, pos = excluded.pos, event = excluded.event`,
      ).run(checkpoint.logId, checkpoint.position, checkpoint.eventId);
      this.statement('COMMIT').run();
    } catch (error) {
      if (this.database.isTransaction) this.database.exec('ROLLBACK');
      this.unindexed.clear();
      this.codec.forget();
      throw error;
    }
    for (const { id } of all) if (this.highestId !== null && isAbove(id, this.highestId)) this.highestId = id;
  }

  /** Words of removed texts disappear with the merge of their index, and older pages with the write-ahead log. */
  scrub(): void {
    if (this.words) this.database.exec(`INSERT INTO words (words) VALUES ('optimize')`);
    this.database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  }

  close(): void {
    this.statements.clear();
    this.database.close();
  }

  private writeDocument({ id, position, document }: DocumentWrite): void {
    if (document === null) {
      const removed = this.statement('DELETE FROM documents WHERE key = ? AND pos < ? RETURNING rowid').get(
        this.codec.key(id),
        this.codec.position(position),
      );
      if (this.words && removed) {
        this.unindexed.delete(removed['rowid'] as number);
        this.statement('DELETE FROM words WHERE rowid = ?').run(removed['rowid'] as number);
      }
      this.statement(
        `INSERT INTO gone VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET pos = excluded.pos WHERE excluded.pos > gone.pos`,
      ).run(id, position);
      this.hasGone = true;
      this.removals += 1;
      return;
    }
    if (this.hasGone) {
      const removed = this.statement('SELECT pos FROM gone WHERE key = ?').get(id);
      if (removed && (removed['pos'] as string) >= position) return;
      if (removed) this.statement('DELETE FROM gone WHERE key = ?').run(id);
    }
    const values: SQLInputValue[] = [this.codec.key(id), this.codec.position(position)];
    for (const { field, isShared } of this.columns)
      values.push(this.codec.column(isShared, indexed(this.name, field, id, document[field], isShared)));
    values.push(this.codec.encode(document));
    try {
      const stored = this.statement(this.upsertSql).get(...values);
      if (this.words && stored) this.unindexed.set(stored['rowid'] as number, document);
    } catch (error) {
      if (isUniqueViolation(error))
        throw new DocumentRefusedError(this.name, id, 'another document has its value in a unique index');
      throw error;
    }
  }

  /** After all documents: each statement with a subtransaction makes FTS5 flush the words that it holds. */
  private writeWords(): void {
    if (!this.words) return;
    const { fields, words } = this.words;
    const statement = this.statement('INSERT OR REPLACE INTO words (rowid, scope, text) VALUES (?, ?, ?)');
    for (const [row, document] of this.unindexed)
      statement.run(row, scopeWord(document[fields[0]!] as Scalar), indexedText(document, words));
    this.unindexed.clear();
  }

  private writeCounters(counters: ReadonlyMap<string, number>): void {
    const statement = this.statement(
      'INSERT INTO counters VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value',
    );
    for (const [key, value] of counters) statement.run(key, value);
  }

  /** Forgets removals before the stored checkpoint, which are never replayed. */
  private forgetRemovals(): void {
    const checkpoint = this.checkpoint();
    if (checkpoint) this.statement('DELETE FROM gone WHERE pos <= ?').run(checkpoint.position);
    this.removals = 0;
  }

  /** Ids that sort by time are above all stored ones, so they need no lookup. */
  private highest(): string {
    // Ids that are kept as bytes come after texts, whatever they say.
    this.highestId ??= ['documents', `documents WHERE key < x''`, 'gone']
      .map((of) => this.database.prepare(`SELECT max(key) AS key FROM ${of}`).get()?.['key'] as Key | null)
      .reduce<string>((highest, key) => {
        const id = key === null ? '' : this.codec.idOf(key);
        return id > highest ? id : highest;
      }, '');
    return this.highestId;
  }

  private statement(sql: string): StatementSync {
    let statement = this.statements.get(sql);
    if (!statement) {
      if (this.statements.size >= MAX_STATEMENTS) this.statements.clear();
      this.statements.set(sql, (statement = this.database.prepare(sql)));
    }
    return statement;
  }
}

type Key = ReturnType<Codec['key']>;

/** SQLite compares bytes and JavaScript code units: only for ASCII the two agree for sure. */
const isAbove = (id: string, highest: string): boolean => id > highest && isAscii(id) && isAscii(highest);

const isAscii = (text: string): boolean => /^[\x00-\x7f]*$/.test(text);

function upsertSql(fields: readonly string[]): string {
  const columns = ['key', 'pos', ...fields.map((field) => `"${fieldColumn(field)}"`), 'doc'];
  const updates = columns.slice(1).map((column) => `${column} = excluded.${column}`);
  return `INSERT INTO documents (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})
    ON CONFLICT (key) DO UPDATE SET ${updates.join(', ')} WHERE excluded.pos > documents.pos RETURNING rowid`;
}
