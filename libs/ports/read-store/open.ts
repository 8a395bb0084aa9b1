import type { ReadStore, ReadStoreQueries } from './port.js';

/** The adapter and place of the documents, as plain data that a thread can be given. Never log it: an address may hold a password. */
export type ReadStoreLocation =
  /** A folder of its own. */
  | { readonly adapter: 'sqlite'; readonly directory: string }
  /** `mongodb://...`, with credentials if needed; its path names the database (default: `anneal`). */
  | { readonly adapter: 'mongodb'; readonly address: string };

/** Maximum time in milliseconds that a query waits for the store: its caller needs an answer. */
const QUERY_DEADLINE_MS = 8_000;

/** The whole store, for what writes projections. Adapters are loaded when they are chosen. */
export async function openReadStore(
  location: ReadStoreLocation,
  options: { readonly removeOrphans?: boolean } = {},
): Promise<ReadStore> {
  if (location.adapter === 'mongodb') {
    const { openMongoReadStore } = await import('./mongodb/index.js');
    return openMongoReadStore({ address: location.address, ...options });
  }
  const { SqliteReadStore } = await import('./sqlite/sqlite-read-store.js');
  return new SqliteReadStore({ directory: location.directory, ...options });
}

/** Queries for a thread that must not stall. Open it once the store itself has been opened. */
export async function openQueries(location: ReadStoreLocation): Promise<ReadStoreQueries & { close(): Promise<void> }> {
  if (location.adapter === 'mongodb') {
    const { openMongoReadStore } = await import('./mongodb/index.js');
    return openMongoReadStore({ address: location.address, deadlineMs: QUERY_DEADLINE_MS });
  }
  const { SqliteQueries } = await import('./sqlite/sqlite-queries.js');
  return new SqliteQueries(location.directory);
}
