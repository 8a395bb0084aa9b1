import type { ProposalDocument } from '#projections/proposals/projection.js';
import type { ProposalRecord } from './dto.js';

export const proposalRecord = (proposal: ProposalDocument): ProposalRecord => ({
  ...{ id: proposal.id, act: proposal.act, about: proposal.about },
  status: proposal.status === 'open' && Date.parse(proposal.expiresAt) <= Date.now() ? 'expired' : proposal.status,
  ...{ proposed_by: proposal.actor, proposer_id: proposal.proposer.userId, proposed_at: proposal.proposedAt },
  ...{ expires_at: proposal.expiresAt, reason: proposal.reason, ticket: proposal.ticket },
  ...{ decided_by: proposal.decidedBy, decided_at: proposal.decidedAt },
  ...{ invited_by_proposer: proposal.invitedByProposer, same_address: proposal.sameAddress },
  ...{ declined_because: proposal.declined },
});
