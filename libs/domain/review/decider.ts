import type { CommandsOf, Decider, Env } from '../decider.js';
import { ConflictError } from '../errors.js';
import { REVIEW_EVENT_TYPES, type ReviewEvent, type ReviewMark } from './events.js';
import { evolve, type ReviewState } from './state.js';

/** Limit per inference. */
export const MAX_REVIEW_MARKS = 100;

export type ReviewCommand = CommandsOf<{
  'assign-review': Omit<ReviewMark, 'at'> & { readonly by: string };
  'skip-review': Omit<ReviewMark, 'at'> & { readonly reason: string | null };
}>;

export const reviewDecider: Decider<ReviewCommand, ReviewEvent, ReviewState> = {
  category: 'review',
  eventTypes: REVIEW_EVENT_TYPES,
  initial: { latest: null, count: 0 },
  decide,
  evolve,
  skip: (count) => ({ latest: null, count }),
};

/** Repeating the latest assignment or skip has no effect. */
function decide(command: ReviewCommand, { latest, count }: ReviewState, { now }: Env): readonly ReviewEvent[] {
  const event = eventOf(command, now);
  if (
    latest?.type === event.type &&
    latest.data.reviewer === event.data.reviewer &&
    reasonOf(latest) === reasonOf(event)
  )
    return [];
  if (count >= MAX_REVIEW_MARKS)
    throw new ConflictError(
      `inference ${command.inferenceId} has been assigned or skipped ${MAX_REVIEW_MARKS} times, the maximum`,
    );
  return [event];
}

function eventOf(command: ReviewCommand, at: string): ReviewEvent {
  if (command.type === 'assign-review') {
    const { type: _, ...data } = command;
    return { type: 'review-assigned.v1', data: { ...data, at } };
  }
  const { type: _, ...data } = command;
  return { type: 'review-skipped.v1', data: { ...data, at } };
}

const reasonOf = (event: ReviewEvent): string | null => (event.type === 'review-skipped.v1' ? event.data.reason : null);
