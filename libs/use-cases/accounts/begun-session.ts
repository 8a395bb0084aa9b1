import {
  openSession,
  recordAct,
  ownerOf,
  admissionRefusal,
  type AccountBook,
  type SessionOwner,
  type User,
} from '#application/accounts/index.js';
import type { Application } from '#application/application.js';
import type { Origin, SignInMethod } from '#domain/session/index.js';
import { hashToken, type SecretKey } from '#primitives/secrets/index.js';

/** A session that has begun. Its token is not stored: only this result has it. */
export interface BegunSession {
  readonly kind: 'begun';
  readonly token: string;
  /** ISO 8601. */
  readonly expiresAt: string;
}

/** How somebody signs in, and from where. */
export interface WayIn {
  readonly method: SignInMethod;
  readonly origin: Origin;
}

/**
 * Begins a session, once the log has it.
 * @param generation as `openSession`
 * @throws UnavailableError while the log takes nothing
 */
export async function beginSession(
  application: Application,
  secret: SecretKey,
  { userId, teamId, workspaceId }: SessionOwner,
  generation: number,
  { method, origin }: WayIn,
): Promise<BegunSession> {
  const owner = { userId, teamId, workspaceId };
  const { token, session } = await openSession(application.ports.coordination, secret, owner, generation);
  const of = { sessionId: sessionIdOf(secret, token), userId, workspaceId };
  await recordAct(application, { type: 'signed-in.v1', data: { ...of, method, origin } });
  return { kind: 'begun', token, expiresAt: session.expiresAt };
}

/** Names a session on the log, and does not open it. */
export const sessionIdOf = (secret: SecretKey, token: string): string => hashToken(secret, token).slice(0, ID_DIGITS);
const ID_DIGITS = 22;

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
