import type { EventsOf, EventTypes } from '../decider.js';
import type { DestroyedKeys, Opened } from '../inference/index.js';
import type { Json } from '../json.js';
import type { Verdict } from './verdicts.js';

export type FeedbackEvent = EventsOf<{
  /** A reviewer's verdict on one inference. A later one supersedes an earlier one of that reviewer; both stay in the log. */
  'feedback-given.v1': {
    inferenceId: string;
    workspaceId: string;
    userId: string;
    /** The reviewer among the workspace's people: `reviewerOf`. Absent from older events. */
    reviewer?: string;
    /** As the call named it. Absent from older events. */
    modelId?: string;
    verdict: Verdict;
    correctedOutput: Json;
    /** Labels of the corrected output that the call did not request, as the reviewer states. Absent: none. */
    newLabels?: readonly string[];
    notes: string | null;
    at: string;
  } & Opened;
  /** A reviewer's verdict no longer counts. It stays in the log. */
  'feedback-removed.v1': { inferenceId: string; workspaceId: string; userId: string; reviewer: string; at: string };
  /** The texts of verdicts given before a time are erased: corrections, labels, notes. What was judged, and how, stays. */
  'feedback-texts-erased.v1': ErasedFeedback & { erasedAt: string };
}>;

export type ErasedFeedback = {
  readonly inferenceId: string;
  readonly workspaceId: string;
  /** Verdicts given at or before this time. */
  readonly until: string;
  /** The keys that were destroyed; none if the log has the texts unencrypted. */
  readonly keys: DestroyedKeys;
};

export type FeedbackGiven = Extract<FeedbackEvent, { type: 'feedback-given.v1' }>;
/** A reviewer's act. */
export type FeedbackAct = FeedbackGiven | FeedbackRemoved;

export type FeedbackRemoved = Extract<FeedbackEvent, { type: 'feedback-removed.v1' }>;

export const FEEDBACK_EVENT_TYPES: EventTypes<FeedbackEvent> = {
  'feedback-given.v1': true,
  'feedback-removed.v1': true,
  'feedback-texts-erased.v1': true,
};
