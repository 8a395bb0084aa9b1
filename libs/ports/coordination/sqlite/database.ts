import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { requireNoTriggers } from '#primitives/sqlite/triggers.js';

const fileIn = (directory: string): string => join(directory, 'coordination.db');

/** Numbers come from one sequence, so that a key that was removed and made again never meets an old version. */
const SCHEMA = `
  CREATE TABLE IF NOT EXISTS entries (key TEXT PRIMARY KEY, value TEXT NOT NULL, version INTEGER NOT NULL, ends INTEGER);
  CREATE TABLE IF NOT EXISTS counters (key TEXT PRIMARY KEY, value INTEGER NOT NULL, ends INTEGER NOT NULL);
  CREATE TABLE IF NOT EXISTS leases (
    name TEXT PRIMARY KEY, holder TEXT NOT NULL, token INTEGER NOT NULL, ends INTEGER NOT NULL
  );
  CREATE TABLE IF NOT EXISTS sequence (one INTEGER PRIMARY KEY CHECK (one = 1), last INTEGER NOT NULL);
  INSERT OR IGNORE INTO sequence VALUES (1, 0);
  CREATE INDEX IF NOT EXISTS entries_ending ON entries (ends) WHERE ends IS NOT NULL;
  CREATE INDEX IF NOT EXISTS counters_ending ON counters (ends);
  CREATE INDEX IF NOT EXISTS leases_ending ON leases (ends);
`;

/** The writer's connection. Creates the file when missing. */
export function openForWriting(directory: string, durability: 'full' | 'normal'): DatabaseSync {
  const database = new DatabaseSync(fileIn(directory), { timeout: 5_000 });
  try {
    database.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = ${durability === 'full' ? 'FULL' : 'NORMAL'}`);
    // Removed values (a session, a sealed token) must not stay in the file.
    database.exec('PRAGMA secure_delete = ON; PRAGMA cache_size = -2000');
    database.exec(SCHEMA);
    requireNoTriggers(database, 'coordination.db');
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** A connection that only reads, for any thread. */
export function openForReading(directory: string): DatabaseSync {
  const database = new DatabaseSync(fileIn(directory), { readOnly: true, timeout: 5_000 });
  database.exec('PRAGMA cache_size = -1000');
  return database;
}
