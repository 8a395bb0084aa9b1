import type { Decider, Env } from '../decider.js';
import { ConflictError } from '../errors.js';
import type { FeedbackEvent, FeedbackGiven } from './events.js';
import { evolve, type FeedbackState } from './state.js';

/** On one inference: each may hold a large output, and all are read when another comes. */
export const MOST_VERDICTS = 100;

export interface FeedbackCommand extends Omit<FeedbackGiven['data'], 'at'> {
  readonly type: 'give-feedback';
}

export const feedbackDecider: Decider<FeedbackCommand, FeedbackEvent, FeedbackState> = {
  category: 'feedback',
  initial: { status: 'none' },
  decide,
  evolve,
};

/** The same verdict again says nothing new. */
function decide({ type: _, ...feedback }: FeedbackCommand, state: FeedbackState, env: Env): readonly FeedbackEvent[] {
  if (state.status === 'given' && sameVerdict(state.latest, feedback)) return [];
  if (state.status === 'given' && state.count >= MOST_VERDICTS)
    throw new ConflictError(
      `inference ${feedback.inferenceId} has been given feedback ${MOST_VERDICTS} times; no more is taken`,
    );
  return [{ type: 'feedback-given.v1', data: { ...feedback, at: env.now } }];
}

const sameVerdict = (a: Omit<FeedbackGiven['data'], 'at'>, b: Omit<FeedbackGiven['data'], 'at'>): boolean =>
  a.userId === b.userId &&
  a.verdict === b.verdict &&
  a.notes === b.notes &&
  JSON.stringify(a.correctedOutput) === JSON.stringify(b.correctedOutput);
