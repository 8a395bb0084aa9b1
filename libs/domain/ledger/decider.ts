import type { CommandsOf, Decider, Env } from '../decider.js';
import { InvalidError } from '../errors.js';
import { LEDGER_EVENT_TYPES, type CorrectionReason, type LedgerEvent } from './events.js';
import { EMPTY_MONTH, evolve, type MonthlyLedger } from './state.js';

/** Amounts are picodollars. */
export type LedgerCommand = { readonly teamId: string; readonly month: string } & CommandsOf<{
  'top-up': { amount: bigint };
  correct: { amount: bigint; reason: CorrectionReason; inferenceId: string | null };
  'set-monthly-credits': { amount: bigint };
  'set-overage-ceiling': { amount: bigint | null };
  'note-low-credits': object;
}>;

export const ledgerDecider: Decider<LedgerCommand, LedgerEvent, MonthlyLedger> = {
  category: 'ledger',
  eventTypes: LEDGER_EVENT_TYPES,
  initial: EMPTY_MONTH,
  decide,
  evolve,
};

/** `2026-11` of an ISO 8601 time in UTC. */
export const monthOf = (at: string): string => at.slice(0, 7);

/** A team's ledger of one month. */
export const ledgerId = (teamId: string, month: string): string => `${teamId}-${month}`;

function decide(command: LedgerCommand, state: MonthlyLedger, env: Env): readonly LedgerEvent[] {
  const { teamId, month } = command;
  const entryId = env.newId('entry');
  if (state.entries.has(entryId)) return [];
  const entry = { entryId, teamId, month, at: env.now };
  switch (command.type) {
    case 'top-up':
      if (command.amount <= 0n) throw wrongAmount('must be more than 0');
      return [{ type: 'credits-topped-up.v1', data: { ...entry, amount: String(command.amount) } }];
    case 'correct': {
      const { amount, reason, inferenceId } = command;
      if (amount === 0n) throw wrongAmount('must not be 0');
      return [{ type: 'credits-corrected.v1', data: { ...entry, amount: String(amount), reason, inferenceId } }];
    }
    case 'set-monthly-credits':
      if (command.amount < 0n) throw wrongAmount('must not be below 0');
      if (state.included === command.amount) return [];
      return [{ type: 'monthly-credits-set.v1', data: { ...entry, amount: String(command.amount) } }];
    case 'set-overage-ceiling': {
      const { amount } = command;
      if (amount !== null && amount < 0n) throw wrongAmount('must not be below 0');
      if (state.ceiling === amount) return [];
      return [{ type: 'overage-ceiling-set.v1', data: { ...entry, amount: amount === null ? null : String(amount) } }];
    }
    case 'note-low-credits':
      return state.isLow ? [] : [{ type: 'credits-ran-low.v1', data: entry }];
  }
}

const wrongAmount = (message: string): InvalidError =>
  new InvalidError({ path: ['amount'], message, type: 'out_of_range' });
