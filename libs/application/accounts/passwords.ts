import { ABSENT, type Coordination, type Entry } from '#ports/coordination/port.js';
import { UnavailableError } from '#domain/errors.js';
import { userDecider } from '#domain/user/index.js';
import { hashPassword, verifyPassword, type SecretKey } from '#primitives/secrets/index.js';
import type { Application } from '../application.js';
import { Budget } from '#primitives/waiting/budget.js';
import type { CommandContext } from '#log/context.js';
import { derivedId } from '#log/execute.js';
import { countAttempt, type TooMany } from './sign-in-attempts.js';

type PasswordCheck =
  | {
      readonly kind: 'right';
      /** Generation of the password that matched. */
      readonly generation: number;
    }
  | { readonly kind: 'wrong' }
  | ({ readonly kind: 'too-many' } & TooMany);

/** Credentials of a user: in coordination only, under the user's id. */
interface Credentials {
  /** The password's hash; null for a user without one. */
  readonly verifier: string | null;
  /** Number of times that the password was set or reset. Sessions and links of earlier generations are void. */
  readonly generation: number;
  /**
   * Hash of the password last applied from a setting, so that a later start keeps a password that the user has changed
   * since.
   */
  readonly fromSetting: string | null;
}

/**
 * Sets a password, or takes it away (null). All earlier sessions and sign-in links of the user are void, here and in other
 * replicas, once `inForceEverywhere` has resolved. Its event is on the log before the change.
 * @returns the generation of sessions that begin now
 */
export async function changePassword(
  application: Application,
  userId: string,
  password: string | null,
  context: CommandContext,
): Promise<number> {
  const verifier = password === null ? null : await hashPassword(password);
  return change(application, userId, (before) => Promise.resolve({ ...before, verifier }), context);
}

/**
 * Sets the user's password from a setting, once for each value: a password that the user sets later stays until the
 * setting changes.
 */
export async function usePasswordOfSetting(
  application: Application,
  userId: string,
  password: string,
  context: CommandContext,
): Promise<void> {
  const changed = async (before: Credentials) => {
    if (await verifyPassword(before.fromSetting ?? before.verifier, password)) return null;
    const verifier = await hashPassword(password);
    return { ...before, verifier, fromSetting: verifier };
  };
  await change(application, userId, changed, context);
}

export async function hasPassword(coordination: Coordination, userId: string): Promise<boolean> {
  return (await credentialsOf(coordination, userId)).verifier !== null;
}

/** The generation of the user's password, which a session or link must match. */
export async function passwordGeneration(coordination: Coordination, userId: string): Promise<number> {
  return (await credentialsOf(coordination, userId)).generation;
}

/** @param changed returns null if nothing changes */
async function change(
  application: Application,
  userId: string,
  changed: (before: Credentials) => Promise<Credentials | null>,
  context: CommandContext,
): Promise<number> {
  const { coordination } = application.ports;
  for (let attempt = 0; attempt < 5; attempt += 1) {
    const entry = await coordination.get(credentialsKey(userId));
    const before = read(entry);
    const after = await changed(before);
    if (after === null) return before.generation;
    const generation = before.generation + 1;
    const type = after.verifier === null ? 'reset-password' : 'set-password';
    const step = { ...context, commandId: derivedId(context.commandId, `password ${generation}`) };
    await application.execute(userDecider, userId, { type, userId, generation }, step);
    const expected = entry ? ({ kind: 'version', version: entry.version } as const) : ABSENT;
    if (await coordination.compareAndSet(credentialsKey(userId), expected, { ...after, generation })) return generation;
  }
  throw new UnavailableError('another request is changing this password; try again');
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
 * Checks a typed password. Every attempt counts until one is right; an unknown address takes as long as a wrong
 * password and gets the same answer.
 * @param attempt `network`: its origin, by which attempts are counted
 * @throws UnavailableError when too many are checked now
 */
export async function checkPassword(
  coordination: Coordination,
  secret: SecretKey,
  attempt: { readonly userId: string; readonly password: string; readonly network: string },
): Promise<PasswordCheck> {
  const { userId, password, network } = attempt;
  return verifications.within(1, network, async () => {
    const counted = await countAttempt(coordination, secret, { userId, network });
    if ('limit' in counted) return { kind: 'too-many', ...counted };
    const { verifier, generation } = await credentialsOf(coordination, userId);
    if (!(await verifyPassword(verifier, password))) return { kind: 'wrong' };
    await counted.succeeded();
    return { kind: 'right', generation };
  });
}

const credentialsKey = (userId: string): string => `password:${userId}`;

const credentialsOf = async (coordination: Coordination, userId: string): Promise<Credentials> =>
  read(await coordination.get(credentialsKey(userId)));

const read = (entry: Entry | null): Credentials => ({
  ...{ verifier: null, generation: 0, fromSetting: null },
  ...(entry?.value as unknown as Credentials | undefined),
});
