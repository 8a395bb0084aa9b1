import type { Filter } from '#log/projector/documents.js';
import type { Group, GroupKey, ReadStoreQueries } from '#ports/read-store/port.js';
import type { InferenceDocument } from './projection.js';
import { inferenceDocuments } from './queries.js';

export type GroupField = GroupKey & {
  readonly field: 'modelKey' | 'versionKey' | 'labels' | 'projectId' | 'createdAt' | 'verdict';
};

export const MAX_GROUPS = 2_000;

/**
 * Calls of a workspace that match, counted by up to two fields: the sums of their costs in picodollars; how many have each verdict,
 * and each status; the 50th, 95th and 99th percentile of their latencies. And how often labels were confused in each group.
 * @returns null for more than `MAX_GROUPS` groups
 */
export async function inferenceGroups(
  store: ReadStoreQueries,
  workspaceId: string,
  filter: Filter<InferenceDocument>,
  by: readonly GroupField[],
): Promise<{ readonly groups: readonly Group[]; readonly confused: readonly Group[] } | null> {
  const query = { where: { workspaceId }, filter };
  const corrected = { ...filter, contains: [...(filter.contains ?? []), { field: 'confusions' as const, text: '\n' }] };
  const [groups, confused] = await Promise.all([
    inferenceDocuments.group(store, query, {
      ...{ by, sums: ['picodollars'], tallies: [{ field: 'verdict' }, { field: 'status' }] },
      ...{ quantiles: { field: 'latencyMs', at: [0.5, 0.95, 0.99] }, limit: MAX_GROUPS },
    }),
    inferenceDocuments.group(
      store,
      { ...query, filter: corrected },
      {
        ...{ by, sums: [], tallies: [{ field: 'confusions', unit: 'words' }], limit: MAX_GROUPS },
      },
    ),
  ]);
  return groups && confused && { groups, confused };
}
