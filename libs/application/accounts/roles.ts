import { ConflictError } from '#domain/errors.js';
import type { Role } from '#domain/permissions.js';
import { homeOf, isMember, teamDecider, type Team } from '#domain/team/index.js';
import { userDecider } from '#domain/user/index.js';
import type { Application } from '../application.js';
import type { CommandContext } from '#log/context.js';
import { derivedId } from '#log/execute.js';
import type { SessionOwner } from './sessions.js';
import { changeTeam } from './teams.js';
import { userIdOf, type User } from './users.js';

interface Invitation {
  readonly teamId: string;
  readonly workspaceId: string;
  readonly email: string;
  readonly role: Role;
  /** Whether somebody whom the operator removed from the team may return. */
  readonly readmits: boolean;
  /** The member who gives it; absent: none does. */
  readonly givenBy?: string;
}

/**
 * Gives a person a role in a workspace. A new person gets an account that has no workspace of its own, so that it
 * costs the team nothing outside this one. On resolution every replica sees the change.
 * @returns the person, and whether the account is new
 * @throws ConflictError when the address is registered in another team, or was removed from this one
 */
export async function giveRole(
  application: Application,
  { teamId, workspaceId, email, role, readmits, givenBy }: Invitation,
  context: CommandContext,
): Promise<{ readonly user: User; readonly isNew: boolean }> {
  const userId = userIdOf(email);
  const team = await application.load(teamDecider, teamId);
  if (!readmits && team.status !== 'none' && team.removals.has(userId) && !isMember(team, userId))
    throw new ConflictError(`${email} was removed from the team; ask the operator to add them again`);
  const ofTheirOwn = derivedId(userId, 'workspace');
  const register = {
    type: 'register-user',
    userId,
    email: email.toLowerCase(),
    teamId,
    workspaceId: ofTheirOwn,
  } as const;
  const { state, position } = await application.execute(userDecider, userId, register, context);
  const set = { type: 'set-role', teamId, workspaceId, userId, role, ...(givenBy && { givenBy }) } as const;
  await changeTeam(application, set, context);
  return { user: state as User, isNew: position !== null };
}

/** The owner of an admitted user's session, and the workspace where it begins. */
export const ownerOf = (team: Team, { userId, teamId, workspaceId }: User): SessionOwner => ({
  ...{ userId, teamId },
  workspaceId: homeOf(team, userId) ?? workspaceId,
});
