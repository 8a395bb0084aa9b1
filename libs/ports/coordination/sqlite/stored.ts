import type { Json } from '#domain/json.js';
import type { StoredCoordination } from '../port.js';
import { openForReading } from './database.js';

/** See `readStoredCoordination`. */
export function* storedInSqlite(directory: string): Generator<StoredCoordination> {
  const database = openForReading(directory);
  const now = Date.now();
  const rows = (table: 'entries' | 'counters') =>
    database
      .prepare(`SELECT key, value, ends FROM ${table} WHERE ends IS NULL OR ends > ? ORDER BY key`)
      .iterate(now) as Iterable<{ key: string; value: string | number; ends: number | null }>;
  try {
    for (const { key, value, ends } of rows('entries'))
      yield {
        kind: 'entry',
        key,
        value: JSON.parse(value as string) as Json,
        endsInMs: ends === null ? null : ends - now,
      };
    for (const { key, value, ends } of rows('counters'))
      yield { kind: 'counter', key, value: value as number, endsInMs: ends! - now };
  } finally {
    database.close();
  }
}
