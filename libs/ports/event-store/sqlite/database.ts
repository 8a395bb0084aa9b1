import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync, type DatabaseSyncOptions } from 'node:sqlite';
import { LogLostError } from '../log-lost.js';
import { isDamage } from './damage.js';

export const LOG_FILE = 'log.db';

/** `full`: each commit is synced before it is acknowledged. `normal`: a power failure may lose the last commits. */
export type Durability = 'full' | 'normal';

/** The format of the log: calls of one event, whose openings are held beside the log until then. */
export const LOG_FORMAT = 5;
/** Time to wait for another connection's lock. */
const BUSY_MS = 5_000;

/**
 * Each event is a row. Streams are numbered, so that events of new streams are adjacent in the index; a `kind` is a pair
 * of category and event type, so that one index serves filters by either. `removed` lists streams whose events are
 * being cleared. An archived event has an empty `data`, and the key of its segment as
 * `metadata`. A packed event has its id as 16 bytes, bytes as `data`, and an empty `metadata`. `meta` holds the log's id and the highest position of a deleted event.
 */
const SCHEMA = `
  CREATE TABLE meta (name TEXT PRIMARY KEY, value) WITHOUT ROWID;
  CREATE TABLE kinds (id INTEGER PRIMARY KEY, category TEXT NOT NULL, type TEXT NOT NULL, UNIQUE (category, type));
  CREATE TABLE streams (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL UNIQUE);
  CREATE TABLE removed (stream INTEGER PRIMARY KEY);
  CREATE TABLE events (
    position INTEGER PRIMARY KEY,
    stream INTEGER NOT NULL,
    revision INTEGER NOT NULL,
    kind INTEGER NOT NULL,
    id TEXT NOT NULL,
    data TEXT NOT NULL,
    metadata TEXT NOT NULL,
    checksum INTEGER
  );
  CREATE UNIQUE INDEX events_by_stream ON events (stream, revision);
  CREATE INDEX events_by_kind ON events (kind, position);
`;
/** Texts are only added: packed events refer to them. */
const TEXTS = 'CREATE TABLE texts (id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE, checksum INTEGER NOT NULL);';
/** Held events: the openings of calls that have not ended. The event of a call's end takes the place of its row. `mac`: of the log's seal. */
const OPEN_CALLS = `
  CREATE TABLE open_calls (
    id TEXT PRIMARY KEY,
    stream TEXT NOT NULL,
    type TEXT NOT NULL,
    data TEXT NOT NULL,
    metadata TEXT NOT NULL,
    checksum INTEGER NOT NULL,
    mac TEXT
  ) WITHOUT ROWID;`;
/** What each version adds to the one before: 3 archived events, 4 packed ones (`libs/primitives/packing`). Opened for writing, a log becomes the newest. */
const ADDED: ReadonlyMap<number, string> = new Map([
  [2, SCHEMA],
  [3, ''],
  [4, TEXTS],
  [LOG_FORMAT, OPEN_CALLS],
]);
const tablesAdded = (after: number, upTo = LOG_FORMAT): string =>
  [...ADDED].map(([version, tables]) => (version > after && version <= upTo ? tables : '')).join('');

/**
 * The writer's connection: the only one that changes the file. Creates it when missing.
 * @throws LogUnusableError
 */
export function openForWriting(directory: string, durability: Durability): DatabaseSync {
  return opened(directory, { timeout: BUSY_MS }, (database) => {
    database.exec(`
      PRAGMA journal_mode = WAL;
      PRAGMA synchronous = ${durability === 'full' ? 'FULL' : 'NORMAL'};
      PRAGMA wal_autocheckpoint = 0;
      PRAGMA journal_size_limit = 67108864;
      PRAGMA cache_size = -8000;
      PRAGMA secure_delete = ON;
    `);
    createTables(database, directory);
  });
}

/**
 * A connection that only reads, for any thread or process.
 * @throws LogNotFoundError when there is no log in the folder
 * @throws LogUnusableError
 */
