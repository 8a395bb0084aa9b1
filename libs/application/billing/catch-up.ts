import type { Credits } from './credits.js';
import { usedIn, type HeldCredits } from './held-credits.js';

/** Sums paid by each allotment of a month, in picodollars by holder, as far as the log has been read. */
export interface MonthByLog {
  /** By a read model, which may be behind, or changed. */
  seen(teamId: string, month: string): Promise<ReadonlyMap<string, bigint>>;
  /** By the log, which is read back to the month's first call. */
  byHolder(teamId: string, month: string): Promise<ReadonlyMap<string, bigint>>;
}

/**
 * Settles calls that reached the log after their allotment had been closed, such as those of a suspended process, and
 * spending from allotments that coordination lost. Call it periodically, from any number of processes.
 */
export async function catchUpWithLog(credits: Credits, log: MonthByLog): Promise<void> {
  for (const [teamId, { months }] of await credits.all())
    for (const { month } of months) {
      const seen = await log.seen(teamId, month);
      const present = await credits.read(teamId);
      // Only what is seldom found is worth reading the log.
      if (present === null || withLeastSettled(present, month, seen) === present) continue;
      // Read before the credits: an allotment that had paid by now was open by now, or has been closed.
      const paid = await log.byHolder(teamId, month);
      await credits.change(teamId, (held) => ({ held: withLeastSettled(held, month, paid) }));
    }
}

/**
 * The same for the budgets of keys: what is used of one is never less than what its calls have cost.
 * @param costOf cost of an account's calls, as far as the log has been read, in picodollars
 */
export async function catchUpWithCosts(credits: Credits, costOf: (account: string) => Promise<bigint>): Promise<void> {
  for (const account of (await credits.all()).keys()) {
    const cost = await costOf(account);
    await credits.change(account, (held) => ({ held: withLeastUsed(held, cost) }));
  }
}

function withLeastUsed(held: HeldCredits, cost: bigint): HeldCredits {
  const [budget] = held.months;
  if (!budget) return held;
  const missing = cost - usedIn(budget);
  return missing <= 0n ? held : { ...held, months: [{ ...budget, settled: budget.settled + missing }] };
}

/** The log may have been read some time ago, so its sums are lower bounds of the settled amounts. */
function withLeastSettled(held: HeldCredits, month: string, paid: ReadonlyMap<string, bigint>): HeldCredits {
  const present = held.months.find((each) => each.month === month);
  if (!present) return held;
  let closed = 0n;
  for (const [holder, cost] of paid) if (!(holder in present.allotments)) closed += cost;
  if (closed <= present.settled) return held;
  return { ...held, months: held.months.map((each) => (each === present ? { ...each, settled: closed } : each)) };
}
