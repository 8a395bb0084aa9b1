import {
  openSession,
  ownerOf,
  admissionRefusal,
  type AccountBook,
  type SessionOwner,
  type User,
} from '#application/accounts/index.js';
import type { Application } from '#application/application.js';
import type { SecretKey } from '#primitives/secrets/index.js';

/** A session that has begun. Its token is not stored: only this result has it. */
export interface BegunSession {
  readonly kind: 'begun';
  readonly token: string;
  /** ISO 8601. */
  readonly expiresAt: string;
}

/** @param generation as `openSession` */
export async function beginSession(
  { ports }: Application,
  secret: SecretKey,
  owner: SessionOwner,
  generation: number,
): Promise<BegunSession> {
  const { token, session } = await openSession(ports.coordination, secret, owner, generation);
  return { kind: 'begun', token, expiresAt: session.expiresAt };
}

/**
 * The user and the workspace of a session that begins, or why the team does not admit the user.
 * @param madeAt as `refusalOf`
 */
export async function ownerAdmitted(
  accounts: AccountBook,
  user: User,
  madeAt: string,
): Promise<{ readonly owner: SessionOwner } | { readonly refusal: string }> {
  const account = await accounts.findFor(user.teamId, user.userId);
  const refusal = admissionRefusal(account, user.userId, madeAt);
  return account && refusal === null ? { owner: ownerOf(account, user) } : { refusal: refusal! };
}
