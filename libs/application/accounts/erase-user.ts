import { ConflictError, NotFoundError } from '#domain/errors.js';
import type { DestroyedKeys } from '#domain/inference/index.js';
import { streamName } from '#domain/streams.js';
import { userDecider, type UserErased, type UserEvent } from '#domain/user/index.js';
import type { RecordedEvent } from '#ports/event-store/port.js';
import type { Settings } from '#settings/index.js';
import type { Application } from '../application.js';
import type { CommandContext } from '../context.js';
import { derivedId } from '../execute.js';
import { DEFAULT_ADMIN_EMAIL } from './bootstrap.js';
import { changePassword } from './passwords.js';
import { forgetNetworks } from './sign-in-attempts.js';
import { changeTeam } from './teams.js';
import { loadUser, userIdOf } from './users.js';

/** A user's erasure, from the log. */
export interface UserErasure {
  readonly erased: UserErased;
  readonly event: RecordedEvent;
  /** Where the address is still stored; empty if nowhere that is known. */
  readonly remains: readonly string[];
}

/**
 * Removes a person from the team and makes their e-mail address unreadable, in the log and its backups too. Their id stays, with what they
 * did and their workspace. A repeat completes what was cut off, and changes nothing else.
 * @param workspaceId whose owner asks; null: the operator
 * @throws NotFoundError; ConflictError for the person whom ANNEAL_ADMIN_EMAIL names, whom the next start would register again
 */
export async function eraseUser(
  application: Application,
  { adminEmail }: Pick<Settings, 'adminEmail'>,
  { userId, workspaceId }: { readonly userId: string; readonly workspaceId: string | null },
  context: CommandContext,
): Promise<UserErasure> {
  const user = await loadUser(application, userId);
  if (!user) throw new NotFoundError('user', userId);
  if (userId === userIdOf(adminEmail ?? DEFAULT_ADMIN_EMAIL))
    throw new ConflictError(
      'this is the first user, whom each start registers by ANNEAL_ADMIN_EMAIL; start with the address of another person first',
    );
  const step = (name: string) => ({ ...context, commandId: derivedId(context.commandId, name) });
  const keys = user.erasure?.keys ?? (await keysOf(application, userId));
  await application.execute(userDecider, userId, { type: 'erase-user', userId, workspaceId, keys }, step('erase'));
  // A sweep of the worker makes up for this process's death before.
  await application.contentKeys?.destroy(keys.map(({ id }) => id));
  await changeTeam(application, { type: 'remove-team-member', teamId: user.teamId, userId }, step('remove'));
  if (!user.erasure) await changePassword(application, userId, null, step('password'));
  await forgetNetworks(application.ports.coordination, userId);
  return erasureOf(application, userId);
}

async function keysOf({ contentKeys, ports }: Application, userId: string): Promise<DestroyedKeys> {
  const ids: string[] = [];
  for await (const recorded of ports.eventStore.readStream(streamName('user', userId))) {
    const { type, data } = recorded as unknown as UserEvent;
    if (type === 'user-registered.v1' && data.contentKey !== undefined) ids.push(data.contentKey);
  }
  return (await contentKeys?.fingerprints(ids)) ?? [];
}

async function erasureOf({ ports }: Application, userId: string): Promise<UserErasure> {
  let last: RecordedEvent | null = null;
  let isPlain = false;
  for await (const recorded of ports.eventStore.readStream(streamName('user', userId))) {
    const { type, data } = recorded as unknown as UserEvent;
    if (type === 'user-erased.v1') last = recorded;
    else if (type === 'user-registered.v1') isPlain ||= data.contentKey === undefined;
  }
  if (!last) throw new NotFoundError('erasure of user', userId);
  const remains = isPlain ? ['the event log and its backups: an earlier release stored the address unencrypted'] : [];
  return { erased: last.data as unknown as UserErased, event: last, remains };
}
