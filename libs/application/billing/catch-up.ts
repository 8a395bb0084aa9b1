import type { Credits } from './credits.js';
import type { HeldCredits } from './held-credits.js';

/** Sums paid by each allotment of a month, in picodollars by holder, as far as the log has been read. */
export interface MonthByLog {
  byHolder(teamId: string, month: string): Promise<ReadonlyMap<string, bigint>>;
}

/**
 * Settles calls that reached the log after their allotment had been closed, such as those of a suspended process, and
 * spending from allotments that coordination lost. Call it periodically, from any number of processes.
 */
export async function catchUpWithLog(credits: Credits, log: MonthByLog): Promise<void> {
  for (const [teamId, { months }] of await credits.all())
    for (const { month } of months) {
      // Read before the credits: an allotment that had paid by now was open by now, or has been closed.
      const paid = await log.byHolder(teamId, month);
      await credits.change(teamId, (held) => ({ held: withLeastSettled(held, month, paid) }));
    }
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
