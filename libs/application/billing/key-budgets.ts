import { budgetSpan, type KeyLimits } from '#domain/api-key/index.js';
import { BillingError, NotFoundError } from '#domain/errors.js';
import { apiKeyDocuments } from '#projections/api-keys/queries.js';
import { costOfKey } from '#projections/usage/queries.js';
import type { Application } from '../application.js';
import { costOfOpenBatch } from '../batch-calls.js';
import type { BatchBudget } from '../caller.js';
import type { CreditRefusal } from './allotment.js';
import { Allotments, type AllotmentsOptions } from './allotments.js';
import { Credits } from './credits.js';
import { inDollars } from './gate.js';
import { heldStanding, spentIn, usedIn } from './held-credits.js';
import type { Reservation } from './reservation.js';

const PREFIX = 'held-credits:key:';
/** The period of a batch's budget, whose account has the batch's id in place of a key's. */
const BATCH = 'batch';
/** A budget is one month's credits, however long its period is. */
const MONTH = 'budget';
const DAY_MS = 86_400_000;
/** Days for which the entry of a budget stays, by its period: a little longer than that. */
const KEPT_DAYS: Readonly<Record<string, number>> = { day: 2, week: 9, month: 33, [BATCH]: 2 };

/** One period's budget of one key, or that of a batch. */
interface KeyBudget {
  /** The key's id, or the batch's. */
  readonly keyId: string;
  /** Picodollars. */
  readonly amount: string;
  /** `day-2026-11-30`, `life`, `batch`. */
  readonly label: string;
  /** When its period ends, in milliseconds since 1970; null: never. */
  readonly endsAt: number | null;
  /** When it was changed last; empty: never. */
  readonly changedAt: string;
}

/**
 * The account of a budget. A changed budget is another account, which begins with what the period's calls have cost; so is one that
 * is as it was before a change, whose first account lacks the calls since.
 */
const accountOf = ({ keyId, label, amount, changedAt }: KeyBudget): string =>
  `${keyId}/${label}/${amount}/${changedAt}`;

function partsOf(account: string): { readonly keyId: string; readonly label: string; readonly amount: bigint } {
  const [keyId = '', label = '', amount = '0'] = account.split('/');
  return { keyId, label, amount: BigInt(amount) };
}

/** How long the entry of a budget stays after its last change, in milliseconds; undefined: for ever. */
function lifetimeOf(account: string): number | undefined {
  const days = KEPT_DAYS[partsOf(account).label.split('-', 1)[0]!];
  return days === undefined ? undefined : days * DAY_MS;
}

/** The same by the key of an entry in coordination, whichever it is. */
export const budgetLifetimeOf = (key: string): number | undefined =>
  key.startsWith(PREFIX) ? lifetimeOf(key.slice(PREFIX.length)) : undefined;

/** null: the key has none. */
function budgetOf(keyId: string, limits: KeyLimits, now: number): KeyBudget | null {
  const { budget, budgetPeriod, budgetChangedAt = '' } = limits;
  if (budget === undefined) return null;
  const { label, endsAt } = budgetSpan(budgetPeriod, now);
  return { keyId, amount: budget, label, endsAt, changedAt: budgetChangedAt };
}

/** The budgets of keys as credits: accounts whose included credits are the budget. */
export const keyCreditsOf = (application: Application, now: () => number = Date.now): Credits =>
  new Credits(
    application.ports.coordination,
    {
      ledger: async (account) => {
        const included = partsOf(account).amount;
        return { paidIn: 0n, termsIn: () => ({ included, ceiling: 0n }) };
      },
      spentByMonth: async (account) => new Map([[MONTH, await costByReadModel(application, account)]]),
    },
    now,
    { prefix: PREFIX, monthAt: () => MONTH, ttlMs: lifetimeOf },
  );

/** What the recorded calls of a budget's key, or batch, have cost in its period, in picodollars. */
export async function costByReadModel(application: Application, account: string): Promise<bigint> {
  const { keyId, label } = partsOf(account);
  if (label === BATCH) return costOfOpenBatch(application, keyId);
  const { ports } = application;
  const key = await apiKeyDocuments.get(ports.readStore, keyId);
  if (!key) throw new NotFoundError('API key', keyId);
  const days = daysOf(label);
  return days === null ? BigInt(key.usageCost) : costOfKey(ports.readStore, key, days);
}

/** Days of UTC, both included. */
export interface Days {
  readonly from: string;
  readonly to: string;
}

/** null: all. */
function daysOf(label: string): Days | null {
  const [period, ...day] = label.split('-');
  if (period === 'life') return null;
  const to = budgetSpan(period as 'day' | 'week' | 'month', Date.parse(day.join('-'))).endsAt! - DAY_MS;
  return { from: day.join('-'), to: new Date(to).toISOString().slice(0, 10) };
}

