import type { TwoPeopleAct } from '../proposal/acts.js';
import { NONE, OF_ROLE, WITHOUT_CONTENT, type Permissions, type Role } from '../permissions.js';
import type { Team } from './state.js';

/**
 * The workspace where a member's sessions begin: their own, else one that they were invited to; null for users who are
 * not members.
 */
export function homeOf(team: Team, userId: string): string | null {
  const own = team.workspaces.get(userId);
  if (own !== undefined) return own;
  for (const [workspaceId, members] of team.roles) if (members.has(userId)) return workspaceId;
  return null;
}

export const isMember = (team: Team, userId: string): boolean => homeOf(team, userId) !== null;

/** The workspaces of a member, their own first. */
export const workspacesOf = (team: Team, userId: string): readonly string[] =>
  [...team.founders.keys()].filter((workspaceId) => roleIn(team, workspaceId, userId) !== null);

/** null for users outside the workspace. */
export const roleIn = (team: Team, workspaceId: string, userId: string): Role | null =>
  team.workspaces.get(userId) === workspaceId ? 'owner' : (team.roles.get(workspaceId)?.get(userId)?.role ?? null);

export function permissionsIn(team: Team, workspaceId: string, userId: string): Permissions {
  const role = roleIn(team, workspaceId, userId);
  if (role === null) return NONE;
  return role === 'analyst' && team.contentHidden.has(workspaceId) ? WITHOUT_CONTENT : OF_ROLE[role];
}

/** All members of a workspace: its owner by default, then the others in order of joining. */
export function membersOf(team: Team, workspaceId: string): ReadonlyMap<string, Role> {
  const founder = team.founders.get(workspaceId);
  const members = new Map<string, Role>();
  if (founder !== undefined && team.workspaces.has(founder)) members.set(founder, 'owner');
  for (const [userId, { role }] of team.roles.get(workspaceId) ?? []) members.set(userId, role);
  return members;
}

export const LAST_OWNER = 'this is the last owner of the workspace; make another member owner first';

/** Whether the workspace would have no owner without this one. */
export function isLastOwner(team: Team, workspaceId: string, userId: string): boolean {
  const owners = ownersOf(team, workspaceId);
  return owners.length === 1 && owners[0] === userId;
}

export const ownersOf = (team: Team, workspaceId: string): readonly string[] =>
  [...membersOf(team, workspaceId)].flatMap(([userId, role]) => (role === 'owner' ? [userId] : []));

/**
 * Why a member of a workspace does not count as a second person to another one, which is null if they do: what one person
 * proposes cannot be confirmed by an account that this person has made since. Who was there before is taken to be another.
 */
export function whyNotSecond(
  team: Team,
  workspaceId: string,
  { userId, proposerId, proposedAt }: { userId: string; proposerId: string; proposedAt: string },
): string | null {
  const membership = team.roles.get(workspaceId)?.get(userId);
  if (membership?.hands.includes(proposerId))
    return 'the proposer, or an account that the proposer invited, gave you your role here, so that you do not count as a second person; another owner, or the operator, can remove you and invite you again';
  if (membership && membership.since > proposedAt)
    return 'you joined the workspace after it was proposed; have the act proposed again';
  return null;
}

/** Whether one member gave another the first role in a workspace, whenever that was. */
export const isInvitedBy = (team: Team, workspaceId: string, userId: string, by: string): boolean =>
  team.roles.get(workspaceId)?.get(userId)?.givenBy === by;

/** Acts that need two people in a workspace. */
export const twoPeopleIn = ({ twoPeople }: Team, workspaceId: string): readonly TwoPeopleAct[] =>
  twoPeople.get(workspaceId) ?? [];

export const memberCount = ({ workspaces, roles }: Team): number =>
  new Set([...workspaces.keys(), ...[...roles.values()].flatMap((members) => [...members.keys()])]).size;
