import type { Proposal, ProposalEvent } from './events.js';

export type ProposalState =
  | { readonly status: 'none' }
  | ({
      readonly status: 'open' | 'confirmed' | 'declined' | 'expired' | 'performed';
      readonly decidedBy: string | null;
    } & Proposal & {
        readonly proposedAt: string;
        /** Actor of the confirmation. */
        readonly confirmedBy: string | null;
      });

export function evolve(state: ProposalState, event: ProposalEvent): ProposalState {
  if (event.type === 'act-proposed.v1') return { status: 'open', decidedBy: null, confirmedBy: null, ...event.data };
  if (state.status === 'none') return state;
  switch (event.type) {
    case 'proposal-confirmed.v1':
      return { ...state, status: 'confirmed', decidedBy: event.data.userId, confirmedBy: event.data.actor };
    case 'proposal-declined.v1':
      return { ...state, status: 'declined', decidedBy: event.data.userId };
    case 'proposal-expired.v1':
      return { ...state, status: 'expired' };
    case 'proposal-performed.v1':
      return { ...state, status: 'performed' };
  }
}
