import type { CommandsOf, Decider, Env } from '../decider.js';
import { ERASURE_EVENT_TYPES, type ErasedContent, type ErasureEvent } from './events.js';
import { evolve, type ErasureState } from './state.js';

export type ErasureCommand = CommandsOf<{ 'erase-content': ErasedContent }>;

/** Whether the content of one call was erased, by the call's id. */
export const erasureDecider: Decider<ErasureCommand, ErasureEvent, ErasureState> = {
  category: 'erasure',
  eventTypes: ERASURE_EVENT_TYPES,
  initial: null,
  decide,
  evolve,
};

function decide({ type: _, ...erased }: ErasureCommand, state: ErasureState, env: Env): readonly ErasureEvent[] {
  return state === null ? [{ type: 'call-content-erased.v1', data: { ...erased, erasedAt: env.now } }] : [];
}
