import { Documents } from '#log/projector/documents.js';
import type { ReadStoreQueries } from '#ports/read-store/port.js';
import { apiKeys, type ApiKeyDocument } from './projection.js';

export const apiKeyDocuments = new Documents<ApiKeyDocument>(apiKeys);

/** A user's own keys that are not revoked. */
export const activeKeysOf = (
  store: ReadStoreQueries,
  userId: string,
  direction: 'ascending' | 'descending',
): Promise<readonly ApiKeyDocument[]> =>
  apiKeyDocuments.find(store, {
    where: { userId, status: 'active' },
    order: { field: 'createdAt', direction },
    limit: MAX_LISTED,
  });

const MAX_LISTED = 10_000;
