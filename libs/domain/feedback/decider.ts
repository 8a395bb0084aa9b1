import type { Decider, Env } from '../decider.js';
import { ConflictError } from '../errors.js';
import {
  FEEDBACK_EVENT_TYPES,
  type ErasedFeedback,
  type FeedbackEvent,
  type FeedbackGiven,
  type FeedbackRemoved,
} from './events.js';
import {
  evolve,
  evolveTexts,
  evolveVerdicts,
  type FeedbackState,
  type FeedbackTexts,
  type ReviewersVerdict,
  type Verdicts,
} from './state.js';

/** Limit per inference, on verdicts given and removed. */
export const MAX_VERDICTS = 100;

export interface FeedbackCommand extends Omit<FeedbackGiven['data'], 'at'> {
  readonly type: 'give-feedback';
  /** When it was given in another system; absent: now. */
  readonly givenAt?: string;
}

export const feedbackDecider: Decider<FeedbackCommand, FeedbackEvent, FeedbackState> = {
  category: 'feedback',
  eventTypes: FEEDBACK_EVENT_TYPES,
  initial: { latest: null, count: 0 },
  decide,
  evolve,
  skip: (count) => ({ latest: null, count }),
};

/** Repeating the same verdict has no effect. */
function decide(
  { type: _, givenAt, ...feedback }: FeedbackCommand,
  state: FeedbackState,
  env: Env,
): readonly FeedbackEvent[] {
  if (state.latest && sameVerdict(state.latest, feedback)) return [];
  if (state.count >= MAX_VERDICTS)
    throw new ConflictError(
      `inference ${feedback.inferenceId} has been given feedback ${MAX_VERDICTS} times, the maximum`,
    );
  return [{ type: 'feedback-given.v1', data: { ...feedback, at: givenAt ?? env.now } }];
}

const sameVerdict = (a: Omit<FeedbackGiven['data'], 'at'>, b: Omit<FeedbackGiven['data'], 'at'>): boolean =>
  a.userId === b.userId &&
  a.reviewer === b.reviewer &&
  a.verdict === b.verdict &&
  a.notes === b.notes &&
  JSON.stringify(a.newLabels) === JSON.stringify(b.newLabels) &&
  JSON.stringify(a.correctedOutput) === JSON.stringify(b.correctedOutput);

interface FeedbackRemoval extends Omit<FeedbackRemoved['data'], 'at'> {
  readonly type: 'remove-feedback';
}

/** Decides on removals, for which the verdicts of all reviewers are read. Removing no verdict has no effect. */
export const feedbackRemovalDecider: Decider<FeedbackRemoval, FeedbackEvent, Verdicts<ReviewersVerdict>> = {
  category: 'feedback',
  eventTypes: FEEDBACK_EVENT_TYPES,
  initial: [],
  decide: ({ type: _, ...removal }, verdicts, env) =>
    verdicts.some(({ reviewer }) => reviewer === removal.reviewer)
      ? [{ type: 'feedback-removed.v1', data: { ...removal, at: env.now } }]
      : [],
  evolve: evolveVerdicts,
};

interface FeedbackErasure extends ErasedFeedback {
  readonly type: 'erase-feedback-texts';
}

/** Decides on the erasure of what verdicts quote. If no verdict is that old, nothing happens. */
export const feedbackErasureDecider: Decider<FeedbackErasure, FeedbackEvent, FeedbackTexts> = {
  category: 'feedback',
  eventTypes: FEEDBACK_EVENT_TYPES,
  initial: { kept: [], erasedAt: null },
  decide: ({ type: _, ...erased }, { kept }, env) =>
    kept.some((at) => at <= erased.until)
      ? [{ type: 'feedback-texts-erased.v1', data: { ...erased, erasedAt: env.now } }]
      : [],
  evolve: evolveTexts,
};
