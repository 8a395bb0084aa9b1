import type { EventsOf, EventTypes } from '../decider.js';
import type { TwoPeopleAct } from '../proposal/acts.js';
import type { Role } from '../permissions.js';
import type { Plan } from './plans.js';

export type BlockReason = 'billing' | 'fraud_review';

export type TeamEvent = EventsOf<{
  'team-created.v1': { teamId: string; name: string; createdAt: string };
  'team-member-added.v1': {
    teamId: string;
    userId: string;
    /** The member's own workspace, which no other member can see. */
    workspaceId: string;
    addedAt: string;
  };
  'team-member-removed.v1': { teamId: string; userId: string; removedAt: string };
  /** A person is in a workspace of the team with this role, from now on or with another one than before. */
  'team-role-set.v1': {
    teamId: string;
    workspaceId: string;
    userId: string;
    role: Role;
    /** The member who gave it. Absent: the operator or the identity provider did, or the event is older. */
    givenBy?: string;
    setAt: string;
  };
  'team-role-removed.v1': { teamId: string; workspaceId: string; userId: string; removedAt: string };
  /** Whether analysts of a workspace see the content of its calls and datasets. */
  'team-analysts-content-set.v1': { teamId: string; workspaceId: string; shown: boolean; setAt: string };
  /** Acts in a workspace that need a second person's confirmation. */
  'team-two-people-set.v1': { teamId: string; workspaceId: string; acts: readonly TwoPeopleAct[]; setAt: string };
  'team-plan-set.v1': { teamId: string; plan: Plan; setAt: string };
  'team-region-set.v1': {
    teamId: string;
    /** ISO 3166-1 alpha-2, upper case; null: not known. */
    region: string | null;
    setAt: string;
  };
  'team-rollout-set.v1': { teamId: string; rollout: string; enabled: boolean; setAt: string };
  /** Allows or forbids the use of the team's data to improve models. */
  'team-data-use-set.v1': { teamId: string; optedOut: boolean; setAt: string };
  /** Records whether a payment method of the team is verified. */
  'team-card-set.v1': { teamId: string; verified: boolean; setAt: string };
  /** Sets a limit for each of the team's workspaces. */
  'team-limit-set.v1': {
    teamId: string;
    /** A name of `WORKSPACE_LIMITS`, now or earlier. */
    limit: string;
    /** null: the default again. */
    value: number | null;
    setAt: string;
  };
  'team-blocked.v1': { teamId: string; reason: BlockReason; blockedAt: string };
  'team-unblocked.v1': { teamId: string; unblockedAt: string };
}>;

export const TEAM_EVENT_TYPES: EventTypes<TeamEvent> = {
  'team-created.v1': true,
  'team-member-added.v1': true,
  'team-member-removed.v1': true,
  'team-role-set.v1': true,
  'team-role-removed.v1': true,
  'team-analysts-content-set.v1': true,
  'team-two-people-set.v1': true,
  'team-plan-set.v1': true,
  'team-region-set.v1': true,
  'team-rollout-set.v1': true,
  'team-data-use-set.v1': true,
  'team-card-set.v1': true,
  'team-limit-set.v1': true,
  'team-blocked.v1': true,
  'team-unblocked.v1': true,
};
