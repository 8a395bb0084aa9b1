import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Application } from '#application/application.js';
import { actorOf, callerContext, type Caller, type RequestIdentity } from '#application/caller.js';
import { NotFoundError } from '#domain/errors.js';
import { proposalDecider, type ProposalState } from '#domain/proposal/index.js';
import { isInvitedBy, teamDecider, whyNotSecond } from '#domain/team/index.js';
import { derivedId, WithheldError } from '#log/execute.js';
import { hashAddress, SecretKey } from '#primitives/secrets/index.js';
import type { ProposalDocument } from '#projections/proposals/projection.js';
import { proposalDocuments } from '#projections/proposals/queries.js';
import { CallerCommand } from '../commands-and-queries.js';
import { Errands } from '../errands.js';
import { requirePermission, UseCases } from '../use-cases.js';
import { PROPOSED_COMMANDS } from './proposed-commands.js';
import { requireProposal } from './queries.js';

const VISIBLE_IN = [proposalDocuments.collection];

type Proposed = Exclude<ProposalState, { status: 'none' }>;

/** The proposal, and the command by which it is done. @throws NotFoundError; ForbiddenError who may not do the act itself */
async function proposed(application: Application, caller: Caller, id: string) {
  const state = await application.load(proposalDecider, id);
  if (state.status === 'none' || state.workspaceId !== caller.workspaceId) throw new NotFoundError('proposal', id);
  const Command = PROPOSED_COMMANDS[state.command];
  if (!Command) throw new Error(`there is no command ${state.command}`);
  requirePermission(caller, Command.needs);
  return { state, Command };
}

/** Agrees to what another person proposed, and does it. */
export class ConfirmProposal extends CallerCommand<string, ProposalDocument> {}

@CommandHandler(ConfirmProposal)
export class ConfirmProposalHandler implements ICommandHandler<ConfirmProposal> {
  constructor(
    private readonly application: Application,
    private readonly errands: Errands,
    private readonly useCases: UseCases,
    private readonly secret: SecretKey,
  ) {}

  /**
   * The act is done in the name of the proposer, who must still be permitted to. Whoever confirmed it may repeat the
   * request if the act was interrupted.
   * @throws NotFoundError; ForbiddenError for the proposer and accounts that the proposer has made; ConflictError decided before, or expired; else as the act
   */
  async execute({ caller, identity, input: id }: ConfirmProposal): Promise<ProposalDocument> {
    const { state, Command } = await proposed(this.application, caller, id);
    const { workspaceId, userId } = caller;
    const by = { proposalId: id, workspaceId, userId, actor: actorOf(caller) };
    const context = callerContext(caller, identity);
    const standing = await this.standing(state, caller, identity);
    if (state.status === 'open' && state.proposer.userId !== userId && standing.whyNot === null) {
      // An act that would be refused now leaves the proposal open.
      await this.perform(state, Command, identity, { withheld: true }).catch(whereWithheld);
    }
    const { state: after } = await this.application.execute(
      ...([proposalDecider, id, { type: 'confirm', ...by, ...standing }, context, VISIBLE_IN] as const),
    );
    if (after.status === 'confirmed') {
      await this.perform(after, Command, identity, { confirmed: { proposalId: id, by: after.confirmedBy! } });
      const performing = { ...context, commandId: derivedId(id, 'performed') };
      const perform = { type: 'perform', proposalId: id, workspaceId } as const;
      await this.application.execute(proposalDecider, id, perform, performing, VISIBLE_IN);
    }
    return requireProposal(this.application, caller, id);
  }

  /** Whether the caller counts as a second person, and what speaks against it. */
  private async standing({ proposer, proposedAt, address }: Proposed, caller: Caller, { ip }: RequestIdentity) {
    const { teamId, workspaceId, userId } = caller;
    const team = await this.application.load(teamDecider, teamId);
    if (team.status === 'none') throw new NotFoundError('team', teamId);
    const proposerId = proposer.userId;
    return {
      whyNot: whyNotSecond(team, workspaceId, { userId, proposerId, proposedAt }),
      invitedByProposer: isInvitedBy(team, workspaceId, userId, proposerId),
      sameAddress: ip && address ? hashAddress(this.secret, ip) === address : null,
    };
  }

  private async perform(
    { proposalId, proposer, workspaceId, actor, proposedAt, reason, ticket, input }: Proposed,
    Command: (typeof PROPOSED_COMMANDS)[string],
    { requestId }: RequestIdentity,
    how: Pick<RequestIdentity, 'confirmed' | 'withheld'>,
  ): Promise<void> {
    // The same id for each try, so that the act is done once.
    const commandId = derivedId(proposalId, 'act');
    const errand = { caller: { ...proposer, workspaceId }, askedAt: proposedAt, requestId, commandId };
    const asked = await this.errands.admit(errand, Command.needs, Command.rateLimit);
    const why = { ...(reason !== null && { reason }), ...(ticket !== null && { ticket }) };
    const confirmed = { proposalId, by: actor };
    await this.useCases.execute(
      new Command(asked, { requestId, commandId, repeated: true, actor, why, confirmed, ...how }, input),
    );
  }
}

function whereWithheld(error: unknown): void {
  if (!(error instanceof WithheldError)) throw error;
}

/** Refuses a proposal, or withdraws one's own. */
export class DeclineProposal extends CallerCommand<
  { readonly id: string; readonly reason: string | null },
  ProposalDocument
> {}

@CommandHandler(DeclineProposal)
export class DeclineProposalHandler implements ICommandHandler<DeclineProposal> {
  constructor(private readonly application: Application) {}

  /** @throws NotFoundError; ConflictError decided before, or expired */
  async execute({ caller, identity, input: { id, reason } }: DeclineProposal): Promise<ProposalDocument> {
    await proposed(this.application, caller, id);
    const { workspaceId, userId } = caller;
    const by = { proposalId: id, workspaceId, userId, actor: actorOf(caller) };
    const command = { type: 'decline', ...by, reason } as const;
    await this.application.execute(proposalDecider, id, command, callerContext(caller, identity), VISIBLE_IN);
    return requireProposal(this.application, caller, id);
  }
}
