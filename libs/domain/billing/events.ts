import type { EventTypes } from '../decider.js';

/** The stream `billing-enforcement`: whether this installation enforces credits. */
export type BillingEvent = {
  readonly type: 'billing-enforcement-set.v1';
  readonly data: {
    readonly enforced: boolean;
    /** Whether a verified payment method is needed before inference. */
    readonly cardRequired: boolean;
    readonly setAt: string;
  };
};

export const BILLING_EVENT_TYPES: EventTypes<BillingEvent> = {
  'billing-enforcement-set.v1': true,
};
