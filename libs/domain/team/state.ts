import type { TwoPeopleAct } from '../proposal/acts.js';
import type { Role } from '../permissions.js';
import type { BlockReason, TeamEvent } from './events.js';
import { isLimitName, type LimitName, type TeamLimits } from './limits.js';
import type { Plan } from './plans.js';

export type TeamState = { readonly status: 'none' } | ({ readonly status: 'active' } & Team);

/** A user's membership in another workspace than their own. */
interface Membership {
  readonly role: Role;
  /** Start of the membership, which changes of the role leave as it is; keys made earlier are refused. */
  readonly since: string;
  /** The member who gave the first role of the membership; null: nobody of the workspace. */
  readonly givenBy: string | null;
  /** Where the workspace wanted two people then: that member, whoever gave that member a role, and so on. */
  readonly hands: readonly string[];
}

export interface Team {
  readonly teamId: string;
  readonly name: string;
  readonly createdAt: string;
  /** Each member's private workspace, by user id. */
  readonly workspaces: ReadonlyMap<string, string>;
  /** The first member of each workspace, by the workspace's id, also after that member was removed. */
  readonly founders: ReadonlyMap<string, string>;
  /** Other people of a workspace, by its id and theirs. */
  readonly roles: ReadonlyMap<string, ReadonlyMap<string, Membership>>;
  /** Workspaces whose analysts see no content. */
  readonly contentHidden: ReadonlySet<string>;
  /** Acts that need two people, by the workspace's id. */
  readonly twoPeople: ReadonlyMap<string, readonly TwoPeopleAct[]>;
  /** When a user was last removed, by user id: older keys and sessions stay refused even if the user returns. */
  readonly removals: ReadonlyMap<string, string>;
  readonly plan: Plan;
  /** ISO 3166-1 alpha-2, upper case; null: not known. */
  readonly region: string | null;
  readonly rollouts: ReadonlySet<string>;
  /** Whether the team has opted out of the use of its data to improve models. */
  readonly optedOut: boolean;
  /** A payment method has been verified. */
  readonly cardVerified: boolean;
  /** Limits of the team's workspaces that differ from the defaults. */
  readonly limits: TeamLimits;
  /** Why the team's keys and sessions are refused; null if they are not. */
  readonly blocked: BlockReason | null;
}

const NEW = {
  workspaces: new Map<string, string>(),
  founders: new Map<string, string>(),
  roles: new Map<string, ReadonlyMap<string, Membership>>(),
  contentHidden: new Set<string>(),
  twoPeople: new Map<string, readonly TwoPeopleAct[]>(),
  removals: new Map<string, string>(),
  plan: 'free',
  region: null,
  rollouts: new Set<string>(),
  optedOut: false,
  cardVerified: false,
  limits: new Map<LimitName, number>(),
  blocked: null,
} as const;

export function evolve(state: TeamState, event: TeamEvent): TeamState {
  if (event.type === 'team-created.v1') {
    const { teamId, name, createdAt } = event.data;
    return { status: 'active', teamId, name, createdAt, ...NEW };
  }
  return state.status === 'none' ? state : { ...state, ...change(state, event) };
}

function change(team: Team, event: Exclude<TeamEvent, { type: 'team-created.v1' }>): Partial<Team> {
  switch (event.type) {
    case 'team-member-added.v1': {
      const { userId, workspaceId } = event.data;
      return {
        workspaces: new Map(team.workspaces).set(userId, workspaceId),
        founders: new Map(team.founders).set(workspaceId, userId),
      };
    }
    case 'team-member-removed.v1':
      return {
        workspaces: new Map([...team.workspaces].filter(([userId]) => userId !== event.data.userId)),
        roles: new Map([...team.roles].map(([id, members]) => [id, without(members, event.data.userId)])),
        removals: new Map(team.removals).set(event.data.userId, event.data.removedAt),
      };
    case 'team-role-set.v1': {
      const { workspaceId, userId, role } = event.data;
      const members = team.roles.get(workspaceId);
      const membership = { ...(members?.get(userId) ?? joining(team, event.data)), role };
      return { roles: new Map(team.roles).set(workspaceId, new Map(members).set(userId, membership)) };
    }
    case 'team-role-removed.v1': {
      const { workspaceId, userId } = event.data;
      return { roles: new Map(team.roles).set(workspaceId, without(team.roles.get(workspaceId), userId)) };
    }
    case 'team-analysts-content-set.v1': {
      const { workspaceId, shown } = event.data;
      const others = [...team.contentHidden].filter((id) => id !== workspaceId);
      return { contentHidden: new Set(shown ? others : [...others, workspaceId]) };
    }
    case 'team-two-people-set.v1':
      return { twoPeople: new Map(team.twoPeople).set(event.data.workspaceId, event.data.acts) };
    case 'team-plan-set.v1':
      return { plan: event.data.plan };
    case 'team-region-set.v1':
      return { region: event.data.region };
    case 'team-rollout-set.v1': {
      const { rollout, enabled } = event.data;
      const others = [...team.rollouts].filter((name) => name !== rollout);
      return { rollouts: new Set(enabled ? [...others, rollout] : others) };
    }
    case 'team-data-use-set.v1':
      return { optedOut: event.data.optedOut };
    case 'team-card-set.v1':
      return { cardVerified: event.data.verified };
    case 'team-limit-set.v1': {
      const { limit, value } = event.data;
      if (!isLimitName(limit)) return {};
      const limits = new Map(team.limits);
      if (value === null) limits.delete(limit);
      else limits.set(limit, value);
      return { limits };
    }
    case 'team-blocked.v1':
      return { blocked: event.data.reason };
    case 'team-unblocked.v1':
      return { blocked: null };
  }
}

type RoleSet = Extract<TeamEvent, { type: 'team-role-set.v1' }>['data'];

function joining({ twoPeople, roles }: Team, { workspaceId, givenBy, setAt }: RoleSet): Omit<Membership, 'role'> {
  const wantsTwo = (twoPeople.get(workspaceId) ?? []).length > 0;
  if (givenBy === undefined || !wantsTwo) return { since: setAt, givenBy: givenBy ?? null, hands: [] };
  return { since: setAt, givenBy, hands: [givenBy, ...(roles.get(workspaceId)?.get(givenBy)?.hands ?? [])] };
}

const without = (members: ReadonlyMap<string, Membership> = new Map(), userId: string) =>
  new Map([...members].filter(([id]) => id !== userId));
