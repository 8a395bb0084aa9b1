import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { KeyStore } from './port.js';
import { KEYS_FILE } from './sqlite/keys-file.js';

/** The adapter and place of the keys, as plain data that a thread can be given. Never log it. */
export type KeyStoreLocation =
  | { readonly adapter: 'sqlite'; readonly directory: string }
  | { readonly adapter: 'mongodb'; readonly address: string };

/** Adapters are loaded when they are chosen. */
export async function openKeyStore(location: KeyStoreLocation): Promise<KeyStore> {
  if (location.adapter === 'mongodb') {
    const { MongoKeyStore } = await import('./mongodb/index.js');
    return new MongoKeyStore(location.address);
  }
  const { SqliteKeyStore } = await import('./sqlite/index.js');
  return new SqliteKeyStore(location.directory);
}

/** Whether opening the store would create it. */
export const isMissing = (location: KeyStoreLocation): boolean =>
  location.adapter === 'sqlite' && !existsSync(join(location.directory, KEYS_FILE));
