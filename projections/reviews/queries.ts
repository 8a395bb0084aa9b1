import { Documents, type Conditions, type FieldRange } from '#log/projector/documents.js';
import type { ReadStoreQueries } from '#ports/read-store/port.js';
import { pairOf, reviews, shuffledUpTo, type ReviewDocument, type ReviewQueue } from './projection.js';

export const reviewDocuments = new Documents<ReviewDocument>(reviews);

export interface QueuePart {
  readonly workspaceId: string;
  readonly queue: ReviewQueue;
  readonly modelId?: string | undefined;
  readonly modelName?: string | undefined;
  /** Label of the least certain answer; only with `modelId` or `modelName`. */
  readonly label?: string | undefined;
}

const BY_RANK = { field: 'rank', direction: 'ascending' } as const;

/** The first of a queue, least certain first, or newest errors first. */
export const ranked = (
  store: ReadStoreQueries,
  part: QueuePart,
  limit: number,
  range?: Pick<FieldRange<ReviewDocument>, 'from' | 'to'>,
): Promise<readonly ReviewDocument[]> =>
  reviewDocuments.find(store, {
    ...{ where: whereOf(part), order: BY_RANK, limit },
    ...(range && { range: { field: 'rank', ...range } }),
  });

/** The first of a queue among a share of all calls, which their ids choose. @param share 0 to 1 */
export const rankedOfShare = (
  store: ReadStoreQueries,
  part: QueuePart,
  limit: number,
  share: number,
): Promise<readonly ReviewDocument[]> => {
  const filter = { ranges: [{ field: 'shuffled', to: shuffledUpTo(share) }] } as const;
  return reviewDocuments.find(store, { where: whereOf(part), filter, order: BY_RANK, limit });
};

/** Numbers of calls that both versions of a pair have answered, and that they answered alike. */
export async function agreementOf(
  store: ReadStoreQueries,
  workspaceId: string,
  versions: Parameters<typeof pairOf>,
): Promise<{ readonly compared: number; readonly alike: number }> {
  const pair = pairOf(...versions);
  const [compared, alike] = await Promise.all([
    newest(store, { workspaceId, compared: pair }, 'nCompared'),
    newest(store, { workspaceId, alike: pair }, 'nAlike'),
  ]);
  return { compared, alike };
}

async function newest(
  store: ReadStoreQueries,
  where: Conditions<ReviewDocument>,
  field: 'nCompared' | 'nAlike',
): Promise<number> {
  const order = { field, direction: 'descending' } as const;
  const [found] = await reviewDocuments.find(store, { where, range: { field, from: 1 }, order, limit: 1 });
  return found?.[field] ?? 0;
}

const whereOf = ({ workspaceId, queue, modelId, modelName, label }: QueuePart) => ({
  ...{ workspaceId, queue },
  ...(modelId !== undefined && { modelId }),
  ...(modelName !== undefined && { modelName }),
  ...(label !== undefined && { label }),
});
