import { userIdOf, DEFAULT_ADMIN_EMAIL } from '#application/accounts/index.js';
import type { Caller } from '#application/caller.js';
import { ForbiddenError } from '#domain/errors.js';
import type { Settings } from '#settings/index.js';

/**
 * Lets the operator on: whoever the settings name as the first user (`ANNEAL_ADMIN_EMAIL`), by session or by a key of theirs.
 * @throws ForbiddenError
 */
export function requireOperator({ userId }: Caller, { adminEmail }: Pick<Settings, 'adminEmail'>): void {
  if (userId === userIdOf(adminEmail ?? DEFAULT_ADMIN_EMAIL)) return;
  throw new ForbiddenError('only the operator may see this: sign in as the user whom ANNEAL_ADMIN_EMAIL names');
}
