import type { StoredCoordination } from './port.js';

/** Where coordination is, as plain data. Never log an address. */
export type CoordinationLocation =
  | { readonly adapter: 'sqlite'; readonly directory: string }
  | { readonly adapter: 'mongodb'; readonly address: string };

/** Reads all entries and counters that have not expired, for a copy. Leases are not among them: they last for seconds. */
export async function* readStoredCoordination(location: CoordinationLocation): AsyncGenerator<StoredCoordination> {
  if (location.adapter === 'mongodb') {
    const { storedInMongo } = await import('./mongodb/stored.js');
    yield* storedInMongo(location.address);
  } else {
    const { storedInSqlite } = await import('./sqlite/stored.js');
    yield* storedInSqlite(location.directory);
  }
}
