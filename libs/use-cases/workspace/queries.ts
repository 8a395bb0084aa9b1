import { QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { loadUser } from '#application/accounts/index.js';
import { Application } from '#application/application.js';
import { NotFoundError } from '#domain/errors.js';
import type { TwoPeopleAct } from '#domain/proposal/index.js';
import type { Role } from '#domain/permissions.js';
import { membersOf, teamDecider, twoPeopleIn } from '#domain/team/index.js';
import { CallerQuery } from '../commands-and-queries.js';

/** A person's place in a workspace. */
export interface Member {
  readonly userId: string;
  /** null: erased. */
  readonly email: string | null;
  readonly role: Role;
  /** Whether it is their own workspace, whose owner they stay. */
  readonly isOwn: boolean;
}

export interface Workspace {
  readonly id: string;
  readonly teamId: string;
  readonly analystsSeeContent: boolean;
  /** Acts that need a second person. */
  readonly twoPeople: readonly TwoPeopleAct[];
  readonly members: readonly Member[];
}

export class GetWorkspace extends CallerQuery<null, Workspace> {}

@QueryHandler(GetWorkspace)
export class GetWorkspaceHandler implements IQueryHandler<GetWorkspace> {
  constructor(private readonly application: Application) {}

  async execute({ caller: { teamId, workspaceId } }: GetWorkspace): Promise<Workspace> {
    const account = await this.application.load(teamDecider, teamId);
    if (account.status === 'none') throw new NotFoundError('workspace', workspaceId);
    const members = [...membersOf(account, workspaceId)].map(async ([userId, role]) => ({
      userId,
      email: (await loadUser(this.application, userId))?.email ?? null,
      role,
      isOwn: account.workspaces.get(userId) === workspaceId,
    }));
    return {
      id: workspaceId,
      teamId,
      analystsSeeContent: !account.contentHidden.has(workspaceId),
      twoPeople: twoPeopleIn(account, workspaceId),
      members: await Promise.all(members),
    };
  }
}
