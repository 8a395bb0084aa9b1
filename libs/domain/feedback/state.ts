import type { FeedbackEvent, FeedbackGiven } from './events.js';

export type FeedbackState =
  { readonly status: 'none' } | { readonly status: 'given'; readonly latest: FeedbackGiven['data'] };

export function evolve(_state: FeedbackState, event: FeedbackEvent): FeedbackState {
  return { status: 'given', latest: event.data };
}
