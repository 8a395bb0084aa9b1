import { refusalOf, type Account } from '#application/accounts/index.js';
import { unauthorized } from './credentials.js';

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
