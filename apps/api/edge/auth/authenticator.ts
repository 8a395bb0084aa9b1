import { Injectable } from '@nestjs/common';
import {
  AccountBook,
  admission,
  findSession,
  passwordGeneration,
  type Account,
  type BriefCache,
  type Session,
} from '#application/accounts/index.js';
import { Application } from '#application/application.js';
import type { Caller } from '#application/caller.js';
import { apiKeyDecider, hasLimits, type ApiKeyState } from '#domain/api-key/index.js';
import { within } from '#primitives/waiting/within.js';
import { UnavailableError } from '#domain/errors.js';
import { API_KEY_PREFIXES, hashesOfApiKey, hashesOfToken, SecretKey } from '#primitives/secrets/index.js';
import { unauthorized, type Credentials } from './credentials.js';

/** A check must answer within this time, or the request is 503. */
const CHECK_DEADLINE_MS = 3_000;

/**
 * Authenticates requests. Keys and sessions are checked against the log or coordination and cached for at most a
 * second, so that a revoked key is refused by every replica within a second, and by this one immediately.
 */
@Injectable()
export class Authenticator {
  private readonly keys: BriefCache<CheckedKey>;
  private readonly sessions: BriefCache<Session | null>;
  /** Generations of users' passwords: a change ends older sessions. */
  private readonly generations: BriefCache<number>;

  constructor(
    application: Application,
    private readonly secret: SecretKey,
    private readonly accounts: AccountBook,
  ) {
    const { coordination } = application.ports;
    this.keys = application.remember(async (hash) => checkedKey(await application.load(apiKeyDecider, hash)));
    this.sessions = application.remember((hash) => findSession(coordination, hash));
    this.generations = application.remember((userId) => passwordGeneration(coordination, userId));
  }

  /**
   * Synchronous if the credentials were checked within the last second.
   * @throws HttpError 401; UnavailableError when they cannot be checked now
   */
  authenticate(credentials: Credentials): Caller | Promise<Caller> {
    const proven = this.provenBy(credentials);
    return proven instanceof Promise ? proven.then((who) => this.admitted(who)) : this.admitted(proven);
  }

  /** The owner of a key or session, whether or not the team admits them. */
  private provenBy(credentials: Credentials): Proven | Promise<Proven> {
    if (credentials.kind === 'key') {
      const hashes = hashesOfApiKey(this.secret, credentials.key);
      const key = firstOf(this.keys, hashes, ({ status }) => status !== 'unknown');
      return key instanceof Promise ? inTime(key).then(provenByKey) : provenByKey(key);
    }
    const session = firstOf(this.sessions, hashesOfToken(this.secret, credentials.token), (each) => each !== null);
    return session instanceof Promise ? inTime(session).then(provenBySession) : provenBySession(session);
  }

  /**
   * The owner as the team admits them now. The account and the password are checked at once, each as it was at most a second
   * ago.
   * @throws as `authenticate`
   */
  admitted(proven: Proven): Caller | Promise<Caller> {
    const { teamId, userId } = proven.caller;
    const account = this.accounts.findFor(teamId, userId);
    const generation =
      proven.generation === undefined
        ? undefined
        : (this.generations.fresh(userId) ?? inTime(this.generations.load(userId)));
    return account instanceof Promise || generation instanceof Promise
      ? Promise.all([account, generation]).then((found) => permitted(proven, ...found))
      : permitted(proven, account, generation);
  }

  /** Forgets a revoked key, so that this process refuses every request from now on. */
  dropKey(keyHash: string): void {
    this.keys.drop(keyHash);
  }

  dropSession(token: string): void {
    for (const hash of hashesOfToken(this.secret, token)) this.sessions.drop(hash);
  }
}

/**
 * The first one that exists, else the last: values stored under this secret, then under earlier ones. Synchronous if
 * each was checked within the last second.
 */
function firstOf<T>(cache: BriefCache<T>, hashes: readonly string[], isThere: (found: T) => boolean): T | Promise<T> {
  for (const [index, hash] of hashes.entries()) {
    const known = cache.fresh(hash);
    if (known === undefined) return loadFirst(cache, hashes.slice(index), isThere);
    if (isThere(known) || index === hashes.length - 1) return known;
  }
  throw new Error('no hash');
}

async function loadFirst<T>(
  cache: BriefCache<T>,
  hashes: readonly string[],
  isThere: (found: T) => boolean,
): Promise<T> {
  const [hash, ...others] = hashes;
  const found = cache.fresh(hash!) ?? (await cache.load(hash!));
  return isThere(found) || others.length === 0 ? found : loadFirst(cache, others, isThere);
}

/**
 * The caller with its current permissions.
 * @throws HttpError 401
 */
function permitted({ caller, madeAt, generation }: Proven, account: Account | null, current?: number): Caller {
  if (generation !== current) throw unauthorized('the password was changed since this session began; sign in again');
  const found = admission(account, caller, madeAt);
  if ('refusal' in found) throw unauthorized(found.refusal);
  return found.admitted;
}

/** The owner of a valid key or session. */
interface Proven {
  readonly caller: Caller;
  /** When the key, the session or the caller's request was made, ISO 8601. */
  readonly madeAt: string;
  /** Generation of the password, of a session. */
  readonly generation?: number;
}

type CheckedKey =
  | { readonly status: 'unknown' | 'revoked' }
  | { readonly status: 'active'; readonly proven: Proven; readonly expiresAt: number };

function checkedKey(state: ApiKeyState): CheckedKey {
  if (state.status !== 'active') return { status: state.status === 'none' ? 'unknown' : 'revoked' };
  const { keyId, userId, teamId, workspaceId, createdAt: madeAt, expiresAt, scopes, limits = {} } = state.key;
  return {
    status: 'active',
    proven: {
      caller: {
        ...{ kind: 'key', userId, teamId, workspaceId, keyId, ...(scopes && { scopes }) },
        limits: hasLimits(limits) ? limits : null,
      },
      madeAt,
    },
    expiresAt: expiresAt === null ? Infinity : Date.parse(expiresAt),
  };
}

function provenByKey(key: CheckedKey): Proven {
  switch (key.status) {
    case 'active':
      if (Date.now() >= key.expiresAt) throw unauthorized('this API key has expired; make another');
      return key.proven;
    case 'unknown':
      throw unauthorized('unknown API key');
    case 'revoked':
      throw unauthorized('this API key has been revoked');
  }
}

function provenBySession(session: Session | null): Proven {
  if (!session || Date.now() >= Date.parse(session.expiresAt))
    throw unauthorized(`not signed in, or no longer; an API key would begin with ${API_KEY_PREFIXES.join(' or ')}`);
  const { userId, teamId, workspaceId, createdAt: madeAt, generation } = session;
  return { caller: { kind: 'session', userId, teamId, workspaceId, keyId: null }, madeAt, generation };
}

const inTime = <T>(check: Promise<T>): Promise<T> =>
  within(CHECK_DEADLINE_MS, check, () => new UnavailableError('the key cannot be checked now; try again'));
