import { apiKeyDecider } from '#domain/api-key/index.js';
import { teamDecider } from '#domain/team/index.js';
import { hashApiKey, hashesOfApiKey, type SecretKey } from '#primitives/secrets/index.js';
import type { Settings } from '#settings/index.js';
import type { Application } from '../application.js';
import { systemContext } from '#log/context.js';
import { derivedId } from '#log/execute.js';
import { createApiKey } from './keys.js';
import { FIRST_TEAM, operatorEmail } from './operator.js';
import { hasPassword, usePasswordOfSetting } from './passwords.js';
import { makeSignInToken } from './record-act.js';
import { findUser, registerUser, type User } from './users.js';

export interface Bootstrapped {
  /** Whether the log was empty before. */
  readonly firstStart: boolean;
  readonly user: User;
  /** A path for the browser, `/sign-in?token=...`, valid once within a day; null if the user has a password. */
  readonly signInPath: string | null;
  /** Whether the settings contained an API key, which now works (unless it was revoked). */
  readonly apiKeyRegistered: boolean;
}

/**
 * Creates the team, its first user and, if the settings contain one, an API key. Repeating it at each start changes
 * only what the settings changed: another ANNEAL_ADMIN_EMAIL joins the team (a start without it makes no other user), a changed ANNEAL_ADMIN_PASSWORD replaces
 * the user's. A user without a password gets a one-time sign-in link at each start.
 */
export async function bootstrap(
  application: Application,
  secret: SecretKey,
  settings: Settings,
): Promise<Bootstrapped> {
  const { coordination } = application.ports;
  const create = { type: 'create-team', teamId: FIRST_TEAM, name: 'Team' } as const;
  const firstStart = (await application.load(teamDecider, FIRST_TEAM)).status === 'none';
  await application.execute(teamDecider, FIRST_TEAM, create, step('team'));
  const email = await operatorEmail(application, settings);
  // Each registration is its own command: an address may have been erased, or its key lost, since the last one.
  const known = await findUser(application, email);
  const again = known && known.email === null ? ` again ${known.erasure?.erasedAt ?? known.registeredAt}` : '';
  const user = await registerUser(application, { email, teamId: FIRST_TEAM }, step(`user ${email}${again}`));
  const { userId } = user;
  if (settings.adminPassword !== null)
    await usePasswordOfSetting(
      application,
      userId,
      settings.adminPassword,
      systemContext('bootstrap', user.workspaceId),
    );
  const token = (await hasPassword(coordination, userId))
    ? null
    : await makeSignInToken(application, secret, user, { actor: 'system:bootstrap' });
  if (settings.bootstrapApiKey !== null) await registerKey(application, secret, user, settings.bootstrapApiKey);
  return {
    firstStart,
    user,
    signInPath: token === null ? null : `/sign-in?token=${token}`,
    apiKeyRegistered: settings.bootstrapApiKey !== null,
  };
}

/** The command id follows from the key's hash, so that a later start with the same key repeats the same command. */
async function registerKey(application: Application, secret: SecretKey, user: User, secretKey: string): Promise<void> {
  // A key that was made under an earlier secret still works, or was revoked.
  for (const hash of hashesOfApiKey(secret, secretKey).slice(1))
    if ((await application.load(apiKeyDecider, hash)).status !== 'none') return;
  const context = step(`key ${hashApiKey(secret, secretKey)}`);
  const newKey = { name: 'bootstrap', expiresAt: null, secretKey };
  await createApiKey(application, secret, user, newKey, { ...context, workspaceId: user.workspaceId });
}

const step = (name: string) => systemContext('bootstrap', null, derivedId('bootstrap', name));
