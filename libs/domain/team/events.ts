import type { EventTypes } from '../decider.js';
import type { Plan } from './plans.js';

export type BlockReason = 'billing' | 'fraud_review';

export type TeamEvent =
  | {
      readonly type: 'team-created.v1';
      readonly data: { readonly teamId: string; readonly name: string; readonly createdAt: string };
    }
  | {
      readonly type: 'team-member-added.v1';
      readonly data: {
        readonly teamId: string;
        readonly userId: string;
        /** The member's own workspace, which no other member can see. */
        readonly workspaceId: string;
        readonly addedAt: string;
      };
    }
  | {
      readonly type: 'team-member-removed.v1';
      readonly data: { readonly teamId: string; readonly userId: string; readonly removedAt: string };
    }
  | {
      readonly type: 'team-plan-set.v1';
      readonly data: { readonly teamId: string; readonly plan: Plan; readonly setAt: string };
    }
  | {
      readonly type: 'team-region-set.v1';
      readonly data: {
        readonly teamId: string;
        /** ISO 3166-1 alpha-2, upper case; null: not known. */
        readonly region: string | null;
        readonly setAt: string;
      };
    }
  | {
      readonly type: 'team-rollout-set.v1';
      readonly data: {
        readonly teamId: string;
        readonly rollout: string;
        readonly enabled: boolean;
        readonly setAt: string;
      };
    }
  | {
      /** Allows or forbids the use of the team's data to improve models. */
      readonly type: 'team-data-use-set.v1';
      readonly data: { readonly teamId: string; readonly optedOut: boolean; readonly setAt: string };
    }
  | {
      /** Records whether a payment method of the team is verified. */
      readonly type: 'team-card-set.v1';
      readonly data: { readonly teamId: string; readonly verified: boolean; readonly setAt: string };
    }
  | {
      /** Sets a limit for each of the team's workspaces. */
      readonly type: 'team-limit-set.v1';
      readonly data: {
        readonly teamId: string;
        /** A name of `WORKSPACE_LIMITS`, now or earlier. */
        readonly limit: string;
        /** null: the default again. */
        readonly value: number | null;
        readonly setAt: string;
      };
    }
  | {
      readonly type: 'team-blocked.v1';
      readonly data: { readonly teamId: string; readonly reason: BlockReason; readonly blockedAt: string };
    }
  | {
      readonly type: 'team-unblocked.v1';
      readonly data: { readonly teamId: string; readonly unblockedAt: string };
    };

export const TEAM_EVENT_TYPES: EventTypes<TeamEvent> = {
  'team-created.v1': true,
  'team-member-added.v1': true,
  'team-member-removed.v1': true,
  'team-plan-set.v1': true,
  'team-region-set.v1': true,
  'team-rollout-set.v1': true,
  'team-data-use-set.v1': true,
  'team-card-set.v1': true,
  'team-limit-set.v1': true,
  'team-blocked.v1': true,
  'team-unblocked.v1': true,
};
