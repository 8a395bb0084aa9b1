import type { Coordination, Entry } from '#ports/coordination/port.js';
import { ABSENT } from '#ports/coordination/port.js';
import { hashesOfToken, hashToken, newToken, type SecretKey } from '#primitives/secrets/index.js';
import type { Application } from '../application.js';
import { passwordGeneration } from './passwords.js';
import { refusedEverywhere } from './revocation.js';
import { LINK_LIFETIME_MS } from './sign-in-links.js';

/** A browser that has signed in. It lives in coordination only, under a keyed hash of its token. */
export interface Session {
  readonly [key: string]: string | number;
  readonly userId: string;
  readonly teamId: string;
  readonly workspaceId: string;
  /** Generation of the password when the session began: a change of the password ends the session. */
  readonly generation: number;
  readonly createdAt: string;
  readonly expiresAt: string;
}

/** The user who signs in, and the workspace. */
export type SessionOwner = Pick<Session, 'userId' | 'teamId' | 'workspaceId'>;

const SESSION_LIFETIME_MS = 7 * 24 * 3_600_000;

const sessionKey = (tokenHash: string): string => `session:${tokenHash}`;

/**
 * @param generation of the user's password at the time of authentication
 * @returns the token, which is never stored, and the session
 */
export async function openSession(
  coordination: Coordination,
  secret: SecretKey,
  user: SessionOwner,
  generation: number,
): Promise<{ readonly token: string; readonly session: Session }> {
  const token = newToken();
  const { userId, teamId, workspaceId } = user;
  const now = Date.now();
  const session: Session = {
    userId,
    teamId,
    workspaceId,
    generation,
    createdAt: new Date(now).toISOString(),
    expiresAt: new Date(now + SESSION_LIFETIME_MS).toISOString(),
  };
  const key = sessionKey(hashToken(secret, token));
  if (!(await coordination.compareAndSet(key, ABSENT, session, SESSION_LIFETIME_MS)))
    throw new Error('a new session token exists already');
  return { token, session };
}

/** @returns null for one that has ended, by itself or with a change of the password */
export async function readSession(
  coordination: Coordination,
  secret: SecretKey,
  token: string,
): Promise<Session | null> {
  const entry = await storedSession(coordination, secret, token);
  const session = entry && sessionOf(entry);
  return session && session.generation === (await passwordGeneration(coordination, session.userId)) ? session : null;
}

/** A session whose user's password may have changed since. */
export async function findSession(coordination: Coordination, tokenHash: string): Promise<Session | null> {
  const entry = await coordination.get(sessionKey(tokenHash));
  return entry && sessionOf(entry);
}

/** null after its time, also where the store still has it. */
function sessionOf({ value }: Entry): Session | null {
  const session = { generation: 0, ...(value as object) } as unknown as Session;
  return Date.parse(session.expiresAt) > Date.now() ? session : null;
}

/** Milliseconds until a session or sign-in link ends; absent for what does not end. */
export function lifetimeLeftOf({ key, value }: Entry): number | undefined {
  const { expiresAt, madeAt } = value as { readonly expiresAt?: string; readonly madeAt?: string };
  if (key.startsWith('session:')) return Math.max(1, Date.parse(expiresAt!) - Date.now());
  return key.startsWith('sign-in-link:') ? Math.max(1, Date.parse(madeAt!) + LINK_LIFETIME_MS - Date.now()) : undefined;
}

/** Finds a session that began under this secret or an earlier one. */
async function storedSession(coordination: Coordination, secret: SecretKey, token: string): Promise<Entry | null> {
  for (const hash of hashesOfToken(secret, token)) {
    const entry = await coordination.get(sessionKey(hash));
    if (entry) return entry;
  }
  return null;
}

/**
 * Moves a session to another workspace of its user. On resolution every other replica uses it; this process does after
 * it has dropped its cached session.
 * @returns the changed session; null if it has ended
 */
export async function moveSession(
  application: Application,
  secret: SecretKey,
  token: string,
  workspaceId: string,
): Promise<Session | null> {
  const { coordination } = application.ports;
  const entry = await storedSession(coordination, secret, token);
  if (!entry) return null;
  const session = sessionOf(entry);
  if (!session) return null;
  const moved = { ...session, workspaceId };
  const left = Date.parse(moved.expiresAt) - Date.now();
  const expected = { kind: 'version', version: entry.version } as const;
  if (left <= 0 || !(await coordination.compareAndSet(entry.key, expected, moved, left))) return null;
  await refusedEverywhere(application);
  return moved;
}

/** Ends a session. On resolution every other replica refuses it; this process does so once it has dropped it. */
export async function closeSession(application: Application, secret: SecretKey, token: string): Promise<void> {
  const { coordination } = application.ports;
  for (const hash of hashesOfToken(secret, token)) await coordination.delete(sessionKey(hash));
  await refusedEverywhere(application);
}
