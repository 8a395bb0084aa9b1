import type { Independence, Proposal, ProposalEvent } from '#domain/proposal/index.js';
import type { Projection } from '#log/projector/projection.js';

/** A proposal and what became of it. `id` is the proposal's id. */
export type ProposalDocument = Omit<Proposal, 'proposalId'> & {
  readonly id: string;
  /** An open one may be about to expire. */
  readonly status: 'open' | 'confirmed' | 'declined' | 'expired' | 'performed';
  /** Equal for proposals of the same act by the same person. */
  readonly same: string;
  readonly proposedAt: string;
  /** Who confirmed or declined it; null: nobody. */
  readonly decidedBy: string | null;
  readonly decidedAt: string | null;
  readonly declined: string | null;
} & { readonly [Name in keyof Independence]-?: Exclude<Independence[Name], undefined> | null };

export const proposals: Projection<ProposalDocument, ProposalEvent> = {
  name: 'proposals',
  version: 2,
  indexes: [{ fields: ['workspaceId', 'proposedAt'] }, { fields: ['workspaceId', 'status', 'proposedAt'] }],
  key: ({ data }) => data.proposalId,
  on: {
    'act-proposed.v1': (_, { data: { proposalId: id, ...proposal } }) => ({
      ...{ id, ...proposal, status: 'open', same: sameness(proposal) },
      ...{ decidedBy: null, decidedAt: null, declined: null, invitedByProposer: null, sameAddress: null },
    }),
    'proposal-confirmed.v1': (proposal, { data }) =>
      proposal && {
        ...{ ...proposal, status: 'confirmed', decidedBy: data.actor, decidedAt: data.at },
        ...{ invitedByProposer: data.invitedByProposer ?? null, sameAddress: data.sameAddress ?? null },
      },
    'proposal-declined.v1': (proposal, { data }) =>
      proposal && {
        ...{ ...proposal, status: 'declined', decidedBy: data.actor },
        ...{ decidedAt: data.at, declined: data.reason },
      },
    'proposal-expired.v1': (proposal) => proposal && { ...proposal, status: 'expired' },
    'proposal-performed.v1': (proposal) => proposal && { ...proposal, status: 'performed' },
  },
};

export const sameness = ({ command, input, proposer }: Pick<Proposal, 'command' | 'input' | 'proposer'>): string =>
  JSON.stringify([proposer.userId, command, input]);
