import type { LedgerEvent } from './events.js';

/** A team's ledger entries of one month, in picodollars. */
export interface MonthlyLedger {
  readonly entries: ReadonlySet<string>;
  /** Top-ups and corrections. */
  readonly paidIn: bigint;
  /** The included credits as last set in this month; undefined: not set in it. */
  readonly included?: bigint;
  /** The same for the ceiling of overage; null: none. */
  readonly ceiling?: bigint | null;
  /** The credits have run low, and nothing was entered since. */
  readonly isLow?: boolean;
}

export const EMPTY_MONTH: MonthlyLedger = { entries: new Set(), paidIn: 0n };

export function evolve({ isLow: _, ...state }: MonthlyLedger, event: LedgerEvent): MonthlyLedger {
  const entries = new Set(state.entries).add(event.data.entryId);
  switch (event.type) {
    case 'credits-topped-up.v1':
    case 'credits-corrected.v1':
      return { ...state, entries, paidIn: state.paidIn + BigInt(event.data.amount) };
    case 'monthly-credits-set.v1':
      return { ...state, entries, included: BigInt(event.data.amount) };
    case 'overage-ceiling-set.v1':
      return { ...state, entries, ceiling: event.data.amount === null ? null : BigInt(event.data.amount) };
    case 'credits-ran-low.v1':
      return { ...state, entries, isLow: true };
  }
}
