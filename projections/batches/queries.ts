import { Documents } from '#log/projector/documents.js';
import type { ReadStoreQueries } from '#ports/read-store/port.js';
import { batches, type BatchDocument } from './projection.js';

export const batchDocuments = new Documents<BatchDocument>(batches);

/** Batches of a workspace that have not ended. */
export const openBatches = (store: ReadStoreQueries, workspaceId: string): Promise<number> =>
  batchDocuments.count(store, { where: { workspaceId, isOpen: true } });

const NEWEST_FIRST = { field: 'createdAt', direction: 'descending' } as const;
const MAX_OF_ONE_TIME = 1000;

/** A workspace's batches, newest first, that follow another one in that order; null for the first. */
export async function batchesAfter(
  store: ReadStoreQueries,
  workspaceId: string,
  last: Pick<BatchDocument, 'id' | 'createdAt'> | null,
  limit: number,
): Promise<readonly BatchDocument[]> {
  if (last === null) return batchDocuments.find(store, { where: { workspaceId }, order: NEWEST_FIRST, limit });
  const { createdAt } = last;
  const ofThatTime = await batchDocuments.find(store, {
    where: { workspaceId, createdAt },
    order: NEWEST_FIRST,
    limit: MAX_OF_ONE_TIME,
  });
  const offset = ofThatTime.findIndex(({ id }) => id === last.id) + 1;
  const range = { field: 'createdAt', to: createdAt } as const;
  return batchDocuments.find(store, { where: { workspaceId }, range, order: NEWEST_FIRST, limit, offset });
}
