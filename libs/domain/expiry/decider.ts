import type { CommandsOf, Decider, Env } from '../decider.js';
import { EXPIRY_EVENT_TYPES, type Expired, type ExpiryEvent } from './events.js';
import { evolve, type ExpiryState } from './state.js';

type ExpiryCommand = CommandsOf<{ 'record-expiry': Expired }>;

/** Records the contents of a workspace that expired on one day. */
export const expiryDecider: Decider<ExpiryCommand, ExpiryEvent, ExpiryState> = {
  category: 'expiry',
  eventTypes: EXPIRY_EVENT_TYPES,
  initial: [],
  decide,
  evolve,
};

export const expiryId = ({ workspaceId, day }: Pick<Expired, 'workspaceId' | 'day'>): string => `${workspaceId}-${day}`;

function decide({ type: _, ...expired }: ExpiryCommand, state: ExpiryState, env: Env): readonly ExpiryEvent[] {
  if (state.includes(expired.kind)) return [];
  return [{ type: 'retention-applied.v1', data: { ...expired, appliedAt: env.now } }];
}
