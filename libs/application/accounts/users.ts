import { v5 as uuid5 } from 'uuid';
import { teamDecider } from '#domain/team/index.js';
import { userDecider, type UserState } from '#domain/user/index.js';
import type { Application } from '../application.js';
import type { CommandContext } from '#log/context.js';
import { derivedId } from '#log/execute.js';

export type User = Extract<UserState, { status: 'active' }>;

const USERS = 'c7f0d1a4-3f1e-5f7c-8c37-2d1a5f0b9e11';

/** A user's id, which also names the user's stream: the same address is the same user. Any text has one. */
export const userIdOf = (email: string): string => uuid5(email.toLowerCase().toWellFormed(), USERS);

export async function findUser(application: Application, email: string): Promise<User | null> {
  return loadUser(application, userIdOf(email));
}

export async function loadUser(application: Application, userId: string): Promise<User | null> {
  const state = await application.load(userDecider, userId);
  return state.status === 'active' ? state : null;
}

/**
 * Registers a user with a private workspace as a member of a team. A repeat changes nothing.
 * @throws ConflictError when the address is registered in another team
 */
export async function registerUser(
  application: Application,
  { email, teamId }: { readonly email: string; readonly teamId: string },
  context: CommandContext,
): Promise<User> {
  const userId = userIdOf(email);
  const workspaceId = derivedId(userId, 'workspace');
  const register = { type: 'register-user', userId, email: email.toLowerCase(), teamId, workspaceId } as const;
  const { state } = await application.execute(userDecider, userId, register, context);
  await application.execute(teamDecider, teamId, { type: 'add-team-member', teamId, userId, workspaceId }, context);
  return state as User;
}
