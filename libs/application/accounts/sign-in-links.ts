import { ABSENT, type Coordination } from '#coordination/port.js';
import { hashToken, newToken, type SecretKey } from '#secrets/index.js';

const LIFETIME_MS = 24 * 3_600_000;

/** Makes a token that signs its user in once, within a day. It is kept nowhere but as a keyed hash. */
export async function createSignInToken(
  coordination: Coordination,
  secret: SecretKey,
  userId: string,
): Promise<string> {
  const token = newToken();
  await coordination.compareAndSet(linkKey(secret, token), ABSENT, { userId, used: false }, LIFETIME_MS);
  return token;
}

/** @returns whom it signs in; null when it is unknown, expired or was used before */
export async function redeemSignInToken(
  coordination: Coordination,
  secret: SecretKey,
  token: string,
): Promise<string | null> {
  const key = linkKey(secret, token);
  const entry = await coordination.get(key);
  if (!entry) return null;
  const { userId, used } = entry.value as { userId: string; used: boolean };
  if (used) return null;
  // Of two who come at once, one gets in.
  const expected = { kind: 'version', version: entry.version } as const;
  const mine = await coordination.compareAndSet(key, expected, { userId, used: true }, LIFETIME_MS);
  return mine ? userId : null;
}

const linkKey = (secret: SecretKey, token: string): string => `sign-in-link:${hashToken(secret, token)}`;
