import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { changeTeam, createSignInToken, giveRole } from '#application/accounts/index.js';
import { Application } from '#application/application.js';
import { callerContext } from '#application/caller.js';
import { NotFoundError } from '#domain/errors.js';
import { roleIn, teamDecider } from '#domain/team/index.js';
import { SecretKey } from '#primitives/secrets/index.js';
import { CallerCommand } from '../messages.js';
import type { GivenRole, MemberBody, WorkspaceBody } from './dto.js';

/** @returns the member; the token of a sign-in link for a new person, which is kept nowhere */
export class GiveRole extends CallerCommand<MemberBody, Omit<GivenRole, 'sign_in_link'> & { token: string | null }> {}

@CommandHandler(GiveRole)
export class GiveRoleHandler implements ICommandHandler<GiveRole> {
  constructor(
    private readonly application: Application,
    private readonly secret: SecretKey,
  ) {}

  async execute({ caller, identity, input: { email, role } }: GiveRole) {
    const { teamId, workspaceId } = caller;
    const invitation = { teamId, workspaceId, email, role, readmits: false };
    const { user, isNew } = await giveRole(this.application, invitation, callerContext(caller, identity));
    const { coordination } = this.application.ports;
    const token = isNew ? await createSignInToken(coordination, this.secret, user.userId) : null;
    return { user_id: user.userId, email: user.email, role, is_own: false, token };
  }
}

export class RemoveRole extends CallerCommand<string, void> {}

@CommandHandler(RemoveRole)
export class RemoveRoleHandler implements ICommandHandler<RemoveRole> {
  constructor(private readonly application: Application) {}

  /** @throws NotFoundError for who is no member */
  async execute({ caller, identity, input: userId }: RemoveRole): Promise<void> {
    const { teamId, workspaceId } = caller;
    const team = await this.application.load(teamDecider, teamId);
    if (team.status === 'none' || roleIn(team, workspaceId, userId) === null) throw new NotFoundError('member', userId);
    const command = { type: 'remove-role', teamId, workspaceId, userId } as const;
    await changeTeam(this.application, command, callerContext(caller, identity));
  }
}

export class SetAnalystsContent extends CallerCommand<WorkspaceBody, void> {}

@CommandHandler(SetAnalystsContent)
export class SetAnalystsContentHandler implements ICommandHandler<SetAnalystsContent> {
  constructor(private readonly application: Application) {}

  async execute({ caller, identity, input }: SetAnalystsContent): Promise<void> {
    const { teamId, workspaceId } = caller;
    const command = { type: 'set-analysts-content', teamId, workspaceId, shown: input.analysts_see_content } as const;
    await changeTeam(this.application, command, callerContext(caller, identity));
  }
}
