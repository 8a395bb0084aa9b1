import { QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { loadUser } from '#application/accounts/index.js';
import { Application } from '#application/application.js';
import { NotFoundError } from '#domain/errors.js';
import { membersOf, teamDecider } from '#domain/team/index.js';
import { CallerQuery } from '../messages.js';
import type { WorkspaceRecord } from '#apps/api/routes/workspace/dto.js';

export class GetWorkspace extends CallerQuery<null, WorkspaceRecord> {}

@QueryHandler(GetWorkspace)
export class GetWorkspaceHandler implements IQueryHandler<GetWorkspace> {
  constructor(private readonly application: Application) {}

  async execute({ caller: { teamId, workspaceId } }: GetWorkspace): Promise<WorkspaceRecord> {
    const account = await this.application.load(teamDecider, teamId);
    if (account.status === 'none') throw new NotFoundError('workspace', workspaceId);
    const members = [...membersOf(account, workspaceId)].map(async ([userId, role]) => ({
      user_id: userId,
      email: (await loadUser(this.application, userId))?.email ?? null,
      role,
      is_own: account.workspaces.get(userId) === workspaceId,
    }));
    return {
      id: workspaceId,
      team_id: teamId,
      analysts_see_content: !account.contentHidden.has(workspaceId),
      members: await Promise.all(members),
    };
  }
}
