import { reviewerIn, withoutTexts, type FeedbackGiven, type Verdict, type Verdicts } from '#domain/feedback/index.js';
import { summary } from '#domain/inference/index.js';
import type { Json } from '#domain/json.js';
import type { Position } from '#ports/event-store/port.js';
import type { InEvent } from './content.js';

/** A reviewer's verdict. Large ones are cut as contents are. */
export type Feedback = {
  readonly userId: string;
  readonly reviewer: string;
  readonly verdict: Verdict;
  readonly correctedOutput: Json;
  /** Absent: none. */
  readonly newLabels?: readonly string[];
  readonly notes: string | null;
  readonly at: string;
  readonly truncated: readonly string[];
  readonly whole: InEvent | null;
};

/** The verdicts on a call, as its document has them. */
interface OfVerdicts {
  /** The verdict that was given last. */
  readonly feedback: Feedback | null;
  /** The verdicts of other reviewers, the latest last; absent if there are none. */
  readonly otherFeedback?: Verdicts<Feedback>;
}

/** Verdicts on a call, of each reviewer, the latest last. */
export const verdictsOn = ({ feedback, otherFeedback = [] }: OfVerdicts): Verdicts<Feedback> =>
  feedback ? [...otherFeedback, feedback] : [];

export function ofVerdicts(verdicts: Verdicts<Feedback>): OfVerdicts {
  const others = verdicts.slice(0, -1);
  return { feedback: verdicts.at(-1) ?? null, ...(others.length > 0 && { otherFeedback: others }) };
}

export const unquoted = (given: Feedback): Feedback => ({ ...withoutTexts(given), truncated: [], whole: null });

export function feedbackOf(given: FeedbackGiven['data'], position: Position): Feedback {
  const { userId, verdict, correctedOutput, newLabels, notes, at } = given;
  const texts = summary({ correctedOutput }, { notes });
  const labels = newLabels && { newLabels };
  return {
    userId,
    reviewer: reviewerIn(given),
    verdict,
    at,
    ...labels,
    ...texts,
    whole: texts.truncated.length > 0 ? { position } : null,
  };
}
