import type { Account } from '#application/accounts/index.js';
import { isMember } from '#domain/team/index.js';
import { unauthorized } from './credentials.js';

const BLOCKED = {
  billing: 'this account is blocked over its bills; whoever runs this service can say more',
  fraud_review: 'this account is blocked while it is reviewed; whoever runs this service can say more',
} as const;

/**
 * @param madeAt when the key or session was created, ISO 8601
 * @throws HttpError 401 the team is blocked, or the user is no longer a member, or was not one in between
 */
export function requireAdmitted(account: Account | null, userId: string, madeAt: string): asserts account is Account {
  const refusal = refusalOf(account, userId, madeAt);
  if (refusal !== null) throw unauthorized(refusal);
}

/** As `requireAdmitted`, but without a reason for the client. */
export const isAdmitted = (account: Account | null, userId: string, madeAt: string): boolean =>
  refusalOf(account, userId, madeAt) === null;

function refusalOf(account: Account | null, userId: string, madeAt: string): string | null {
  if (!account || !isMember(account, userId)) return 'its owner is no longer a member of the team';
  const removedAt = account.removals.get(userId);
  if (removedAt !== undefined && madeAt <= removedAt)
    return 'its owner was removed from the team since it was made; make another';
  return account.blocked === null ? null : BLOCKED[account.blocked];
}
