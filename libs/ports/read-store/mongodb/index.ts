import { MongoConnection, type MongoConnectionOptions } from './connection.js';
import { MongoReadStore } from './mongo-read-store.js';

export { MongoReadStore };

interface MongoReadStoreOptions extends MongoConnectionOptions {
  /** Removes leftovers of a crash. */
  readonly removeOrphans?: boolean;
}

/**
 * The read store at an address. It connects at first use: an unreachable server fails steps, not this call.
 * @throws RangeError the address is not one of MongoDB's
 */
export async function openMongoReadStore({
  removeOrphans = false,
  ...options
}: MongoReadStoreOptions): Promise<MongoReadStore> {
  const store = new MongoReadStore(new MongoConnection(options));
  // A later start removes them if this one cannot.
  if (removeOrphans) await store.removeOrphans().catch(() => undefined);
  return store;
}
