import type { CommandsOf, Decider, Env } from '../decider.js';
import { ERASURE_EVENT_TYPES, type ErasedContent, type ErasedCopies, type ErasureEvent } from './events.js';
import { evolve, type ErasureState } from './state.js';

type ErasureCommand = CommandsOf<{
  'erase-content': ErasedContent;
  /** Once the content is erased. */
  'erase-copies': ErasedCopies;
}>;

/** Whether the content of one call was erased, by the call's id. */
export const erasureDecider: Decider<ErasureCommand, ErasureEvent, ErasureState> = {
  category: 'erasure',
  eventTypes: ERASURE_EVENT_TYPES,
  initial: null,
  decide,
  evolve,
};

function decide(command: ErasureCommand, state: ErasureState, env: Env): readonly ErasureEvent[] {
  if (command.type === 'erase-content') {
    const { type: _, ...erased } = command;
    return state === null ? [{ type: 'call-content-erased.v1', data: { ...erased, erasedAt: env.now } }] : [];
  }
  const { inferenceId, workspaceId } = command;
  if (state === null) return [];
  const versionIds = command.versionIds.filter((versionId) => !state.copies?.includes(versionId));
  if (versionIds.length === 0) return [];
  return [{ type: 'call-copies-erased.v1', data: { inferenceId, workspaceId, versionIds, erasedAt: env.now } }];
}
