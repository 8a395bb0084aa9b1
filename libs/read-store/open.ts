import type { ReadStore, ReadStoreQueries } from './port.js';

/** Which adapter holds the documents, and where. Plain, so that it can be handed to a thread. */
export interface ReadStoreLocation {
  readonly adapter: 'sqlite';
  /** A folder of its own. */
  readonly directory: string;
}

/** The whole store, for the thread that writes projections. Adapters are loaded when they are chosen. */
export async function openReadStore(
  location: ReadStoreLocation,
  options: { readonly removeOrphans?: boolean } = {},
): Promise<ReadStore> {
  const { SqliteReadStore } = await import('./sqlite/sqlite-read-store.js');
  return new SqliteReadStore({ directory: location.directory, ...options });
}

/** Queries for a thread that must not stall. Open it once the store itself has been opened. */
export async function openQueries(location: ReadStoreLocation): Promise<ReadStoreQueries & { close(): Promise<void> }> {
  const { SqliteQueries } = await import('./sqlite/sqlite-queries.js');
  return new SqliteQueries(location.directory);
}
