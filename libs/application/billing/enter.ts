import { CoordinationUnavailableError } from '#ports/coordination/port.js';
import { ENFORCEMENT, enforcementDecider, type Enforcement } from '#domain/billing/index.js';
import { ledgerDecider, ledgerId, monthOf, type LedgerCommand } from '#domain/ledger/index.js';
import { ledgerDocuments } from '#projections/ledger/queries.js';
import { inForceEverywhere } from '../accounts/index.js';
import type { Application } from '../application.js';
import type { CommandContext } from '#log/context.js';
import { creditsOf } from './credits-of.js';

type WithoutMonth<T> = T extends unknown ? Omit<T, 'month'> : never;
export type LedgerEntry = WithoutMonth<LedgerCommand>;

/**
 * Adds an entry to a team's ledger, and lets calls be admitted by it.
 * @returns false if it is in the log but coordination was not reached: it takes effect once a worker has looked, within
 * seconds
 * @throws DomainError
 */
export async function enterInLedger(
  application: Application,
  entry: LedgerEntry,
  context: CommandContext,
): Promise<boolean> {
  const { teamId } = entry;
  const month = monthOf(context.now);
  const command = { ...entry, month } as LedgerCommand;
  await application.execute(ledgerDecider, ledgerId(teamId, month), command, context, [ledgerDocuments.collection]);
  try {
    await creditsOf(application).refresh(teamId);
    return true;
  } catch (error) {
    if (error instanceof CoordinationUnavailableError) return false;
    throw error;
  }
}

/** Sets whether credits are enforced. On resolution every replica acts on it. */
export async function setEnforcement(
  application: Application,
  { enforced, cardRequired }: Enforcement,
  context: CommandContext,
): Promise<void> {
  const command = { type: 'set-enforcement', enforced, cardRequired } as const;
  await application.execute(enforcementDecider, ENFORCEMENT, command, context);
  await inForceEverywhere(application);
}

export const loadEnforcement = (application: Application): Promise<Enforcement> =>
  application.load(enforcementDecider, ENFORCEMENT);
