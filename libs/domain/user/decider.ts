import type { CommandsOf, Decider, Env } from '../decider.js';
import { ConflictError, NotFoundError } from '../errors.js';
import { USER_EVENT_TYPES, type UserEvent, type UserRegistered } from './events.js';
import { evolve, type UserState } from './state.js';

/** A user's stream is named by uuid5 of the e-mail address, so that an address is registered once. */
type UserCommand = CommandsOf<{
  'register-user': Omit<UserRegistered, 'registeredAt'>;
  /** `generation`: how often the password was changed, with this time. */
  'set-password': { userId: string; generation: number };
  'reset-password': { userId: string; generation: number };
}>;

export const userDecider: Decider<UserCommand, UserEvent, UserState> = {
  category: 'user',
  eventTypes: USER_EVENT_TYPES,
  initial: { status: 'none' },
  decide,
  evolve,
};

function decide(command: UserCommand, state: UserState, env: Env): readonly UserEvent[] {
  if (command.type === 'register-user') {
    const { type: _, ...user } = command;
    if (state.status === 'none') return [{ type: 'user-registered.v1', data: { ...user, registeredAt: env.now } }];
    if (state.teamId === user.teamId) return [];
    throw new ConflictError(`${user.email} is already registered`);
  }
  const { userId, generation } = command;
  if (state.status === 'none') throw new NotFoundError('user', userId);
  if (generation <= state.passwordGeneration) return [];
  return command.type === 'set-password'
    ? [{ type: 'user-password-set.v1', data: { userId, generation, setAt: env.now } }]
    : [{ type: 'user-password-reset.v1', data: { userId, generation, resetAt: env.now } }];
}
