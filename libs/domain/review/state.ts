import type { ReviewEvent } from './events.js';

export interface ReviewState {
  /** The latest event; null if there is none, or earlier ones were not read. */
  readonly latest: ReviewEvent | null;
  readonly count: number;
}

export function evolve({ count }: ReviewState, latest: ReviewEvent): ReviewState {
  return { latest, count: count + 1 };
}
