import type { LedgerEvent } from '#domain/ledger/index.js';
import type { Projection } from '#log/projector/projection.js';

export const LEDGER_ENTRY_KINDS = ['top_up', 'correction', 'monthly_credits', 'overage_ceiling'] as const;
export type LedgerEntryKind = (typeof LEDGER_ENTRY_KINDS)[number];

/** An entry in a team's ledger. What calls cost is not here: see `usage` and `charges`. */
export type LedgerDocument = {
  readonly id: string;
  readonly teamId: string;
  readonly kind: LedgerEntryKind;
  /** Picodollars, a whole number in decimal; null: no ceiling. */
  readonly amount: string | null;
  /** Reason of a correction. */
  readonly reason: string | null;
  readonly inferenceId: string | null;
  readonly at: string;
};

export const ledger: Projection<LedgerDocument, LedgerEvent> = {
  name: 'ledger',
  version: 1,
  indexes: [{ fields: ['teamId', 'at'] }],
  key: ({ data }) => data.entryId,
  on: {
    'credits-topped-up.v1': (_, { data }) => entry('top_up', data),
    'credits-corrected.v1': (_, { data }) => entry('correction', data),
    'monthly-credits-set.v1': (_, { data }) => entry('monthly_credits', data),
    'overage-ceiling-set.v1': (_, { data }) => entry('overage_ceiling', data),
  },
};

function entry(kind: LedgerDocument['kind'], data: LedgerEvent['data']): LedgerDocument {
  const { entryId, teamId, amount, at } = data;
  const { reason, inferenceId } = 'reason' in data ? data : { reason: null, inferenceId: null };
  return { id: entryId, teamId, kind, amount, reason, inferenceId, at };
}
