import { InvalidError } from '../errors.js';

/** Periods of a budget, in UTC; a week begins on Monday. */
export const BUDGET_PERIODS = ['day', 'week', 'month'] as const;
export type BudgetPeriod = (typeof BUDGET_PERIODS)[number];

/** Limits of a key's calls of models; what is absent is not limited. */
export type KeyLimits = {
  /** Ids, aliases and names; one that ends in `*` allows all that begin so. */
  readonly models?: readonly string[];
  readonly requestsPerMinute?: number;
  /** Tokens of all kinds. */
  readonly tokensPerMinute?: number;
  /** What the calls of a period may cost, in picodollars. */
  readonly budget?: string;
  /** Absent: the budget is for the key's life. */
  readonly budgetPeriod?: BudgetPeriod;
  /** When the budget was changed last, ISO 8601; absent: it is as the key was made. */
  readonly budgetChangedAt?: string;
};

/** Limits to set; null lifts one, what is absent stays. */
export type KeyLimitChanges = { readonly [Name in (typeof NAMES)[number]]?: KeyLimits[Name] | null };

export const KEY_LIMIT_BOUNDS = {
  models: 200,
  modelCharacters: 200,
  perMinute: 1_000_000_000,
  budgetDollars: 1_000_000,
} as const;

const NAMES = ['models', 'requestsPerMinute', 'tokensPerMinute', 'budget', 'budgetPeriod'] as const;

/** @param now ISO 8601; null: the key is made. @throws InvalidError */
export function changedLimits(limits: KeyLimits, changes: KeyLimitChanges, now: string | null): KeyLimits {
  const changed = Object.fromEntries(
    NAMES.map((name) => [name, changes[name] === undefined ? limits[name] : changes[name]] as const)
      .filter(([, value]) => value !== undefined && value !== null)
      .map(([name, value]) => [name, Array.isArray(value) ? [...new Set(value)] : value]),
  ) as KeyLimits;
  // The period of a budget that is lifted goes with it.
  if (changed.budget === undefined && changes.budgetPeriod == null)
    delete (changed as { budgetPeriod?: string }).budgetPeriod;
  requireValid(changed);
  if (changed.budget === undefined || now === null) return changed;
  const isKept = changed.budget === limits.budget && changed.budgetPeriod === limits.budgetPeriod;
  const budgetChangedAt = isKept ? limits.budgetChangedAt : now;
  return { ...changed, ...(budgetChangedAt !== undefined && { budgetChangedAt }) };
}

export const areSame = (a: KeyLimits, b: KeyLimits): boolean => JSON.stringify(a) === JSON.stringify(b);

export const hasLimits = (limits: KeyLimits): boolean => Object.keys(limits).length > 0;

/** @param ids all that the model is known by */
export const allowsModel = ({ models }: KeyLimits, ids: readonly (string | null | undefined)[]): boolean =>
  models === undefined ||
  models.some((allowed) =>
    allowed.endsWith('*') ? ids.some((id) => id?.startsWith(allowed.slice(0, -1))) : ids.some((id) => id === allowed),
  );

/** The part of time that a budget is for. */
export interface BudgetSpan {
  /** Distinguishes it from all others of a key: `day-2026-11-30`, `life`. */
  readonly label: string;
  /** First day in UTC, `2026-11-30`; null for a key's life. */
  readonly from: string | null;
  /** When the next one begins, in milliseconds since 1970; null: never. */
  readonly endsAt: number | null;
}

/** @param now in milliseconds since 1970 */
export function budgetSpan(period: BudgetPeriod | undefined, now: number): BudgetSpan {
  if (period === undefined) return { label: 'life', from: null, endsAt: null };
  const date = new Date(now);
  const [year, month, day] = [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()];
  const sinceMonday = (date.getUTCDay() + 6) % 7;
  const [first, next] = {
    day: [Date.UTC(year, month, day), Date.UTC(year, month, day + 1)],
    week: [Date.UTC(year, month, day - sinceMonday), Date.UTC(year, month, day - sinceMonday + 7)],
    month: [Date.UTC(year, month), Date.UTC(year, month + 1)],
  }[period] as [number, number];
  const from = new Date(first).toISOString().slice(0, 10);
  return { label: `${period}-${from}`, from, endsAt: next };
}

function requireValid({ models, requestsPerMinute, tokensPerMinute, budget, budgetPeriod }: KeyLimits): void {
  const { perMinute, budgetDollars } = KEY_LIMIT_BOUNDS;
  if (models !== undefined) requireModels(models);
  for (const [name, value] of Object.entries({ requestsPerMinute, tokensPerMinute }))
    if (value !== undefined && !(Number.isInteger(value) && value >= 1 && value <= perMinute))
      throw invalid([name], `must be a whole number from 1 to ${perMinute}`);
  if (budget !== undefined && (BigInt(budget) <= 0n || BigInt(budget) > BigInt(budgetDollars) * 1_000_000_000_000n))
    throw invalid(['budget'], `must be more than 0 and at most ${budgetDollars} US dollars`);
  if (budgetPeriod === undefined) return;
  if (!BUDGET_PERIODS.includes(budgetPeriod))
    throw invalid(['budgetPeriod'], `must be one of ${BUDGET_PERIODS.join(', ')}`);
  if (budget === undefined) throw invalid(['budgetPeriod'], 'needs a budget; send one too', 'not_allowed');
}

function requireModels(models: readonly string[]): void {
  const { models: most, modelCharacters } = KEY_LIMIT_BOUNDS;
  if (models.length === 0 || models.length > most)
    throw invalid(['models'], `must have 1 to ${most} names of models, or be null if the key may call all`);
  for (const [index, name] of models.entries()) {
    if (name === '' || name.length > modelCharacters)
      throw invalid(['models', index], `must have 1 to ${modelCharacters} characters`);
    if (name.slice(0, -1).includes('*'))
      throw invalid(['models', index], 'may have * only at its end, for all models that begin so', 'not_allowed');
  }
}

const invalid = (path: readonly (string | number)[], message: string, type = 'out_of_range'): InvalidError =>
  new InvalidError({ path, message, type });
