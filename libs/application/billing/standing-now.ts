import { standingOf, type Standing } from '#domain/ledger/index.js';
import type { Application } from '../application.js';
import { loadLedger } from './credits-log.js';
import { creditsOf } from './credits-of.js';
import { heldStanding, spentIn } from './held-credits.js';

/**
 * A team's standing this month, as coordination holds it; spending of the last seconds may be missing. From the ledger
 * if credits were never used.
 * @throws CoordinationUnavailableError
 */
export async function standingNow(
  application: Application,
  teamId: string,
): Promise<{ readonly month: string; readonly standing: Standing }> {
  const credits = creditsOf(application);
  const { month } = credits;
  const held = await credits.read(teamId);
  if (held) return { month, standing: heldStanding(held, month, spentIn) };
  const ledger = await loadLedger(application, teamId, new Date().toISOString());
  return { month, standing: standingOf(ledger.termsIn(month), ledger.paidIn, 0n) };
}
