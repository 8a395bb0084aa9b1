import type { MonthlyLedger } from './state.js';

/** Limits on a month's calls, in picodollars. */
export interface MonthlyTerms {
  readonly included: bigint;
  /** null: none. */
  readonly ceiling: bigint | null;
}

/** A team's standing in a month, in picodollars. */
export interface Standing extends MonthlyTerms {
  /** Cost of the month's calls, those in flight at their maximum. */
  readonly used: bigint;
  /** The part of `used` that the included credits do not cover. */
  readonly overage: bigint;
  /** Payments so far less all earlier overage. A correction can make it negative. */
  readonly paidBefore: bigint;
  /** The paid balance: `paidBefore` less this month's overage. */
  readonly balance: bigint;
  /**
   * Maximum cost of the month's calls: the included credits, and the part of the paid balance that the ceiling allows.
   */
  readonly limit: bigint;
  /** `limit` less `used`, not below zero. */
  readonly available: bigint;
}

/** The formula of the bill: the gate admits by it, the account shows it, `anneal rebill` checks it. */
export function standingOf(terms: MonthlyTerms, paidBefore: bigint, used: bigint): Standing {
  const { included, ceiling } = terms;
  const overage = overageOf(terms, used);
  const drawable = atLeastZero(ceiling === null || paidBefore < ceiling ? paidBefore : ceiling);
  const limit = included + drawable;
  return {
    included,
    ceiling,
    used,
    overage,
    paidBefore,
    balance: paidBefore - overage,
    limit,
    available: atLeastZero(limit - used),
  };
}

export const overageOf = ({ included }: MonthlyTerms, used: bigint): bigint => atLeastZero(used - included);

/** A team's ledger: each month's terms in force, and all payments. */
export interface Ledger {
  readonly paidIn: bigint;
  /** The terms last set before or in the month; before any, nothing is included and there is no ceiling. */
  termsIn(month: string): MonthlyTerms;
}

/** @param months in order */
export function ledgerOf(months: readonly { readonly month: string; readonly ledger: MonthlyLedger }[]): Ledger {
  return {
    paidIn: months.reduce((sum, { ledger }) => sum + ledger.paidIn, 0n),
    termsIn(month) {
      let terms: MonthlyTerms = { included: 0n, ceiling: null };
      for (const { month: of, ledger } of months)
        if (of <= month)
          terms = {
            included: ledger.included ?? terms.included,
            ceiling: ledger.ceiling === undefined ? terms.ceiling : ledger.ceiling,
          };
      return terms;
    },
  };
}

const atLeastZero = (amount: bigint): bigint => (amount > 0n ? amount : 0n);
