import type { Decider, Env } from '../decider.js';
import type { FeedbackEvent, FeedbackGiven } from './events.js';
import { evolve, type FeedbackState } from './state.js';

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
  return [{ type: 'feedback-given.v1', data: { ...feedback, at: env.now } }];
}

const sameVerdict = (a: Omit<FeedbackGiven['data'], 'at'>, b: Omit<FeedbackGiven['data'], 'at'>): boolean =>
  a.userId === b.userId &&
  a.verdict === b.verdict &&
  a.notes === b.notes &&
  JSON.stringify(a.correctedOutput) === JSON.stringify(b.correctedOutput);
