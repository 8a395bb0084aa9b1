import { Documents, type Page } from '#log/projector/documents.js';
import type { ReadStoreQueries } from '#ports/read-store/port.js';
import { usage, type UsageDocument } from './projection.js';

export const usageDocuments = new Documents<UsageDocument>(usage);

/** A workspace's usage, newest day first. @param days both included */
export const pageOfUsage = (
  store: ReadStoreQueries,
  workspaceId: string,
  days: { readonly from?: string; readonly to?: string },
  page: { readonly limit: number; readonly offset: number },
): Promise<Page<UsageDocument>> =>
  usageDocuments.page(store, {
    where: { workspaceId },
    range: { field: 'day', ...days },
    order: { field: 'day', direction: 'descending' },
    ...page,
  });

/** A team's usage, oldest day first. */
export const usageOf = (store: ReadStoreQueries, teamId: string): Promise<readonly UsageDocument[]> =>
  usageDocuments.all(store, { where: { teamId }, order: { field: 'day', direction: 'ascending' } });
