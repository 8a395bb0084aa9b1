import type { CommandsOf, Decider, Env } from '../decider.js';
import { ConflictError, ForbiddenError, NotFoundError } from '../errors.js';
import { PROPOSAL_EVENT_TYPES, type Independence, type Proposal, type ProposalEvent } from './events.js';
import { evolve, type ProposalState } from './state.js';

/** Days within which a proposal can be confirmed. */
export const PROPOSAL_DAYS = 7;
const DAY_MS = 24 * 60 * 60_000;

type By = { proposalId: string; workspaceId: string; userId: string; actor: string };

type ProposalCommand = CommandsOf<{
  propose: Omit<Proposal, 'expiresAt'>;
  /** `whyNot`: why the person does not count as a second one; null: they do. */
  confirm: By & Independence & { whyNot: string | null };
  decline: By & { reason: string | null };
  expire: { proposalId: string; workspaceId: string };
  perform: { proposalId: string; workspaceId: string };
}>;

/** One act that needs two people: a stream for each. */
export const proposalDecider: Decider<ProposalCommand, ProposalEvent, ProposalState> = {
  category: 'proposal',
  eventTypes: PROPOSAL_EVENT_TYPES,
  initial: { status: 'none' },
  decide,
  evolve,
};

function decide(command: ProposalCommand, state: ProposalState, env: Env): readonly ProposalEvent[] {
  const { proposalId, workspaceId } = command;
  if (command.type === 'propose') {
    if (state.status !== 'none') return [];
    const { type: _, ...proposal } = command;
    const expiresAt = new Date(Date.parse(env.now) + PROPOSAL_DAYS * DAY_MS).toISOString();
    return [{ type: 'act-proposed.v1', data: { ...proposal, expiresAt, proposedAt: env.now } }];
  }
  if (state.status === 'none' || state.workspaceId !== workspaceId) throw new NotFoundError('proposal', proposalId);
  if (command.type === 'expire') {
    if (state.status !== 'open' || state.expiresAt > env.now) return [];
    return [{ type: 'proposal-expired.v1', data: { proposalId, workspaceId, expiredAt: env.now } }];
  }
  if (command.type === 'perform') {
    if (state.status === 'performed') return [];
    if (state.status !== 'confirmed') throw new ConflictError(`proposal ${proposalId} is not confirmed`);
    return [{ type: 'proposal-performed.v1', data: { proposalId, workspaceId, performedAt: env.now } }];
  }
  const { userId, actor } = command;
  const of = { proposalId, workspaceId, userId, actor, at: env.now };
  if (command.type === 'confirm') {
    if (state.proposer.userId === userId)
      throw new ForbiddenError(
        'another person than the one who proposed it must confirm it; all keys of a person are that person',
      );
    if (isConfirmed(state) && state.decidedBy === userId) return [];
    refuseDecided(state, env);
    const { whyNot, invitedByProposer = false, sameAddress = null } = command;
    if (whyNot !== null) throw new ForbiddenError(whyNot);
    return [{ type: 'proposal-confirmed.v1', data: { ...of, invitedByProposer, sameAddress } }];
  }
  if (state.status === 'declined' && state.decidedBy === userId) return [];
  refuseDecided(state, env);
  return [{ type: 'proposal-declined.v1', data: { ...of, reason: command.reason } }];
}

const isConfirmed = ({ status }: ProposalState): boolean => status === 'confirmed' || status === 'performed';

function refuseDecided(state: Exclude<ProposalState, { status: 'none' }>, { now }: Env): void {
  const { proposalId, status, expiresAt } = state;
  if (status === 'expired' || (status === 'open' && expiresAt <= now))
    throw new ConflictError(`proposal ${proposalId} expired at ${expiresAt}; propose the act again`);
  if (status !== 'open')
    throw new ConflictError(`proposal ${proposalId} was ${status === 'declined' ? 'declined' : 'confirmed'} before`);
}
