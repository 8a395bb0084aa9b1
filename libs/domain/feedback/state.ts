import type { FeedbackEvent, FeedbackGiven } from './events.js';

type Given = FeedbackGiven['data'];

export interface FeedbackState {
  /** The verdict that was given last; null when there is none, when the last event removed one, or when earlier ones were not read. */
  readonly latest: Given | null;
  /** Events so far. */
  readonly count: number;
}

export function evolve({ count }: FeedbackState, event: FeedbackEvent): FeedbackState {
  return { latest: event.type === 'feedback-given.v1' ? event.data : null, count: count + 1 };
}

/** The verdict of each reviewer, the latest last. */
export type Verdicts<Given> = readonly Given[];

type Reviewed = Pick<Given, 'userId' | 'reviewer'>;

/** The reviewer of an event; of an older one, its user. */
export const reviewerIn = ({ reviewer, userId }: Reviewed): string => reviewer ?? `user:${userId}`;

/** The verdicts after a reviewer gave one (`given`), or removed it (null). */
export const verdictsAfter = <Given extends { readonly reviewer: string }>(
  verdicts: Verdicts<Given>,
  event: Reviewed,
  given: Given | null,
): Verdicts<Given> => [...verdicts.filter(({ reviewer }) => reviewer !== reviewerIn(event)), ...(given ? [given] : [])];

export type ReviewersVerdict = Given & { readonly reviewer: string };

export const evolveVerdicts = (
  verdicts: Verdicts<ReviewersVerdict>,
  { type, data }: FeedbackEvent,
): Verdicts<ReviewersVerdict> =>
  verdictsAfter(verdicts, data, type === 'feedback-given.v1' ? { ...data, reviewer: reviewerIn(data) } : null);
