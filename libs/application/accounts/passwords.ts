import { ABSENT, type Coordination } from '#coordination/port.js';
import { UnavailableError } from '#domain/errors.js';
import { hashPassword, hashToken, verifyPassword, type SecretKey } from '#secrets/index.js';
import { userIdOf } from './users.js';

/** Wrong passwords allowed within the window: for one e-mail address, and from one network address. */
const ATTEMPTS = { email: 10, address: 100, windowMs: 15 * 60_000 };

export type PasswordCheck =
  | { readonly kind: 'right' }
  | { readonly kind: 'wrong' }
  | { readonly kind: 'too-many'; readonly limit: number; readonly windowMs: number; readonly endsInMs: number };

/** Keeps what is needed to check the password; the password itself is kept nowhere. */
export async function setPassword(coordination: Coordination, userId: string, password: string): Promise<void> {
  const value = { verifier: await hashPassword(password) };
  for (let attempt = 0; attempt < 5; attempt += 1) {
    const entry = await coordination.get(verifierKey(userId));
    const expected = entry ? ({ kind: 'version', version: entry.version } as const) : ABSENT;
    if (await coordination.compareAndSet(verifierKey(userId), expected, value)) return;
  }
  throw new UnavailableError('the password is being changed by somebody else; try again');
}

export async function hasPassword(coordination: Coordination, userId: string): Promise<boolean> {
  return (await coordination.get(verifierKey(userId))) !== null;
}

/** Without counting attempts: for the operator's own settings. */
export async function isPassword(coordination: Coordination, userId: string, password: string): Promise<boolean> {
  return verifyPassword(await verifierOf(coordination, userId), password);
}

/**
 * Checks a password that somebody typed. Every attempt counts until one is right; an unknown address takes as long as a
 * wrong password and is not told apart.
 */
export async function checkPassword(
  coordination: Coordination,
  secret: SecretKey,
  { email, password, address }: { readonly email: string; readonly password: string; readonly address: string },
): Promise<PasswordCheck> {
  const byEmail = `sign-in-attempts:email:${hashToken(secret, email.toLowerCase())}`;
  const byAddress = `sign-in-attempts:address:${hashToken(secret, address)}`;
  for (const [key, limit] of [
    [byAddress, ATTEMPTS.address],
    [byEmail, ATTEMPTS.email],
  ] as const) {
    const { applied, endsInMs } = await coordination.increment(key, 1, ATTEMPTS.windowMs, limit);
    if (!applied) return { kind: 'too-many', limit, windowMs: ATTEMPTS.windowMs, endsInMs };
  }
  const right = await verifyPassword(await verifierOf(coordination, userIdOf(email)), password);
  if (!right) return { kind: 'wrong' };
  await coordination.delete(byEmail);
  return { kind: 'right' };
}

const verifierKey = (userId: string): string => `password:${userId}`;

async function verifierOf(coordination: Coordination, userId: string): Promise<string | null> {
  const entry = await coordination.get(verifierKey(userId));
  return entry ? (entry.value as { verifier: string }).verifier : null;
}
