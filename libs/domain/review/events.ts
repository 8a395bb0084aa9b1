import type { Opened } from '../inference/index.js';
import type { EventsOf, EventTypes } from '../decider.js';

/**
 * Decisions of reviewers about the review of a call, in addition to their verdicts (`feedback`). The last one counts.
 */
export type ReviewEvent = EventsOf<{
  /** Only this reviewer is offered the call, until there is a verdict of theirs. */
  'review-assigned.v1': ReviewMark & { readonly by: string };
  /** The call is not offered to anyone, until it is assigned or has another verdict. */
  'review-skipped.v1': ReviewMark & { readonly reason: string | null } & Opened;
}>;

export type ReviewMark = {
  readonly inferenceId: string;
  readonly workspaceId: string;
  /** As the call named it. */
  readonly modelId: string;
  /** Name of a reviewer: as requests give it or, without one, `key:<id>` or `user:<id>`. */
  readonly reviewer: string;
  readonly at: string;
};

export const REVIEW_EVENT_TYPES: EventTypes<ReviewEvent> = {
  'review-assigned.v1': true,
  'review-skipped.v1': true,
};
