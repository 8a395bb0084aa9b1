import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import {
  changeTeam,
  makeSignInToken,
  eraseUser,
  giveRole,
  loadUser,
  type UserErasure,
} from '#application/accounts/index.js';
import { Application } from '#application/application.js';
import { actorOf, callerContext, type Caller } from '#application/caller.js';
import { ConflictError, NotFoundError } from '#domain/errors.js';
import type { TwoPeopleAct } from '#domain/proposal/index.js';
import type { Role } from '#domain/permissions.js';
import { isLastOwner, LAST_OWNER, roleIn, teamDecider, workspacesOf } from '#domain/team/index.js';
import { SecretKey } from '#primitives/secrets/index.js';
import { Settings } from '#settings/index.js';
import { CallerCommand, type Act, type CommandNeeds } from '../commands-and-queries.js';
import type { Member } from './queries.js';

/** A role for a person, who may be new. */
interface RoleOrder {
  readonly email: string;
  readonly role: Role;
}

/** A member, with the token of a sign-in link for a new person, which is never stored. */
type GivenRole = Member & { readonly token: string | null };

export class GiveRole extends CallerCommand<RoleOrder, GivenRole> {
  static override readonly needs: CommandNeeds = ['manage'];
}

@CommandHandler(GiveRole)
export class GiveRoleHandler implements ICommandHandler<GiveRole> {
  constructor(
    private readonly application: Application,
    private readonly secret: SecretKey,
  ) {}

  async execute({ caller, identity, input: { email, role } }: GiveRole): Promise<GivenRole> {
    const { teamId, workspaceId } = caller;
    const invitation = { teamId, workspaceId, email, role, readmits: false, givenBy: caller.userId };
    const { user, isNew } = await giveRole(this.application, invitation, callerContext(caller, identity));
    const token = isNew ? await makeSignInToken(this.application, this.secret, user, { actor: actorOf(caller) }) : null;
    return { userId: user.userId, email: user.email, role, isOwn: false, token };
  }
}

export class RemoveRole extends CallerCommand<string, void> {
  static override readonly needs: CommandNeeds = ['manage'];
}

@CommandHandler(RemoveRole)
export class RemoveRoleHandler implements ICommandHandler<RemoveRole> {
  constructor(private readonly application: Application) {}

  /** @throws NotFoundError for a user who is not a member */
  async execute({ caller, identity, input: userId }: RemoveRole): Promise<void> {
    const { teamId, workspaceId } = caller;
    const team = await this.application.load(teamDecider, teamId);
    if (team.status === 'none' || roleIn(team, workspaceId, userId) === null) throw new NotFoundError('member', userId);
    const command = { type: 'remove-role', teamId, workspaceId, userId } as const;
    await changeTeam(this.application, command, callerContext(caller, identity));
  }
}

/** Permanently removes a person who is in this workspace only. */
export class EraseMember extends CallerCommand<string, UserErasure> {
  static override readonly needs: CommandNeeds = ['manage'];

  static override actOf(userId: string): Act {
    return { kind: 'erase', command: 'erase-member', about: `erase member ${userId}` };
  }
}

@CommandHandler(EraseMember)
export class EraseMemberHandler implements ICommandHandler<EraseMember> {
  constructor(
    private readonly application: Application,
    private readonly settings: Settings,
  ) {}

  /**
   * @throws NotFoundError for a user who is not a member; ConflictError for one who is in other workspaces too, or is
   * the last owner
   */
  async execute({ caller, identity, input: userId }: EraseMember): Promise<UserErasure> {
    const { workspaceId } = caller;
    const before = await loadUser(this.application, userId);
    if (before?.erasure?.workspaceId !== workspaceId) await this.requireOnlyHere(caller, userId);
    return eraseUser(this.application, this.settings, { userId, workspaceId }, callerContext(caller, identity));
  }

  private async requireOnlyHere({ teamId, workspaceId }: Caller, userId: string): Promise<void> {
    const team = await this.application.load(teamDecider, teamId);
    const places = team.status === 'none' ? [] : workspacesOf(team, userId);
    if (team.status === 'none' || !places.includes(workspaceId)) throw new NotFoundError('member', userId);
    if (places.length > 1 || team.workspaces.has(userId))
      throw new ConflictError(
        'this person also has a workspace of their own, or is a member of others; only the operator can erase them (npx anneal team erase-member)',
      );
    if (isLastOwner(team, workspaceId, userId)) throw new ConflictError(LAST_OWNER);
  }
}

/** Whether analysts see the content of calls and datasets. */
export class SetAnalystsContent extends CallerCommand<boolean, void> {
  static override readonly needs: CommandNeeds = ['manage'];
}

@CommandHandler(SetAnalystsContent)
export class SetAnalystsContentHandler implements ICommandHandler<SetAnalystsContent> {
  constructor(private readonly application: Application) {}

  async execute({ caller, identity, input: shown }: SetAnalystsContent): Promise<void> {
    const { teamId, workspaceId } = caller;
    const command = { type: 'set-analysts-content', teamId, workspaceId, shown } as const;
    await changeTeam(this.application, command, callerContext(caller, identity));
  }
}

/** Acts that need two people from now on. */
export class SetTwoPeople extends CallerCommand<readonly TwoPeopleAct[], void> {
  static override readonly needs: CommandNeeds = ['manage'];

  static override actOf(acts: readonly TwoPeopleAct[]): Act {
    const about = `want two people for: ${acts.join(', ') || 'nothing'}`;
    return { kind: 'two_people', command: 'set-two-people', about };
  }
}

@CommandHandler(SetTwoPeople)
export class SetTwoPeopleHandler implements ICommandHandler<SetTwoPeople> {
  constructor(private readonly application: Application) {}

  /** @throws ConflictError where nobody could confirm */
  async execute({ caller, identity, input: acts }: SetTwoPeople): Promise<void> {
    const { teamId, workspaceId } = caller;
    const command = { type: 'set-two-people', teamId, workspaceId, acts } as const;
    await changeTeam(this.application, command, callerContext(caller, identity));
  }
}
