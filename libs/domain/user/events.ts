import type { EventsOf, EventTypes } from '../decider.js';

export type UserEvent = EventsOf<{
  'user-registered.v1': {
    userId: string;
    /** Lower case. */
    email: string;
    teamId: string;
    /** The user's own. */
    workspaceId: string;
    registeredAt: string;
  };
  /** A password was set. It ends all earlier sessions, links and passwords. */
  'user-password-set.v1': {
    userId: string;
    /** Counts the changes of the user's password, from 1. */
    generation: number;
    setAt: string;
  };
  /** The password was taken away by an operator, and with it all sessions and links. */
  'user-password-reset.v1': { userId: string; generation: number; resetAt: string };
}>;

export type UserRegistered = Extract<UserEvent, { type: 'user-registered.v1' }>['data'];

export const USER_EVENT_TYPES: EventTypes<UserEvent> = {
  'user-registered.v1': true,
  'user-password-set.v1': true,
  'user-password-reset.v1': true,
};
