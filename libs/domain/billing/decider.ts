import type { Decider, Env } from '../decider.js';
import { BILLING_EVENT_TYPES, type BillingEvent } from './events.js';
import { evolve, NOT_ENFORCED, type Enforcement } from './state.js';

/** Id of the only stream of its category. */
export const ENFORCEMENT = 'enforcement';

interface SetEnforcement {
  readonly type: 'set-enforcement';
  readonly enforced: boolean;
  readonly cardRequired: boolean;
}

export const enforcementDecider: Decider<SetEnforcement, BillingEvent, Enforcement> = {
  category: 'billing',
  eventTypes: BILLING_EVENT_TYPES,
  initial: NOT_ENFORCED,
  decide({ enforced, cardRequired }, state, env: Env) {
    if (state.enforced === enforced && state.cardRequired === cardRequired) return [];
    return [{ type: 'billing-enforcement-set.v1', data: { enforced, cardRequired, setAt: env.now } }];
  },
  evolve,
};
