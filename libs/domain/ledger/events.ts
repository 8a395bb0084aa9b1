import type { EventsOf, EventTypes } from '../decider.js';

/** Reasons for correcting a paid balance. Fixed words rather than text, since the ledger is kept forever. */
export const CORRECTION_REASONS = ['refund', 'chargeback', 'goodwill', 'mistake'] as const;
export type CorrectionReason = (typeof CORRECTION_REASONS)[number];

interface Entry {
  readonly [key: string]: string | null;
  readonly entryId: string;
  readonly teamId: string;
  /** `2026-11`, UTC: the stream is this month's. */
  readonly month: string;
  readonly at: string;
}

/**
 * A team's credits except the cost of its calls, which the calls themselves record. Amounts are picodollars, whole
 * numbers in decimal. A limit holds for all of its month and the months after, until it is set again.
 */
export type LedgerEvent = EventsOf<{
  'credits-topped-up.v1': Entry & { amount: string };
  'credits-corrected.v1': Entry & {
    /** Below zero: taken away. */
    amount: string;
    reason: CorrectionReason;
    /** The call that it concerns, if any. */
    inferenceId: string | null;
  };
  /** Sets how much a month's calls may cost before the paid balance is used. */
  'monthly-credits-set.v1': Entry & { amount: string };
  /** The most that a month's calls may draw from the paid balance; null: all of it. */
  'overage-ceiling-set.v1': Entry & { amount: string | null };
  /** Less than a tenth of the month's allowance is left. Once, until one of the amounts above changes. */
  'credits-ran-low.v1': Entry;
}>;

export const LEDGER_EVENT_TYPES: EventTypes<LedgerEvent> = {
  'credits-topped-up.v1': true,
  'credits-corrected.v1': true,
  'monthly-credits-set.v1': true,
  'overage-ceiling-set.v1': true,
  'credits-ran-low.v1': true,
};