export function openForReading(directory: string): DatabaseSync {
  if (!existsSync(join(directory, LOG_FILE))) throw new LogNotFoundError(directory);
  return opened(directory, { readOnly: true, timeout: BUSY_MS, returnArrays: true }, (database) => {
    // A reader's pages are of no use after the next commit, when SQLite drops them.
    database.exec('PRAGMA cache_size = -2000');
    const version = schemaVersion(database);
    if (version === 0 && !hasTables(database)) throw new LogNotFoundError(directory);
    if (!isReadable(version)) throw new LogVersionError(directory, version);
  });
}

function opened(
  directory: string,
  options: DatabaseSyncOptions,
  prepare: (database: DatabaseSync) => void,
): DatabaseSync {
  const path = join(directory, LOG_FILE);
  let database: DatabaseSync | null = null;
  try {
    database = new DatabaseSync(path, options);
    prepare(database);
    requireColumns(database);
    return database;
  } catch (error) {
    database?.close();
    throw asUnusable(directory, error);
  }
}

/** Turns an error that prevents opening the log into an operator's problem; returns such a problem unchanged. */
export function asUnusable(directory: string, error: unknown): Error {
  if (error instanceof LogUnusableError || error instanceof LogNotFoundError || error instanceof LogLostError)
    return error;
  const mend = isDamage(error) ? '; restore the damaged log from its backup' : '';
  const { message } = error as Error;
  return new LogUnusableError(`the event log ${join(directory, LOG_FILE)} cannot be opened: ${message}${mend}`, {
    cause: error,
  });
}

/**
 * A damaged description of a table may be a valid one of another table, whose rows SQLite would misread; a view or a trigger
 * would change what is read or written.
 */
function requireColumns(database: DatabaseSync): void {
  if (columnsOf(database) !== columnsOfLog(schemaVersion(database)))
    throw new Error('its tables differ from those that Anneal made; restore the damaged log from its backup');
}

const expectedColumns = new Map<number, string>();

function columnsOfLog(version: number): string {
  const known = expectedColumns.get(version);
  if (known !== undefined) return known;
  const database = new DatabaseSync(':memory:');
  database.exec(tablesAdded(0, version));
  const columns = columnsOf(database);
  database.close();
  expectedColumns.set(version, columns);
  return columns;
}

function columnsOf(database: DatabaseSync): string {
  const columns = database.prepare(`
    SELECT tables.name, cid, columns.name, columns.type, "notnull", pk
    FROM sqlite_schema AS tables, pragma_table_info(tables.name) AS columns
    WHERE tables.type = 'table'
    UNION ALL SELECT name, 0, type, sql, 0, 0 FROM sqlite_schema WHERE type IN ('trigger', 'view')
    ORDER BY 1, 2`);
  columns.setReturnArrays(true);
  return JSON.stringify(columns.all());
}

function createTables(database: DatabaseSync, directory: string): void {
  const version = schemaVersion(database);
  if (version === LOG_FORMAT) return;
  if (version !== 0 && !isReadable(version)) throw new LogVersionError(directory, version);
  database.exec(`BEGIN IMMEDIATE; ${tablesAdded(version)} PRAGMA user_version = ${LOG_FORMAT}; COMMIT`);
}

const isReadable = (version: number): boolean => ADDED.has(version);

function schemaVersion(database: DatabaseSync): number {
  return Object.values(database.prepare('PRAGMA user_version').get()!)[0] as number;
}

/** Whether the file has tables; another process may have created it just now. */
const hasTables = (database: DatabaseSync): boolean =>
  database.prepare('SELECT 1 FROM sqlite_schema LIMIT 1').get() !== undefined;

export class LogNotFoundError extends Error {
  override readonly name = 'LogNotFoundError';
  constructor(directory: string) {
    super(`there is no event log in ${directory}`);
  }
}

/** The log cannot be opened: it is damaged, unreadable for this user, or of another release. The message names it. */
export class LogUnusableError extends Error {
  override readonly name: string = 'LogUnusableError';
  readonly code = LOG_UNUSABLE;
}

export const LOG_UNUSABLE = 'log_unusable';

class LogVersionError extends LogUnusableError {
  override readonly name = 'LogVersionError';
  constructor(directory: string, version: number) {
    super(
      `the event log in ${directory} has format ${version}, and this release reads formats ${[...ADDED.keys()].join(', ')}: ` +
        'start the release that wrote it, or a newer one',
    );
  }
}
