import type { LedgerEvent } from '#domain/ledger/index.js';
import type { Projection } from '#projector/projection.js';

/** An entry in a team's ledger. What calls cost is not here: see `usage` and `charges`. */
export interface LedgerDocument {
  readonly [key: string]: string | null;
  readonly id: string;
  readonly teamId: string;
  readonly kind: 'top_up' | 'correction' | 'monthly_credits' | 'overage_ceiling';
  /** Picodollars, a whole number in decimal; null: no ceiling. */
  readonly amount: string | null;
  /** Of a correction. */
  readonly reason: string | null;
  readonly inferenceId: string | null;
  readonly at: string;
}

export const ledger: Projection<LedgerDocument> = {
  name: 'ledger',
  version: 1,
  handles: ['credits-topped-up.v1', 'credits-corrected.v1', 'monthly-credits-set.v1', 'overage-ceiling-set.v1'],
  indexes: [{ fields: ['teamId', 'at'] }],
  key: (event) => (event as unknown as LedgerEvent).data.entryId,
  apply(_document, recorded) {
    const event = recorded as unknown as LedgerEvent;
    const { entryId, teamId, amount, at } = event.data;
    const about = event.type === 'credits-corrected.v1' ? event.data : { reason: null, inferenceId: null };
    const { reason, inferenceId } = about;
    return { id: entryId, teamId, kind: KINDS[event.type], amount, reason, inferenceId, at };
  },
};

const KINDS = {
  'credits-topped-up.v1': 'top_up',
  'credits-corrected.v1': 'correction',
  'monthly-credits-set.v1': 'monthly_credits',
  'overage-ceiling-set.v1': 'overage_ceiling',
} as const;
