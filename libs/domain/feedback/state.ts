import type { FeedbackEvent, FeedbackGiven } from './events.js';

export interface FeedbackState {
  /** The latest verdict; null when there is none, or when earlier ones were not read. */
  readonly latest: FeedbackGiven['data'] | null;
  /** Verdicts so far, superseded ones included. */
  readonly count: number;
}

export function evolve({ count }: FeedbackState, event: FeedbackEvent): FeedbackState {
  return { latest: event.data, count: count + 1 };
}
