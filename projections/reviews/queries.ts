import { Documents, type FieldRange } from '#log/projector/documents.js';
import type { ReadStoreQueries } from '#ports/read-store/port.js';
import { reviews, shuffledUpTo, type ReviewDocument, type ReviewQueue } from './projection.js';

export const reviewDocuments = new Documents<ReviewDocument>(reviews);

/** A call of an encoder that people may review; null for none, or of another workspace. */
export async function reviewOf(
  store: ReadStoreQueries,
  workspaceId: string,
  id: string,
): Promise<ReviewDocument | null> {
  const document = await reviewDocuments.get(store, id);
  return document?.workspaceId === workspaceId ? document : null;
}

export interface QueuePart {
  readonly workspaceId: string;
  readonly queue: ReviewQueue;
  readonly modelId?: string | undefined;
  /** Of the least certain answer; only with `modelId`. */
  readonly label?: string | undefined;
}

type Range = FieldRange<ReviewDocument>;

/** The first of a queue, least certain first, or newest errors first. */
export const ranked = (
  store: ReadStoreQueries,
  part: QueuePart,
  limit: number,
  range?: Pick<Range, 'from' | 'to'>,
): Promise<readonly ReviewDocument[]> =>
  reviewDocuments.find(store, {
    ...{ where: whereOf(part), order: { field: 'rank', direction: 'ascending' }, limit },
    ...(range && { range: { field: 'rank', ...range } }),
  });

/** The first of a queue in the random order, from one place on and then from the beginning. */
export async function shuffled(
  store: ReadStoreQueries,
  part: QueuePart,
  limit: number,
  { from = 0, to = shuffledUpTo(1) }: { readonly from?: number; readonly to?: number } = {},
): Promise<readonly ReviewDocument[]> {
  const within = (range: Pick<Range, 'from' | 'to'>, most: number) =>
    reviewDocuments.find(store, {
      where: whereOf(part),
      range: { field: 'shuffled', ...range },
      order: { field: 'shuffled', direction: 'ascending' },
      limit: most,
    });
  const first = from > to ? [] : await within({ from, to }, limit);
  const left = limit - first.length;
  return from === 0 || left === 0
    ? first
    : [...first, ...(await within({ from: 0, to: Math.min(to, from - 1) }, left))];
}

const whereOf = ({ workspaceId, queue, modelId, label }: QueuePart) => ({
  ...{ workspaceId, queue },
  ...(modelId !== undefined && { modelId }),
  ...(label !== undefined && { label }),
});
