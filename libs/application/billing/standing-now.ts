import { standingOf, type Standing } from '#domain/ledger/index.js';
import type { Application } from '../application.js';
import { loadLedger } from './credits-log.js';
import { creditsOf } from './credits-of.js';
import { heldStanding, spentIn } from './held-credits.js';

/**
 * How a team stands in the present month, as coordination holds it: what its processes have spent in the last seconds may be
 * missing. Where credits were never asked for, from its ledger.
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
