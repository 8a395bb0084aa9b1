import type { EventTypes } from '../decider.js';
import type { Json } from '../json.js';

/** A verdict on one inference. A later one supersedes an earlier one; both stay in the log. */
export interface FeedbackGiven {
  readonly type: 'feedback-given.v1';
  readonly data: {
    readonly inferenceId: string;
    readonly workspaceId: string;
    readonly userId: string;
    /** Who of the workspace's people: `reviewerOf`. Absent from older events. */
    readonly reviewer?: string;
    /** As the call named it. Absent from older events. */
    readonly modelId?: string;
    readonly verdict: 'correct' | 'incorrect';
    readonly correctedOutput: Json;
    readonly notes: string | null;
    readonly at: string;
  };
}

export type FeedbackEvent = FeedbackGiven;

export const FEEDBACK_EVENT_TYPES: EventTypes<FeedbackEvent> = {
  'feedback-given.v1': true,
};
