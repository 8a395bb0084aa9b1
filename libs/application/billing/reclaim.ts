import type { Coordination } from '#ports/coordination/port.js';
import type { Credits } from './credits.js';
import { withAllotment, type HeldAllotment } from './held-credits.js';
import { HOLDER_TERM_MS, leaseOf } from './holder-lease.js';

/**
 * Time after its end for an allotment's last calls to reach the log: longer than any call that is not opened there (a
 * minute) and its recording.
 */
const SETTLE_AFTER_MS = 75_000;

/** Cost of the calls charged to an allotment, in picodollars, by the log. */
export interface ChargesByLog {
  /**
   * null when it cannot be known now: the log has not been read to its end, or a call is still open.
   * @param reported what the holder reported last
   */
  spent(teamId: string, month: string, holder: string, reported: bigint): Promise<bigint | null>;
}

interface Reclaiming {
  readonly coordination: Coordination;
  readonly credits: Credits;
  readonly charges: ChargesByLog;
  /** The name of this process among those that reclaim. */
  readonly name: string;
  readonly now?: () => number;
}

/**
 * Returns what holders have left behind. An allotment ends when its holder reports it, or when the holder's lease has
 * expired and could be acquired. Over a minute later, if no call of it is open, its calls are settled at their cost in
 * the log and the rest returns to the team. Call it periodically, from any number of processes.
 */
export async function reclaimAllotments(reclaiming: Reclaiming): Promise<void> {
  const isDead = deaths(reclaiming);
  for (const [teamId, { months }] of await reclaiming.credits.all())
    for (const { month, allotments } of months)
      for (const [holder, allotment] of Object.entries(allotments))
        await reclaim(reclaiming, { teamId, month, holder, allotment }, isDead);
}

interface Out {
  readonly teamId: string;
  readonly month: string;
  readonly holder: string;
  readonly allotment: HeldAllotment;
}

/** Whether a holder's lease can be acquired; tried once per holder. */
function deaths({ coordination, name }: Reclaiming): (holder: string) => Promise<boolean> {
  const asked = new Map<string, Promise<boolean>>();
  return (holder) => {
    const lease = leaseOf(holder);
    const known =
      asked.get(lease) ?? coordination.acquireLease(lease, name, HOLDER_TERM_MS).then((taken) => taken !== null);
    asked.set(lease, known);
    return known;
  };
}

async function reclaim(
  { credits, charges, now = Date.now }: Reclaiming,
  out: Out,
  isDead: (holder: string) => Promise<boolean>,
): Promise<void> {
  const { teamId, month, holder, allotment } = out;
  const change = (next: HeldAllotment | null, settled?: bigint) =>
    credits.change(teamId, (held) => {
      const present = held.months.find((each) => each.month === month)?.allotments[holder];
      // Another process was faster, or the holder has reported more.
      const same = present && present.taken === allotment.taken && present.endedAt === allotment.endedAt;
      return { held: same ? withAllotment(held, month, holder, next, settled) : held };
    });
  if (allotment.endedAt === null) {
    if (await isDead(holder)) await change({ ...allotment, endedAt: now() });
    return;
  }
  if (now() - allotment.endedAt < SETTLE_AFTER_MS) return;
  const spent = await charges.spent(teamId, month, holder, allotment.spent);
  if (spent !== null) await change(null, spent);
}
