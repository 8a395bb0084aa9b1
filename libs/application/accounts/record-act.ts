import { v7 as uuid7 } from 'uuid';
import type { Application } from '../application.js';
import { sessionDecider, type SessionCommand } from '#domain/session/index.js';
import { systemContext, type CommandContext } from '#log/context.js';
import type { SecretKey } from '#primitives/secrets/index.js';
import { createSignInToken } from './sign-in-links.js';
import type { User } from './users.js';

type Who = Pick<CommandContext, 'actor' | 'by'>;

/** Puts on the log who came in, or did not. @throws UnavailableError while the log takes nothing */
export async function recordAct(
  application: Application,
  command: SessionCommand,
  who: Who = { actor: `user:${command.data.userId}` },
): Promise<void> {
  const id = 'sessionId' in command.data ? command.data.sessionId : uuid7();
  const context = { ...systemContext('api', command.data.workspaceId), ...who };
  await application.execute(sessionDecider, id, command, context);
}

/** A token as `createSignInToken` makes, whose making is on the log. @throws UnavailableError while the log takes nothing */
export async function makeSignInToken(
  application: Application,
  secret: SecretKey,
  { userId, workspaceId }: Pick<User, 'userId' | 'workspaceId'>,
  who: Who,
): Promise<string> {
  await recordAct(application, { type: 'sign-in-link-made.v1', data: { userId, workspaceId } }, who);
  return createSignInToken(application.ports.coordination, secret, userId);
}
