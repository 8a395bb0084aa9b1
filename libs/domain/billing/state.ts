import type { BillingEvent } from './events.js';

/** Off by default. Cost is computed in any case. */
export interface Enforcement {
  readonly enforced: boolean;
  /** Whether a verified payment method is needed before inference. */
  readonly cardRequired: boolean;
}

export const NOT_ENFORCED: Enforcement = { enforced: false, cardRequired: false };

export function evolve(_state: Enforcement, { data }: BillingEvent): Enforcement {
  return { enforced: data.enforced, cardRequired: data.cardRequired };
}
