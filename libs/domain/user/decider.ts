import type { CommandsOf, Decider, Env } from '../decider.js';
import { ConflictError, InvalidError, NotFoundError } from '../errors.js';
import { USER_EVENT_TYPES, type UserErased, type UserEvent, type UserRegistered } from './events.js';
import { isEmailAddress } from './email-address.js';
import { evolve, type UserState } from './state.js';

/** A user's stream is named by uuid5 of the e-mail address, so that an address is registered once. */
type UserCommand = CommandsOf<{
  'register-user': Omit<UserRegistered, 'registeredAt' | 'contentKey' | 'erased'>;
  /** `generation`: how often the password was changed, with this time. */
  'set-password': { userId: string; generation: number };
  'reset-password': { userId: string; generation: number };
  'erase-user': Omit<UserErased, 'erasedAt'>;
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
    if (state.status === 'active' && state.teamId !== user.teamId)
      throw new ConflictError(`${user.email} is already registered`);
    // An erased user may come back; so does an address whose key is lost.
    const isKnown = state.status === 'active' && state.email !== null;
    if (isKnown) return [];
    if (user.email === null || !isEmailAddress(user.email))
      throw new InvalidError({ path: ['email'], message: 'must be an e-mail address', type: 'not_allowed' });
    return [{ type: 'user-registered.v1', data: { ...user, registeredAt: env.now } }];
  }
  const { userId } = command;
  if (state.status === 'none') throw new NotFoundError('user', userId);
  if (command.type === 'erase-user') {
    const { type: _, ...erased } = command;
    return state.erasure ? [] : [{ type: 'user-erased.v1', data: { ...erased, erasedAt: env.now } }];
  }
  const { generation } = command;
  if (generation <= state.passwordGeneration) return [];
  return command.type === 'set-password'
    ? [{ type: 'user-password-set.v1', data: { userId, generation, setAt: env.now } }]
    : [{ type: 'user-password-reset.v1', data: { userId, generation, resetAt: env.now } }];
}
