import { existsSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { fieldsOf } from '../indexes.js';
import type { Collection, Index, Scalar } from '../port.js';
import { indexedText, wordIndexOf } from '../words.js';
import { Codec, share } from './codec.js';
import { changesSql } from './scans.js';
import { fieldColumn, inDocument, scopeWord } from './sql.js';

/** The document comes last: a column before it is read without it. A packed one is a BLOB. */
const schema = (columns: readonly string[]): string => `
  CREATE TABLE IF NOT EXISTS documents (
    ${['key TEXT PRIMARY KEY', 'pos NOT NULL', ...columns.map((column) => `"${column}"`), 'doc NOT NULL'].join()}
  );
  CREATE TABLE IF NOT EXISTS gone (key TEXT PRIMARY KEY, pos TEXT NOT NULL) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS counters (key TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS checkpoint (
    one INTEGER PRIMARY KEY CHECK (one = 1), log TEXT NOT NULL, pos TEXT NOT NULL, event TEXT
  );
`;

/** Creates the file's tables, and the columns and indexes of `collection`, if they are missing. */
export function makeCollectionFile(path: string, collection: Collection): void {
  // A new file holds nothing that could be lost.
  const synchronous = existsSync(path) ? 'NORMAL' : 'OFF';
  const database = new DatabaseSync(path, { timeout: 5_000 });
  try {
    database.exec(`PRAGMA synchronous = ${synchronous}; PRAGMA journal_mode = WAL`);
    database.exec('BEGIN IMMEDIATE');
    const fields = fieldsOf(collection.indexes);
    const { shared = [] } = collection;
    if (!hasTable(database, 'documents') && shared.length > 0) share(database, shared);
    database.exec(schema(fields.map(fieldColumn)));
    const codec = new Codec(database);
    // Events past the checkpoint come again, earlier ones do not: older removals need no record.
    database.exec('DELETE FROM gone');
    const columns = new Set(
      database
        .prepare('PRAGMA table_info(documents)')
        .all()
        .map((row) => row['name']),
    );
    for (const field of fields) {
      const column = fieldColumn(field);
      if (columns.has(column)) continue;
      database.exec(`ALTER TABLE documents ADD COLUMN "${column}"`);
      fill(database, codec, field);
    }
    for (const index of collection.indexes) if (!index.words) database.exec(indexSql(index));
    if (wordIndexOf(collection.indexes)) makeWords(database, collection, codec);
    for (const index of collection.indexes) if (index.scanned) database.exec(changesSql(index));
    database.exec('COMMIT');
  } finally {
    database.close();
  }
}

/** The new column of a field, of the documents that are there. */
function fill(database: DatabaseSync, codec: Codec, field: string): void {
  const value = inDocument(codec, field);
  const isShared = codec.shared.has(field);
  if (isShared)
    for (const { text } of database.prepare(`SELECT DISTINCT ${value} AS text FROM documents`).all())
      if (text !== null) codec.column(true, text as string);
  const column = isShared ? `(SELECT id FROM texts WHERE text = ${value})` : value;
  database.exec(`UPDATE documents SET "${fieldColumn(field)}" = ${column}`);
}

const hasTable = (database: DatabaseSync, name: string): boolean =>
  database.prepare('SELECT 1 FROM sqlite_master WHERE name = ?').get(name) !== undefined;

export const WORDS_SQL = `CREATE VIRTUAL TABLE words
  USING fts5(scope, text, content = '', contentless_delete = 1, detail = column, tokenize = 'unicode61 remove_diacritics 0')`;

/** The table of words, and the words of documents that were there before it. */
function makeWords(database: DatabaseSync, { indexes }: Collection, codec: Codec): void {
  if (hasTable(database, 'words')) return;
  database.exec(WORDS_SQL);
  const { fields, words } = wordIndexOf(indexes)!;
  const insert = database.prepare('INSERT INTO words (rowid, scope, text) VALUES (?, ?, ?)');
  for (const row of database.prepare('SELECT rowid, doc FROM documents').iterate()) {
    const document = codec.decode(row['doc']);
    insert.run(row['rowid'] as number, scopeWord(document[fields[0]!] as Scalar), indexedText(document, words));
  }
}

/**
 * The document's id comes last, so that equal values have an order and pages never overlap. Of a scanned index only scope and ordinal
 * are one: the table has the columns of the others near enough to read them all.
 */
function indexSql({ fields: all, unique, sparse, scanned }: Index): string {
  const fields = scanned ? all.slice(0, 2) : all;
  const name = `${unique ? 'unique' : 'by'}:${fields.join(',')}`;
  const columns = fields.map((field) => `"${fieldColumn(field)}"`);
  if (!unique) columns.push('key');
  const held = sparse === undefined ? '' : ` WHERE "${fieldColumn(sparse)}" IS NOT NULL`;
  return `CREATE ${unique ? 'UNIQUE ' : ''}INDEX IF NOT EXISTS "${name}" ON documents (${columns.join(', ')})${held}`;
}
