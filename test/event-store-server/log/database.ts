import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** `gone` are positions whose events were scavenged: they are still places in the log. */
const SCHEMA = `
  CREATE TABLE IF NOT EXISTS streams (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, last INTEGER NOT NULL);
  CREATE TABLE IF NOT EXISTS events (
    position INTEGER PRIMARY KEY,
    stream INTEGER NOT NULL,
    revision INTEGER NOT NULL,
    id TEXT NOT NULL,
    type TEXT NOT NULL,
    content_type TEXT NOT NULL,
    created INTEGER NOT NULL,
    data BLOB NOT NULL,
    metadata BLOB NOT NULL
  );
  CREATE UNIQUE INDEX IF NOT EXISTS events_by_stream ON events (stream, revision);
  CREATE TABLE IF NOT EXISTS gone (position INTEGER PRIMARY KEY);
`;

/** Acknowledged writes survive a power failure. @param directory created if missing; null for a log in memory */
export function openDatabase(directory: string | null): DatabaseSync {
  if (directory !== null) mkdirSync(directory, { recursive: true });
  const database = new DatabaseSync(directory === null ? ':memory:' : join(directory, 'event-store-server.db'));
  database.exec(`
    PRAGMA locking_mode = EXCLUSIVE;
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = FULL;
    PRAGMA cache_size = -32000;
    ${SCHEMA}
  `);
  return database;
}
