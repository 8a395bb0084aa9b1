import { Injectable } from '@nestjs/common';
import { Application } from '#application/application.js';
import { callerContext, type Caller, type RequestIdentity } from '#application/caller.js';
import { ConflictError, ProposedError } from '#domain/errors.js';
import type { Json } from '#domain/json.js';
import { proposalDecider, TWO_PEOPLE_ACTS, type ProposedAct, type TwoPeopleAct } from '#domain/proposal/index.js';
import { teamDecider, twoPeopleIn } from '#domain/team/index.js';
import { derivedId } from '#log/execute.js';
import { hashAddress, SecretKey } from '#primitives/secrets/index.js';
import { sameness } from '#projections/proposals/projection.js';
import { openProposals, proposalDocuments } from '#projections/proposals/queries.js';
import type { Act } from '../commands-and-queries.js';

/** An act is also one of the others here: what is forced past the gate is promoted, what is erased is deleted. */
const ALSO_NEEDED_FOR: Readonly<Record<ProposedAct, readonly TwoPeopleAct[]>> = {
  promote: ['promote'],
  force: ['force', 'promote'],
  erase: ['erase', 'delete'],
  delete: ['delete'],
  two_people: TWO_PEOPLE_ACTS,
};

/** Open proposals of a workspace. */
const MAX_OPEN = 1_000;

/** Has acts wait for a second person, where their workspace wants two. */
@Injectable()
export class SecondPerson {
  constructor(
    private readonly application: Application,
    private readonly secret: SecretKey,
  ) {}

  async isNeeded({ teamId, workspaceId }: Caller, { kind }: Act): Promise<boolean> {
    const team = await this.application.load(teamDecider, teamId);
    if (team.status === 'none') return false;
    const acts = twoPeopleIn(team, workspaceId);
    return ALSO_NEEDED_FOR[kind].some((each) => acts.includes(each));
  }

  /** Records a proposal; the same one as before, if the person has proposed the same and it is still open. */
  async propose(caller: Caller, identity: RequestIdentity, act: Act, input: unknown): Promise<ProposedError> {
    const { workspaceId, kind, userId, teamId, keyId } = caller;
    const context = callerContext(caller, identity);
    const proposalId = derivedId(context.commandId, 'proposal');
    const proposal = {
      ...{ proposalId, workspaceId, act: act.kind, command: act.command, about: act.about, actor: context.actor },
      // What is stored is what JSON keeps of it.
      input: JSON.parse(JSON.stringify(input)) as Json,
      proposer: { kind, userId, teamId, keyId },
      address: identity.ip === undefined ? null : hashAddress(this.secret, identity.ip),
      ...{ reason: identity.why?.reason ?? act.reason ?? null, ticket: identity.why?.ticket ?? null },
    };
    const open = await openProposals(this.application.ports.readStore, workspaceId, context.now, MAX_OPEN);
    const same = open.find((each) => each.same === sameness(proposal));
    if (same) return new ProposedError(same.id, same.expiresAt);
    if (open.length >= MAX_OPEN)
      throw new ConflictError(`this workspace has ${MAX_OPEN} open proposals; have some confirmed or declined first`);
    const { state } = await this.application.execute(
      proposalDecider,
      proposalId,
      { type: 'propose', ...proposal },
      context,
      [proposalDocuments.collection],
    );
    if (state.status === 'none') throw new Error('a proposal was made, and is not there');
    return new ProposedError(proposalId, state.expiresAt);
  }
}
