import type { Json, JsonObject } from '#domain/json.js';
import { overageOf, standingOf, type Ledger, type MonthlyTerms, type Standing } from '#domain/ledger/index.js';

/**
 * A team's credits in coordination: one entry, changed only by compare-and-set. Amounts are picodollars. `used` is
 * never less than the cost of the calls on the log.
 */
export interface HeldCredits {
  readonly paidIn: bigint;
  /** The terms for a month that begins: those in force until they are changed. */
  readonly terms: MonthlyTerms;
  /** Overage of all months before those listed. */
  readonly earlierOverage: bigint;
  /** In order; the last is the newest month with a call. */
  readonly months: readonly HeldMonth[];
}

interface HeldMonth extends MonthlyTerms {
  readonly month: string;
  /** Cost, by the log, of the calls of closed allotments. */
  readonly settled: bigint;
  /** Allotments that are out, by their holder. */
  readonly allotments: Readonly<Record<string, HeldAllotment>>;
}

export interface HeldAllotment {
  /** The most that its holder may spend; counts as used. */
  readonly taken: bigint;
  /** The amount spent at the holder's last report. */
  readonly spent: bigint;
  /**
   * End of the allotment in ms since 1970, by its holder's clock, after which nothing is spent from it; null while it
   * is open.
   */
  readonly endedAt: number | null;
}

export const CREDITS_PREFIX = 'held-credits:team:';

/**
 * Held credits rebuilt from the log: the cost of each month's calls, when no allotment is left.
 * @param now the present month
 */
export function openHeld(ledger: Ledger, spent: ReadonlyMap<string, bigint>, now: string): HeldCredits {
  const months = [...spent]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([month, settled]) => ({ month, ...ledger.termsIn(month), settled, allotments: {} }));
  return foldPast({ paidIn: ledger.paidIn, terms: ledger.termsIn(now), earlierOverage: 0n, months });
}

/** Replaces payments and terms by the ledger's. */
export const withLedger = (held: HeldCredits, ledger: Ledger, now: string): HeldCredits => ({
  ...held,
  paidIn: ledger.paidIn,
  terms: ledger.termsIn(now),
  months: held.months.map((month) => ({ ...month, ...ledger.termsIn(month.month) })),
});

/** Adds the month if it is missing. */
export function withMonth(held: HeldCredits, month: string): HeldCredits {
  if (held.months.some((each) => each.month === month)) return held;
  const opened: HeldMonth = { month, ...held.terms, settled: 0n, allotments: {} };
  const months = [...held.months, opened].sort((a, b) => (a.month < b.month ? -1 : 1));
  return foldPast({ ...held, months });
}

/** Replaces an allotment of a month; null removes it. `settled` is added to the month's settled amount. */
export function withAllotment(
  held: HeldCredits,
  month: string,
  holder: string,
  allotment: HeldAllotment | null,
  settled = 0n,
): HeldCredits {
  const months = held.months.map((each): HeldMonth => {
    if (each.month !== month) return each;
    const { [holder]: _, ...others } = each.allotments;
    const allotments = allotment === null ? others : { ...others, [holder]: allotment };
    return { ...each, settled: each.settled + settled, allotments };
  });
  return { ...held, months };
}

/** The used amount of a month: settled, or out in allotments. */
export const usedIn = ({ settled, allotments }: HeldMonth): bigint =>
  Object.values(allotments).reduce((sum, { taken }) => sum + taken, settled);

/** The spent amount of a month, as far as holders have reported it. */
export const spentIn = ({ settled, allotments }: HeldMonth): bigint =>
  Object.values(allotments).reduce((sum, { spent }) => sum + spent, settled);

/** @param usedOf `usedIn`: the limit for spending; `spentIn`: for display */
export function heldStanding(held: HeldCredits, month: string, usedOf: (month: HeldMonth) => bigint): Standing {
  let paidBefore = held.paidIn - held.earlierOverage;
  for (const each of held.months) if (each.month < month) paidBefore -= overageOf(each, usedOf(each));
  const own = held.months.find((each) => each.month === month);
  return standingOf(own ?? held.terms, paidBefore, own ? usedOf(own) : 0n);
}

/** The last two months are unchanged; earlier ones without allotments are settled. */
function foldPast(held: HeldCredits): HeldCredits {
  const [oldest, ...later] = held.months;
  if (!oldest || later.length < 2 || Object.keys(oldest.allotments).length > 0) return held;
  const earlierOverage = held.earlierOverage + overageOf(oldest, oldest.settled);
  return foldPast({ ...held, earlierOverage, months: later });
}

export const toJson = ({ paidIn, terms, earlierOverage, months }: HeldCredits): JsonObject => ({
  paidIn: String(paidIn),
  terms: termsToJson(terms),
  earlierOverage: String(earlierOverage),
  months: months.map(({ month, settled, allotments, ...monthly }) => ({
    month,
    ...termsToJson(monthly),
    settled: String(settled),
    allotments: mapped(allotments, ({ taken, spent, endedAt }) => ({
      taken: String(taken),
      spent: String(spent),
      endedAt,
    })),
  })),
});

export function fromJson(value: Json): HeldCredits {
  const { paidIn, terms, earlierOverage, months } = value as unknown as Stored;
  return {
    paidIn: BigInt(paidIn),
    terms: termsFromJson(terms),
    earlierOverage: BigInt(earlierOverage),
    months: months.map(({ month, settled, allotments, ...monthly }) => ({
      month,
      ...termsFromJson(monthly),
      settled: BigInt(settled),
      allotments: mapped(allotments, ({ taken, spent, endedAt }) => ({
        taken: BigInt(taken),
        spent: BigInt(spent),
        endedAt,
      })),
    })),
  };
}

interface StoredTerms extends JsonObject {
  readonly included: string;
  readonly ceiling: string | null;
}

interface Stored {
  readonly paidIn: string;
  readonly terms: StoredTerms;
  readonly earlierOverage: string;
  readonly months: readonly (StoredTerms & {
    readonly month: string;
    readonly settled: string;
    readonly allotments: Readonly<Record<string, { taken: string; spent: string; endedAt: number | null }>>;
  })[];
}

const termsToJson = ({ included, ceiling }: MonthlyTerms): StoredTerms => ({
  included: String(included),
  ceiling: ceiling === null ? null : String(ceiling),
});

const termsFromJson = ({ included, ceiling }: Pick<StoredTerms, 'included' | 'ceiling'>): MonthlyTerms => ({
  included: BigInt(included),
  ceiling: ceiling === null ? null : BigInt(ceiling),
});

const mapped = <T, U>(record: Readonly<Record<string, T>>, change: (value: T) => U): Record<string, U> =>
  Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value)]));