/** What coordination counts of the budget that a key has now. */
interface HeldBudget {
  /** The days whose calls it counts; null: all. */
  readonly days: Days | null;
  /** Picodollars, what processes may still spend included. */
  readonly used: bigint;
  /** Whether no process holds a part of it: `used` is then what calls have cost. */
  readonly isSettled: boolean;
}

/** null: the key has no budget, or has not used it. */
export async function heldBudget(
  application: Application,
  keyId: string,
  limits: KeyLimits,
): Promise<HeldBudget | null> {
  const budget = budgetOf(keyId, limits, Date.now());
  const held = budget && (await keyCreditsOf(application).read(accountOf(budget)));
  const counted = held?.months.find(({ month }) => month === MONTH);
  if (!budget || !counted) return null;
  const isSettled = Object.keys(counted.allotments).length === 0;
  return { days: daysOf(budget.label), used: usedIn(counted), isSettled };
}

/** What a key's budget has left. */
export interface BudgetStanding {
  /** What the period's calls have cost, in picodollars; the last seconds may be missing. */
  readonly used: bigint;
  /** ISO 8601; null: never. */
  readonly resetsAt: string | null;
}

/** null: the key has no budget. */
export async function budgetStanding(
  application: Application,
  keyId: string,
  limits: KeyLimits,
): Promise<BudgetStanding | null> {
  const budget = budgetOf(keyId, limits, Date.now());
  if (!budget) return null;
  const account = accountOf(budget);
  const held = await keyCreditsOf(application).read(account);
  const used = held ? heldStanding(held, MONTH, spentIn).used : await costByReadModel(application, account);
  return { used, resetsAt: budget.endsAt === null ? null : new Date(budget.endsAt).toISOString() };
}

/** Reserves from the budgets of keys what their calls may cost. One per process. */
export class KeyBudgets {
  readonly allotments: Allotments;
  private readonly now: () => number;

  constructor(application: Application, options: Omit<AllotmentsOptions, 'month'> = {}) {
    this.now = options.now ?? Date.now;
    this.allotments = new Allotments(application.ports.coordination, keyCreditsOf(application, this.now), {
      background: application.background,
      ...options,
      month: MONTH,
    });
  }

  /**
   * null if the key has no budget; synchronous if an allotment has enough.
   * @param outputWithin the output tokens that the call may make for an amount in picodollars; 0: none
   * @throws BillingError the budget does not allow the call
   * @throws UnavailableError, CoordinationUnavailableError, ReadStoreUnavailableError when it cannot be decided now
   */
  reserve(
    keyId: string,
    limits: KeyLimits,
    worstCase: bigint,
    outputWithin: (amount: bigint) => number = () => 0,
  ): Reservation | null | Promise<Reservation> {
    const budget = budgetOf(keyId, limits, this.now());
    return budget && this.within(budget, worstCase, outputWithin);
  }

  /** The same for the budget of a batch. */
  reserveOfBatch({ batchId: keyId, amount }: BatchBudget, worstCase: bigint): Reservation | Promise<Reservation> {
    return this.within({ keyId, amount, label: BATCH, endsAt: null, changedAt: '' }, worstCase, () => 0);
  }

  private within(
    budget: KeyBudget,
    worstCase: bigint,
    outputWithin: (amount: bigint) => number,
  ): Reservation | Promise<Reservation> {
    const account = accountOf(budget);
    return (
      this.allotments.reserveAtHand(account, worstCase) ??
      this.allotments.withOpen(account, async (allotment) => {
        const obtained = await allotment.obtain(worstCase);
        if ('chargedTo' in obtained) return obtained;
        throw refused(obtained, worstCase, budget, outputWithin(obtained.available));
      })
    );
  }

  /** Returns what it holds. Nest calls it once no request is in flight. */
  onApplicationShutdown(): Promise<void> {
    return this.allotments.close();
  }
}

/** @param fitting the output tokens that the rest of the budget covers */
function refused({ available }: CreditRefusal, worstCase: bigint, budget: KeyBudget, fitting: number): BillingError {
  const { amount, label, endsAt } = budget;
  const period = label.split('-', 1)[0]!;
  const left = inDollars(available > 0n ? available : 0n);
  const shorter = fitting > 0 ? `limit its output to ${fitting} tokens, ` : '';
  if (period === BATCH)
    return new BillingError(
      'out_of_credits',
      `the budget of this batch, ${inDollars(BigInt(amount))}, has ${left} left, and its next call may cost up to ${inDollars(worstCase)}`,
      true,
    );
  const later = endsAt === null ? 'call with another key' : `call again from ${new Date(endsAt).toISOString()} on`;
  return new BillingError(
    'out_of_credits',
    `the budget of this API key, ${inDollars(BigInt(amount))} ${period === 'life' ? 'in all' : `a ${period}`}, has ${left} left, and this call may cost up to ${inDollars(worstCase)}; ${shorter}${later}, or have the key's owner raise it`,
    true,
  );
}
