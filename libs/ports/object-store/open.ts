import { randomBytes } from 'node:crypto';
import type { ObjectStore } from './port.js';

/**
 * The address of an object store as plain data, with which a child process opens the same store. Contains no secret.
 */
export type ObjectStoreAddress =
  | { readonly kind: 'folder'; readonly directory: string }
  /** `s3://BUCKET/PREFIX?region=...`; its opener finds credentials in its own environment. */
  | { readonly kind: 's3'; readonly address: string };

/**
 * Opens a store to read and write objects. A folder has no signing key of the installation here, so the addresses that it
 * would presign are worthless: only the API presigns.
 */
export async function openObjectStore(address: ObjectStoreAddress): Promise<ObjectStore> {
  if (address.kind === 's3') {
    const { openS3ObjectStore } = await import('./s3/index.js');
    return openS3ObjectStore(address.address);
  }
  const { FolderObjectStore } = await import('./folder/index.js');
  const { directory } = address;
  return new FolderObjectStore({ directory, signingKeys: [randomBytes(32)], publicUrl: 'http://unsigned.invalid' });
}
