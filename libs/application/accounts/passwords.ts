import { ABSENT, type Coordination } from '#ports/coordination/port.js';
import { UnavailableError } from '#domain/errors.js';
import { hashPassword, verifyPassword, type SecretKey } from '#primitives/secrets/index.js';
import { Budget } from '../budget.js';
import { countAttempt, type TooMany } from './sign-in-attempts.js';
import { userIdOf } from './users.js';

type PasswordCheck =
  { readonly kind: 'right' } | { readonly kind: 'wrong' } | ({ readonly kind: 'too-many' } & TooMany);

/** Stores the password's hash, never the password. */
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

/** Checks a password without counting the attempt, for the operator's own settings. */
export async function isPassword(coordination: Coordination, userId: string, password: string): Promise<boolean> {
  return verifyPassword(await verifierOf(coordination, userId), password);
}

/**
 * Concurrent verifications: each costs 20 ms of a core and 19 MiB. Networks take turns, so that a busy one delays only
 * itself.
 */
const verifications = new Budget({
  total: 2,
  maxWaiting: 8,
  maxWaitMs: 10_000,
  busy: 'too many sign-ins at once',
});

/**
 * Checks a password that somebody typed. Every attempt counts until one is right; an unknown address takes as long as a
 * wrong password and is not told apart.
 * @param attempt `network`: where it comes from, by which attempts are counted
 * @throws UnavailableError when too many are checked now
 */
export async function checkPassword(
  coordination: Coordination,
  secret: SecretKey,
  attempt: { readonly email: string; readonly password: string; readonly network: string },
): Promise<PasswordCheck> {
  const { email, password, network } = attempt;
  const userId = userIdOf(email);
  return verifications.within(1, network, async () => {
    const counted = await countAttempt(coordination, secret, { email, userId, network });
    if ('limit' in counted) return { kind: 'too-many', ...counted };
    if (!(await verifyPassword(await verifierOf(coordination, userId), password))) return { kind: 'wrong' };
    await counted.succeeded();
    return { kind: 'right' };
  });
}

const verifierKey = (userId: string): string => `password:${userId}`;

async function verifierOf(coordination: Coordination, userId: string): Promise<string | null> {
  const entry = await coordination.get(verifierKey(userId));
  return entry ? (entry.value as { verifier: string }).verifier : null;
}
