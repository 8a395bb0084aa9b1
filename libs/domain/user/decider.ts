import type { Decider, Env } from '../decider.js';
import { ConflictError } from '../errors.js';
import { USER_EVENT_TYPES, type UserEvent } from './events.js';
import { evolve, type UserState } from './state.js';

/** A user's stream is named by uuid5 of the e-mail address, so that an address is registered once. */
interface UserCommand {
  readonly type: 'register-user';
  readonly userId: string;
  readonly email: string;
  readonly teamId: string;
  readonly workspaceId: string;
}

export const userDecider: Decider<UserCommand, UserEvent, UserState> = {
  category: 'user',
  eventTypes: USER_EVENT_TYPES,
  initial: { status: 'none' },
  decide,
  evolve,
};

function decide(command: UserCommand, state: UserState, env: Env): readonly UserEvent[] {
  const { type: _, ...user } = command;
  if (state.status === 'active') {
    if (state.teamId === user.teamId) return [];
    throw new ConflictError(`${user.email} is already registered`);
  }
  return [{ type: 'user-registered.v1', data: { ...user, registeredAt: env.now } }];
}
