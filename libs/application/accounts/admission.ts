import { permissionsOfKey } from '#domain/permissions.js';
import { isMember, permissionsIn, roleIn } from '#domain/team/index.js';
import type { Caller } from '../caller.js';
import type { Account } from './account-book.js';

const BLOCKED = {
  billing: 'this account is blocked over its bills; whoever runs this service can say more',
  fraud_review: 'this account is blocked while it is reviewed; whoever runs this service can say more',
} as const;

/**
 * Why a team does not admit a user, in words for the client; null if it does.
 * @param madeAt when the key or session was created, or the request was made, ISO 8601
 */
export function admissionRefusal(account: Account | null, userId: string, madeAt: string): string | null {
  if (!account || !isMember(account, userId)) return 'its owner is no longer a member of the team';
  const removedAt = account.removals.get(userId);
  if (removedAt !== undefined && madeAt <= removedAt)
    return 'its owner was removed from the team since it was made; make another';
  return account.blocked === null ? null : BLOCKED[account.blocked];
}

/** The caller with its present permissions, or why the account refuses it. @param madeAt as `refusalOf` */
export function admission(
  account: Account | null,
  caller: Caller,
  madeAt: string,
): { readonly admitted: Caller } | { readonly refusal: string } {
  const { userId, workspaceId, scopes } = caller;
  const refusal = admissionRefusal(account, userId, madeAt);
  if (!account || refusal !== null) return { refusal: refusal ?? 'the account does not exist' };
  const permissions = permissionsIn(account, workspaceId, userId);
  if (caller.kind === 'session') return { admitted: { ...caller, permissions } };
  const since = account.roles.get(workspaceId)?.get(userId)?.since;
  if (roleIn(account, workspaceId, userId) === null || (since !== undefined && madeAt < since))
    return { refusal: 'its owner has left the workspace since it was made' };
  return { admitted: { ...caller, permissions: permissionsOfKey(permissions, scopes) } };
}
