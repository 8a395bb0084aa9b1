import type { Hold, RetentionEvent, RetentionKind } from './events.js';

export interface RetentionState {
  /** Days by kind; null and absent: kept. */
  readonly days: { readonly [Kind in RetentionKind]?: number | null };
  /** Open holds, oldest first. */
  readonly holds: readonly (Hold & { readonly placedAt: string })[];
  /** Ids of holds that were released. */
  readonly released: readonly string[];
}

export const NO_RETENTION: RetentionState = { days: {}, holds: [], released: [] };

export function evolve(state: RetentionState, { type, data }: RetentionEvent): RetentionState {
  switch (type) {
    case 'retention-set.v1':
      return { ...state, days: { ...state.days, [data.kind]: data.days } };
    case 'hold-placed.v1':
      return { ...state, holds: [...state.holds, data] };
    case 'hold-released.v1':
      return {
        ...state,
        holds: state.holds.filter(({ holdId }) => holdId !== data.holdId),
        released: [...state.released, data.holdId],
      };
  }
}
