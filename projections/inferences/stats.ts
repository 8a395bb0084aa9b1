import type { Filter } from '#log/projector/documents.js';
import type { ReadStoreQueries } from '#ports/read-store/port.js';
import { groupsOfDays, type CallGroups, type GroupField } from './day-groups.js';
import type { InferenceDocument } from './projection.js';
import { inferenceDocuments } from './queries.js';

export const MAX_GROUPS = 2_000;

const LATENCIES = [0.5, 0.95, 0.99];

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
): Promise<CallGroups | null> {
  const ofDays = await groupsOfDays(store, workspaceId, filter, { by, quantiles: LATENCIES });
  if (!ofDays) return groupsOfCalls(store, workspaceId, filter, by);
  return ofDays.groups.length > MAX_GROUPS ? null : ofDays;
}

/** The same from the calls themselves: for hours, parts of days, and conditions that days do not tell. */
export async function groupsOfCalls(
  store: ReadStoreQueries,
  workspaceId: string,
  filter: Filter<InferenceDocument>,
  by: readonly GroupField[],
): Promise<CallGroups | null> {
  const query = { where: { workspaceId }, filter };
  const corrected = { ...filter, contains: [...(filter.contains ?? []), { field: 'confusions' as const, text: '\n' }] };
  const [groups, confused] = await Promise.all([
    inferenceDocuments.group(store, query, {
      ...{ by, sums: ['picodollars'], tallies: [{ field: 'verdict' }, { field: 'status' }] },
      ...{ quantiles: { field: 'latencyMs', at: LATENCIES }, limit: MAX_GROUPS },
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
