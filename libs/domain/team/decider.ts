import type { CommandsOf, Decider, Env } from '../decider.js';
import { ConflictError, ForbiddenError, InvalidError, NotFoundError } from '../errors.js';
import { TWO_PEOPLE_ACTS, type TwoPeopleAct } from '../proposal/acts.js';
import type { Role } from '../permissions.js';
import { TEAM_EVENT_TYPES, type BlockReason, type TeamEvent } from './events.js';
import { isLimitName, WORKSPACE_LIMITS } from './limits.js';
import { allowsOptOut, type Plan } from './plans.js';
import { evolve, type Team, type TeamState } from './state.js';
import { isLastOwner, isMember, LAST_OWNER, ownersOf, roleIn, twoPeopleIn } from './workspaces.js';

export type TeamCommand = { readonly teamId: string } & CommandsOf<{
  'create-team': { name: string };
  'add-team-member': { userId: string; workspaceId: string };
  'remove-team-member': { userId: string };
  'set-role': { workspaceId: string; userId: string; role: Role; givenBy?: string };
  'remove-role': { workspaceId: string; userId: string };
  'set-analysts-content': { workspaceId: string; shown: boolean };
  'set-two-people': { workspaceId: string; acts: readonly TwoPeopleAct[] };
  'set-team-plan': { plan: Plan };
  'set-team-region': { region: string | null };
  'set-team-rollout': { rollout: string; enabled: boolean };
  'set-team-data-use': { optedOut: boolean };
  'set-team-card': { verified: boolean };
  'set-team-limit': { limit: string; value: number | null };
  'block-team': { reason: BlockReason };
  'unblock-team': object;
}>;

export const teamDecider: Decider<TeamCommand, TeamEvent, TeamState> = {
  category: 'team',
  eventTypes: TEAM_EVENT_TYPES,
  initial: { status: 'none' },
  decide,
  evolve,
};

function decide(command: TeamCommand, state: TeamState, env: Env): readonly TeamEvent[] {
  if (command.type === 'create-team') {
    if (state.status !== 'none') return [];
    return [{ type: 'team-created.v1', data: { teamId: command.teamId, name: command.name, createdAt: env.now } }];
  }
  if (state.status === 'none') throw new NotFoundError('team', command.teamId);
  return change(command, state, env.now);
}

