import type { EventsOf, EventTypes } from '../decider.js';
import type { DestroyedKeys, Opened } from '../inference/index.js';

export type UserEvent = EventsOf<{
  'user-registered.v1': {
    userId: string;
    /** Lower case; stored encrypted under its own key. null once the key was destroyed, or if it is not available. */
    email: string | null;
    teamId: string;
    /** The user's own. */
    workspaceId: string;
    registeredAt: string;
  } & Opened;
  /** A password was set. It ends all earlier sessions, links and passwords. */
  'user-password-set.v1': {
    userId: string;
    /** Counts the changes of the user's password, from 1. */
    generation: number;
    setAt: string;
  };
  /** The password was taken away by an operator, and with it all sessions and links. */
  'user-password-reset.v1': { userId: string; generation: number; resetAt: string };
  /** The user's e-mail address is no longer shown anywhere. The id stays. */
  'user-erased.v1': {
    userId: string;
    /** The workspace whose owner requested it; null: the operator. */
    workspaceId: string | null;
    /** The destroyed keys; none if the log has the address unencrypted. */
    keys: DestroyedKeys;
    erasedAt: string;
  };
}>;

export type UserRegistered = Extract<UserEvent, { type: 'user-registered.v1' }>['data'];
export type UserErased = Extract<UserEvent, { type: 'user-erased.v1' }>['data'];

export const USER_EVENT_TYPES: EventTypes<UserEvent> = {
  'user-registered.v1': true,
  'user-password-set.v1': true,
  'user-password-reset.v1': true,
  'user-erased.v1': true,
};
