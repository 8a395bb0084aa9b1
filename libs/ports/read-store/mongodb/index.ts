import { MongoConnection, type MongoConnectionOptions } from './connection.js';
import { MongoReadStore } from './mongo-read-store.js';

export { MongoReadStore };

interface MongoReadStoreOptions extends MongoConnectionOptions {
  /** Removes what a crash left behind. */
  readonly removeOrphans?: boolean;
}

/**
 * The read store at an address. It connects when first needed: a server that is away makes steps fail, not this one.
 * @throws RangeError the address is none of MongoDB's
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
