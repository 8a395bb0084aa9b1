import type { Json } from '#domain/json.js';

/** Where coordination is, as plain data. Never log an address. */
export type CoordinationLocation =
  | { readonly adapter: 'sqlite'; readonly directory: string }
  | { readonly adapter: 'mongodb'; readonly address: string };

/** An entry or counter as it is stored, HMAC included. */
export type StoredCoordination = { readonly key: string; /** null: never. */ readonly endsInMs: number | null } & (
  { readonly kind: 'entry'; readonly value: Json } | { readonly kind: 'counter'; readonly value: number }
);

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
