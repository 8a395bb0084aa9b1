import type { Account } from '#application/accounts/index.js';
import { unauthorized } from './credentials.js';

const BLOCKED = {
  billing: 'this account is blocked over its bills; whoever runs this service can say more',
  fraud_review: 'this account is blocked while it is reviewed; whoever runs this service can say more',
} as const;

/** @throws HttpError 401 the team is blocked, or the user is a member of it no more */
export function requireAdmitted(account: Account | null, userId: string): void {
  if (!account?.workspaces.has(userId)) throw unauthorized('whose this was is no longer a member of the team');
  if (account.blocked !== null) throw unauthorized(BLOCKED[account.blocked]);
}
