import type { EventTypes } from '../decider.js';

export type UserEvent = {
  readonly type: 'user-registered.v1';
  readonly data: {
    readonly userId: string;
    /** Lower case. */
    readonly email: string;
    readonly teamId: string;
    /** The user's own. */
    readonly workspaceId: string;
    readonly registeredAt: string;
  };
};

export const USER_EVENT_TYPES: EventTypes<UserEvent> = {
  'user-registered.v1': true,
};
