import { Documents } from '#log/projector/documents.js';
import type { ReadStoreQueries } from '#ports/read-store/port.js';
import { storage, type StorageDocument } from './projection.js';

export const storageDocuments = new Documents<StorageDocument>(storage);

/** The amount that a workspace stores, deleted versions excluded. */
export async function storedIn(
  store: ReadStoreQueries,
  workspaceId: string,
): Promise<{ readonly bytes: number; readonly rows: number }> {
  const [bytes = 0, rows = 0] = await storageDocuments.sum(store, { workspaceId }, ['bytes', 'rows']);
  return { bytes, rows };
}

/** Bytes of a workspace's deleted versions that are kept, to be restored. */
export async function keptIn(store: ReadStoreQueries, workspaceId: string): Promise<number> {
  const [kept = 0] = await storageDocuments.sum(store, { workspaceId }, ['keptBytes']);
  return kept;
}

/** A workspace's deleted versions, oldest deletion first. */
export const deletedVersions = (
  store: ReadStoreQueries,
  workspaceId: string,
  limit: number,
): Promise<readonly StorageDocument[]> =>
  storageDocuments.find(store, {
    where: { workspaceId },
    range: { field: 'deletedAt', from: '' },
    order: { field: 'deletedAt', direction: 'ascending' },
    limit,
  });
