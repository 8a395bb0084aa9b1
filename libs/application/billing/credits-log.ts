import { ENFORCEMENT, type BillingEvent } from '#domain/billing/index.js';
import type { CallMetered } from '#domain/inference/index.js';
import { ledgerDecider, ledgerId, ledgerOf, monthOf, type Ledger } from '#domain/ledger/index.js';
import { streamName } from '#domain/streams.js';
import { teamDecider } from '#domain/team/index.js';
import { StreamNotFoundError, type EventReader, type Position, type RecordedEvent } from '#ports/event-store/port.js';
import type { Application } from '../application.js';

/** A team's ledger, from its streams: one for each month since the team was made. */
export async function loadLedger(application: Application, teamId: string, now: string): Promise<Ledger> {
  const team = await application.load(teamDecider, teamId);
  const first = team.status === 'none' ? now : team.createdAt;
  const months = monthsBetween(monthOf(first), monthOf(now));
  return ledgerOf(
    await Promise.all(
      months.map(async (month) => ({
        month,
        ledger: await application.load(ledgerDecider, ledgerId(teamId, month)),
      })),
    ),
  );
}

/** The cost of a recorded call that credits paid for. */
export interface Charge {
  readonly teamId: string;
  readonly month: string;
  readonly holder: string;
  readonly cost: bigint;
}

export function chargeOf({ teamId, chargedTo, costPicodollars }: CallMetered['data']): Charge | null {
  if (!chargedTo) return null;
  const [month = '', holder = ''] = chargedTo.split('/', 2);
  return { teamId, month, holder, cost: BigInt(costPicodollars) };
}

/**
 * Cost per month of a team's calls paid by credits. Months before credits were first enforced, or before the team was
 * created, are not read: they have none.
 */
export async function spentByMonth(eventStore: EventReader, teamId: string): Promise<ReadonlyMap<string, bigint>> {
  const spent = new Map<string, bigint>();
  const enforced = await firstEnforced(eventStore);
  if (enforced === null) return spent;
  const made = await firstOf(eventStore, streamName('team', teamId));
  const after = made !== null && made > enforced ? made : enforced;
  for await (const event of eventStore.readAll({ after, filter: { types: ['call-metered.v1'] } })) {
    const charge = chargeOf((event as unknown as CallMetered).data);
    if (charge?.teamId === teamId) spent.set(charge.month, (spent.get(charge.month) ?? 0n) + charge.cost);
  }
  return spent;
}

const firstEnforced = (eventStore: EventReader): Promise<Position | null> =>
  firstOf(eventStore, streamName('billing', ENFORCEMENT), (event) => (event as unknown as BillingEvent).data.enforced);

/** Position of the first such event of a stream; null if there is none. */
async function firstOf(
  eventStore: EventReader,
  stream: string,
  isMeant: (event: RecordedEvent) => boolean = () => true,
): Promise<Position | null> {
  try {
    for await (const event of eventStore.readStream(stream)) if (isMeant(event)) return event.position;
  } catch (error) {
    if (!(error instanceof StreamNotFoundError)) throw error;
  }
  return null;
}

/** Months from first to last, both included: `2026-11`, `2026-12`, `2027-01`. */
function monthsBetween(first: string, last: string): readonly string[] {
  const months: string[] = [];
  for (let month = first < last ? first : last; month <= last; month = monthAfter(month)) months.push(month);
  return months;
}

function monthAfter(month: string): string {
  const [year = 0, number = 0] = month.split('-').map(Number);
  return new Date(Date.UTC(year, number, 1)).toISOString().slice(0, 7);
}