function change(command: Exclude<TeamCommand, { type: 'create-team' }>, team: Team, now: string): readonly TeamEvent[] {
  const { teamId } = team;
  switch (command.type) {
    case 'add-team-member': {
      const { userId, workspaceId } = command;
      if (team.workspaces.has(userId)) return [];
      return [{ type: 'team-member-added.v1', data: { teamId, userId, workspaceId, addedAt: now } }];
    }
    case 'remove-team-member': {
      const { userId } = command;
      if (!isMember(team, userId)) return [];
      return [{ type: 'team-member-removed.v1', data: { teamId, userId, removedAt: now } }];
    }
    case 'set-role':
    case 'remove-role':
      return changeRole(command, team, now);
    case 'set-analysts-content': {
      const { workspaceId, shown } = command;
      requireWorkspace(team, workspaceId);
      if (team.contentHidden.has(workspaceId) !== shown) return [];
      return [{ type: 'team-analysts-content-set.v1', data: { teamId, workspaceId, shown, setAt: now } }];
    }
    case 'set-two-people':
      return setTwoPeople(command, team, now);
    case 'set-team-plan': {
      const { plan } = command;
      if (team.plan === plan) return [];
      const set: TeamEvent = { type: 'team-plan-set.v1', data: { teamId, plan, setAt: now } };
      // A lower plan ends the features of higher plans, and the log records it.
      return team.optedOut && !allowsOptOut(plan) ? [set, dataUse(teamId, false, now)] : [set];
    }
    case 'set-team-region': {
      const { region } = command;
      if (region !== null && !/^[A-Z]{2}$/.test(region))
        throw invalid('region', 'must be two capital letters, as in ISO 3166-1 (DE, US), or null');
      return team.region === region ? [] : [{ type: 'team-region-set.v1', data: { teamId, region, setAt: now } }];
    }
    case 'set-team-rollout': {
      const { rollout, enabled } = command;
      if (!/^[A-Za-z0-9._-]{1,64}$/.test(rollout))
        throw invalid('rollout', 'must be 1 to 64 letters, digits, dots, underscores or hyphens');
      if (team.rollouts.has(rollout) === enabled) return [];
      return [{ type: 'team-rollout-set.v1', data: { teamId, rollout, enabled, setAt: now } }];
    }
    case 'set-team-data-use':
      if (team.optedOut === command.optedOut) return [];
      if (command.optedOut && !allowsOptOut(team.plan))
        throw new ForbiddenError(`opting out of data use needs a higher plan; this team's plan is ${team.plan}`);
      return [dataUse(teamId, command.optedOut, now)];
    case 'set-team-card':
      if (team.cardVerified === command.verified) return [];
      return [{ type: 'team-card-set.v1', data: { teamId, verified: command.verified, setAt: now } }];
    case 'set-team-limit': {
      const { limit, value } = command;
      if (!isLimitName(limit)) throw invalid('limit', `must be one of ${Object.keys(WORKSPACE_LIMITS).join(', ')}`);
      if (value !== null && (!Number.isSafeInteger(value) || value < 0))
        throw invalid('value', 'must be a whole number of at least 0, or null for the default');
      if ((team.limits.get(limit) ?? null) === value) return [];
      return [{ type: 'team-limit-set.v1', data: { teamId, limit, value, setAt: now } }];
    }
    case 'block-team':
      if (team.blocked === command.reason) return [];
      return [{ type: 'team-blocked.v1', data: { teamId, reason: command.reason, blockedAt: now } }];
    case 'unblock-team':
      return team.blocked === null ? [] : [{ type: 'team-unblocked.v1', data: { teamId, unblockedAt: now } }];
  }
}

type RoleCommand = Extract<TeamCommand, { type: 'set-role' | 'remove-role' }>;

function changeRole(command: RoleCommand, team: Team, now: string): readonly TeamEvent[] {
  const { teamId, workspaceId, userId } = command;
  requireWorkspace(team, workspaceId);
  const before = roleIn(team, workspaceId, userId);
  const { role, givenBy } = command.type === 'set-role' ? command : { role: null };
  if (before === role) return [];
  if (team.workspaces.get(userId) === workspaceId)
    throw new ConflictError('a person always stays the owner of their own workspace');
  if (isLastOwner(team, workspaceId, userId)) throw new ConflictError(LAST_OWNER);
  const where = { teamId, workspaceId, userId };
  return role === null
    ? [{ type: 'team-role-removed.v1', data: { ...where, removedAt: now } }]
    : [{ type: 'team-role-set.v1', data: { ...where, role, ...(givenBy && { givenBy }), setAt: now } }];
}

function setTwoPeople(
  { workspaceId, acts: asked }: Extract<TeamCommand, { type: 'set-two-people' }>,
  team: Team,
  now: string,
): readonly TeamEvent[] {
  requireWorkspace(team, workspaceId);
  const acts = TWO_PEOPLE_ACTS.filter((act) => asked.includes(act));
  const before = twoPeopleIn(team, workspaceId);
  if (acts.join() === before.join()) return [];
  if (acts.some((act) => !before.includes(act)) && ownersOf(team, workspaceId).length < 2)
    throw new ConflictError(
      'this workspace has one owner, so nobody could confirm what they propose; make another member owner first',
    );
  return [{ type: 'team-two-people-set.v1', data: { teamId: team.teamId, workspaceId, acts, setAt: now } }];
}

function requireWorkspace(team: Team, workspaceId: string): void {
  if (!team.founders.has(workspaceId)) throw new NotFoundError('workspace', workspaceId);
}

const dataUse = (teamId: string, optedOut: boolean, now: string): TeamEvent => ({
  type: 'team-data-use-set.v1',
  data: { teamId, optedOut, setAt: now },
});

const invalid = (field: string, message: string): InvalidError =>
  new InvalidError({ path: [field], message, type: 'not_allowed' });
