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

/** What the calls of a key of the workspace have cost, in picodollars. @param days both included */
export async function costOfKey(
  store: ReadStoreQueries,
  { id: keyId, workspaceId }: { readonly id: string; readonly workspaceId: string },
  days: { readonly from: string; readonly to: string },
): Promise<bigint> {
  const ofDays = await usageDocuments.all(store, {
    where: { workspaceId },
    range: { field: 'day', ...days },
    filter: { where: { keyId } },
    order: { field: 'day', direction: 'ascending' },
  });
  return ofDays.reduce((sum, { cost }) => sum + BigInt(cost), 0n);
}

/** A team's usage, oldest day first. */
export const usageOf = (store: ReadStoreQueries, teamId: string): Promise<readonly UsageDocument[]> =>
  usageDocuments.all(store, { where: { teamId }, order: { field: 'day', direction: 'ascending' } });

/** Calls of a workspace that were made with `store: false`, by model. @param days both included */
export async function unstoredCalls(
  store: ReadStoreQueries,
  workspaceId: string,
  days: { readonly from?: string; readonly to?: string },
): Promise<ReadonlyMap<string, number>> {
  const ofDays = await usageDocuments.all(store, {
    where: { workspaceId },
    range: { field: 'day', ...days },
    order: { field: 'day', direction: 'ascending' },
  });
  const counts = new Map<string, number>();
  for (const { modelId, unstoredCount } of ofDays) counts.set(modelId, (counts.get(modelId) ?? 0) + unstoredCount);
  return counts;
}
