import { ConflictError, NotFoundError } from '#domain/errors.js';
import type { DestroyedKeys } from '#domain/inference/index.js';
import { streamName } from '#domain/streams.js';
import { userDecider, type UserErased, type UserRegistered } from '#domain/user/index.js';
import type { RecordedEvent } from '#ports/event-store/port.js';
import type { Settings } from '#settings/index.js';
import type { Application } from '../application.js';
import type { CommandContext } from '#log/context.js';
import { derivedId } from '#log/execute.js';
import { operatorEmail } from './operator.js';
import { changePassword } from './passwords.js';
import { forgetNetworks } from './sign-in-attempts.js';
import { changeTeam } from './teams.js';
import { loadUser, userIdOf } from './users.js';

/** A user's erasure, from the log. */
export interface UserErasure {
  readonly erased: UserErased;
  readonly event: RecordedEvent;
  /** Places where the address is still stored; empty if none is known. */
  readonly remains: readonly string[];
}

/**
 * Removes a person from the team and makes their e-mail address unreadable, in the log and its backups too. Their id,
 * actions and workspace stay. A repeat completes an interrupted erasure, and otherwise changes nothing.
 * @param workspaceId whose owner asks; null: the operator
 * @throws NotFoundError; ConflictError for the operator, whom the next start would register
 * again
 */
export async function eraseUser(
  application: Application,
  settings: Pick<Settings, 'adminEmail'>,
  { userId, workspaceId }: { readonly userId: string; readonly workspaceId: string | null },
  context: CommandContext,
): Promise<UserErasure> {
  const user = await loadUser(application, userId);
  if (!user) throw new NotFoundError('user', userId);
  if (userId === userIdOf(await operatorEmail(application, settings)))
    throw new ConflictError(
      'this is the first user, whom each start registers again; set ANNEAL_ADMIN_EMAIL to the address of another person and restart first',
    );
  const step = (name: string) => ({ ...context, commandId: derivedId(context.commandId, name) });
  const keys = user.erasure?.keys ?? (await keysOf(application, userId));
  await application.execute(userDecider, userId, { type: 'erase-user', userId, workspaceId, keys }, step('erase'));
  // A sweep of the worker completes this if the process dies earlier.
  await application.contentKeys?.destroy(keys.map(({ id }) => id));
  await changeTeam(application, { type: 'remove-team-member', teamId: user.teamId, userId }, step('remove'));
  if (!user.erasure) await changePassword(application, userId, null, step('password'));
  await forgetNetworks(application.ports.coordination, userId);
  return erasureOf(application, userId);
}

async function keysOf(application: Application, userId: string): Promise<DestroyedKeys> {
  const { registered } = await recordedOf(application, userId);
  return (await application.contentKeys?.fingerprints(registered.flatMap(({ contentKey = [] }) => contentKey))) ?? [];
}

async function erasureOf(application: Application, userId: string): Promise<UserErasure> {
  const { registered, erased: event } = await recordedOf(application, userId);
  if (!event) throw new NotFoundError('erasure of user', userId);
  const isPlain = registered.some(({ contentKey }) => contentKey === undefined);
  const remains = isPlain ? ['the event log and its backups: an earlier release stored the address unencrypted'] : [];
  return { erased: event.data as unknown as UserErased, event, remains };
}

/** Every registration of a user, and the event of the last erasure. */
async function recordedOf({ ports }: Application, userId: string) {
  const events = await Array.fromAsync(ports.eventStore.readStream(streamName('user', userId)));
  const registered = events.filter(({ type }) => type === 'user-registered.v1');
  return {
    registered: registered.map(({ data }) => data as unknown as UserRegistered),
    erased: events.findLast(({ type }) => type === 'user-erased.v1'),
  };
}
