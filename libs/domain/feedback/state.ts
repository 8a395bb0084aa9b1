import type { FeedbackEvent, FeedbackGiven } from './events.js';

export type FeedbackState =
  | { readonly status: 'none' }
  | {
      readonly status: 'given';
      readonly latest: FeedbackGiven['data'];
      /** Verdicts so far, superseded ones included. */
      readonly count: number;
    };

export function evolve(state: FeedbackState, event: FeedbackEvent): FeedbackState {
  return { status: 'given', latest: event.data, count: state.status === 'none' ? 1 : state.count + 1 };
}
