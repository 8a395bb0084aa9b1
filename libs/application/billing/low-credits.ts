import { ENFORCEMENT, enforcementDecider } from '#domain/billing/index.js';
import { ledgerDecider, ledgerId } from '#domain/ledger/index.js';
import type { Application } from '../application.js';
import { systemContext } from '#log/context.js';
import type { Credits } from './credits.js';
import { heldStanding, spentIn } from './held-credits.js';

/** The part of a month's limit below which credits are low. */
const LOW = 10n;

/** Records on the ledger which teams have less than a tenth of the month's credits left, if credits are enforced. */
export async function noteLowCredits(application: Application, credits: Credits): Promise<void> {
  const enforcement = await application.load(enforcementDecider, ENFORCEMENT);
  if (!enforcement.enforced) return;
  const { month } = credits;
  for (const [teamId, held] of await credits.all()) {
    const { limit, available } = heldStanding(held, month, spentIn);
    if (limit === 0n || available * LOW >= limit) continue;
    const command = { type: 'note-low-credits', teamId, month } as const;
    await application.execute(ledgerDecider, ledgerId(teamId, month), command, systemContext('billing', null));
  }
}
