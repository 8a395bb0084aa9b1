import { randomUUID } from 'node:crypto';
import type { Application } from '#application/application.js';
import {
  catchUpWithCosts,
  catchUpWithLog,
  ChargesOfProcess,
  costByReadModel,
  creditsOf,
  keyCreditsOf,
  noteLowCredits,
  paidInMonth,
  reclaimAllotments,
  type ChargesByLog,
  type MonthByLog,
} from '#application/billing/index.js';
import type { Repeated } from '#primitives/background/background.js';
import type { Position } from '#ports/event-store/port.js';
import { chargesDocuments, chargesOfMonth, chargesPaidBy } from '#projections/charges/queries.js';
import type { ProjectionStatus } from '#log/projector/status.js';
import { collectionNameOf } from '#log/projector/collection.js';

const EVERY_MS = 5_000;
const MAX_RETRY_MS = 60_000;
/** Rare, because it reads two months of charges and seldom finds anything to do. */
const CATCH_UP_EVERY_MS = 60_000;

/**
 * Periodically returns the credits and the keys' budgets that dead processes left behind. Every worker does; coordination decides each step.
 * @param projections status of the read models, in any process
 */
export function startReclaiming(
  application: Application,
  projections: () => Promise<readonly ProjectionStatus[]>,
): Repeated {
  const { coordination } = application.ports;
  const [credits, ofKeys] = [creditsOf(application), keyCreditsOf(application)];
  const charges = chargesByLog(application, projections);
  const name = `reclaiming-${randomUUID()}`;
  const refresh = ledgerRefresher(application);
  const paid = paidByLog(application);
  let caughtUpAt = -Infinity;
  const run = async () => {
    await refresh();
    await reclaimAllotments({ coordination, credits, charges, name });
    await reclaimAllotments({ coordination, credits: ofKeys, charges: AS_REPORTED, name });
    if (performance.now() - caughtUpAt < CATCH_UP_EVERY_MS) return;
    await catchUpWithLog(credits, paid);
    await catchUpWithCosts(ofKeys, (account) => costByReadModel(application, account));
    await noteLowCredits(application, credits);
    caughtUpAt = performance.now();
  };
  const pace = { delayMs: EVERY_MS, everyMs: EVERY_MS, maxRetryMs: MAX_RETRY_MS };
  return application.background.repeat('reclaim-credits', run, pace);
}

/** Of a key's budget: calls that its holder did not report are caught up with. */
const AS_REPORTED: ChargesByLog = { spent: async (_account, _month, _holder, reported) => reported };

/** Applies ledger entries whose author died before announcing them. */
function ledgerRefresher(application: Application): () => Promise<void> {
  const { eventStore } = application.ports;
  const credits = creditsOf(application);
  let seen: Position | null = null;
  return async () => {
    const teams = new Set<string>();
    let last = seen;
    for await (const event of eventStore.readAll({ after: seen, filter: { categories: ['ledger'] } })) {
      const { teamId } = event.data;
      if (typeof teamId === 'string') teams.add(teamId);
      last = event.position;
    }
    for (const teamId of teams) await credits.refresh(teamId);
    seen = last;
  };
}

/** The charges of an allotment by the log, once the read model has seen every call that is there now, and that none is open. */
export function chargesByLog(
  { ports, storedEvents }: Application,
  projections: () => Promise<readonly ProjectionStatus[]>,
): ChargesByLog {
  const charges = new ChargesOfProcess(storedEvents);
  const isOver = async (teamId: string, month: string, holder: string): Promise<boolean> => {
    // Looked at first: a call that is not open any more is on the log that is read next.
    const open = (await storedEvents.held?.all()) ?? [];
    if (open.some(({ data }) => data['teamId'] === teamId && data['chargedTo'] === `${month}/${holder}`)) return false;
    const last = await lastCall(ports.eventStore);
    // No worker may lead the projections at present.
    const all = await projections().catch(() => []);
    const status = all.find((each) => collectionNameOf(each) === chargesDocuments.collection);
    const hasSeen = last === null || (status?.position ?? '') >= last;
    if (status?.state !== 'live' || status.parked > 0 || !hasSeen) return false;
    const document = await chargesPaidBy(ports.readStore, teamId, month, holder);
    return !document || document.open.length === 0;
  };
  return {
    spent: async (teamId, month, holder) =>
      (await isOver(teamId, month, holder)) ? charges.of({ teamId, month, holder }) : null,
  };
}

/** The charges of a month. */
export const paidByLog = ({ ports, storedEvents }: Application): MonthByLog => ({
  byHolder: (teamId, month) => paidInMonth(storedEvents, teamId, month),
  async seen(teamId, month) {
    const paid = new Map<string, bigint>();
    for (const { holder, cost } of await chargesOfMonth(ports.readStore, teamId, month))
      if (holder !== null) paid.set(holder, BigInt(cost));
    return paid;
  },
});

async function lastCall(eventStore: Application['ports']['eventStore']): Promise<string | null> {
  const filter = { types: ['call-opened.v1', 'call-metered.v1'] };
  for await (const { position } of eventStore.readAll({ direction: 'backwards', filter, limit: 1 })) return position;
  return null;
}
