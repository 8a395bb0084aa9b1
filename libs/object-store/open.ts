import { randomBytes } from 'node:crypto';
import type { ObjectStore } from './port.js';

/** Where the objects are, as plain data: a child process opens the same store by it. Holds no secret. */
export type ObjectStoreAddress = { readonly kind: 'folder'; readonly directory: string };

/**
 * Opens a store to read and write objects. It has no signing key of the installation, so the addresses that it would
 * presign are worthless: only the API presigns.
 */
export async function openObjectStore(address: ObjectStoreAddress): Promise<ObjectStore> {
  const { FolderObjectStore } = await import('./folder/index.js');
  const { directory } = address;
  return new FolderObjectStore({ directory, signingKey: randomBytes(32), publicUrl: 'http://unsigned.invalid' });
}
