import {
  createApiKey,
  findKey,
  findUser,
  limitApiKey,
  loadUser,
  ownerOf,
  revokeApiKey,
  type User,
} from '#application/accounts/index.js';
import type { Application } from '#application/application.js';
import { budgetStanding } from '#application/billing/index.js';
import {
  KEY_SCOPES,
  type ApiKeyCreated,
  type BudgetPeriod,
  type KeyLimitChanges,
  type KeyLimits,
  type KeyScope,
} from '#domain/api-key/index.js';
import type { Json, JsonObject } from '#domain/json.js';
import { isPrintable } from '#domain/printable.js';
import { teamDecider } from '#domain/team/index.js';
import type { UserEvent } from '#domain/user/index.js';
import type { SecretKey } from '#primitives/secrets/index.js';
import { activeKeysOf } from '#projections/api-keys/queries.js';
import { inDollars, picodollarsOf } from './dollars.js';
import { OperationError, type Operations } from './operation.js';
import { refusable } from './teams.js';
import { timeOf } from './time.js';
import { operatorContext } from './operator-context.js';

const MAX_LISTED = 10_000;

/**
 * API keys: `key.create`, `key.list`, `key.limit`, `key.revoke`.
 * @param onRevoked called with the key's hash once the log has the revocation, so that this process refuses it
 * immediately
 */
export const keyOperations = (
  application: Application,
  secret: SecretKey,
  onRevoked: (keyHash: string) => void,
): Operations => ({
  /** `{name, email?, expiresAt?, scopes?}`, and limits as `key.limit` has them */
  async *'key.create'({ name, email, expiresAt, scopes, ...limits }) {
    if (typeof name !== 'string' || name === '' || name.length > 100 || !isPrintable(name))
      throw new OperationError('the name of the key must have 1 to 100 characters, none of them a control character');
    const user = await userOf(application, email);
    const newKey = {
      ...{ name, expiresAt: timeOf('--expires-at', expiresAt), scopes: scopesOf(scopes) },
      limits: limitsOf(limits),
    };
    const team = await application.load(teamDecider, user.teamId);
    const owner = team.status === 'none' ? user : ownerOf(team, user);
    const context = operatorContext(owner.workspaceId);
    const { secretKey, key } = await refusable(() => createApiKey(application, secret, owner, newKey, context));
    yield {
      secretKey,
      id: key.keyId,
      name: key.name,
      email: user.email,
      expiresAt: key.expiresAt,
      scopes: key.scopes ? [...key.scopes] : null,
      limits: shownLimits(key.limits),
    };
  },

  /** `{email?}`: default all users' */
  async *'key.list'({ email }) {
    const users = email === undefined ? await allUsers(application) : [await userOf(application, email)];
    for (const user of users) yield* await keysOf(application, user);
  },

  /** `{id, models?, requestsPerMinute?, tokensPerMinute?, budget?, budgetPeriod?}`: `none` lifts a limit */
  async *'key.limit'({ id, ...limits }) {
    const changes = limitsOf(limits);
    if (Object.keys(changes).length === 0)
      throw new OperationError(
        'say what to limit: models, requests-per-minute, tokens-per-minute, budget or budget-period',
      );
    const { keyId, userId, workspaceId } = await keyOf(application, id);
    const context = operatorContext(workspaceId);
    const limited = await refusable(() => limitApiKey(application, { keyId, userId, changes }, context));
    yield { id: keyId, limits: shownLimits(limited.limits) };
  },

  /** `{id}` */
  async *'key.revoke'({ id }) {
    const { keyId, userId, workspaceId } = await keyOf(application, id);
    const context = operatorContext(workspaceId);
    const { keyHash, before } = await revokeApiKey(application, { keyId, userId }, context);
    onRevoked(keyHash);
    yield { id: keyId, revoked: true, message: before ? 'was revoked before' : 'revoked now' };
  },
});

async function keysOf(application: Application, { userId, email }: User): Promise<JsonObject[]> {
  const documents = await activeKeysOf(application.ports.readStore, userId, 'ascending');
  const used = await Promise.all(documents.map(({ id, limits = {} }) => budgetStanding(application, id, limits)));
  return documents.map((key, index) => ({
    id: key.id,
    name: key.name,
    lastDigits: key.lastDigits,
    email,
    createdAt: key.createdAt,
    lastUsedAt: key.lastUsedAt,
    expiresAt: key.expiresAt,
    scopes: key.scopes ? [...key.scopes] : null,
    requestCount: key.requestCount,
    usageTokens: key.usageTokens,
    usageCost: inDollars(BigInt(key.usageCost)),
    limits: shownLimits(key.limits),
    budgetUsed: used[index] ? inDollars(used[index].used) : null,
  }));
}

async function keyOf(application: Application, id: Json | undefined): Promise<ApiKeyCreated> {
  if (typeof id !== 'string') throw new OperationError('name the key by its id; see: anneal key list');
  const key = await findKey(application, id);
  if (!key) throw new OperationError(`there is no API key ${id}; see: anneal key list`);
  return key;
}

/** With the amount in dollars. */
const shownLimits = ({ models, budget, budgetChangedAt: _, ...limits }: KeyLimits = {}): JsonObject => ({
  ...(models && { models: [...models] }),
  ...limits,
  ...(budget !== undefined && { budget: inDollars(BigInt(budget)) }),
});

/** Limits of options, where `none` is none. @throws OperationError */
function limitsOf({ models, requestsPerMinute, tokensPerMinute, budget, budgetPeriod }: JsonObject): KeyLimitChanges {
  const given = <T>(option: Json | undefined, read: (text: string) => T): T | null | undefined =>
    option === undefined || option === null ? undefined : textOf(option) === 'none' ? null : read(textOf(option));
  const changes = {
    models: given(models, (name) => (Array.isArray(models) ? models.map(textOf) : [name])),
    requestsPerMinute: given(requestsPerMinute, Number),
    tokensPerMinute: given(tokensPerMinute, Number),
    budget: given(budget, (amount) => String(picodollarsOf(amount))),
    budgetPeriod: given(budgetPeriod, (period) => period as BudgetPeriod),
  };
  return Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));
}

/** Of a list, its only text. */
const textOf = (value: Json): string => {
  const one = Array.isArray(value) && value.length === 1 ? (value[0] as Json) : value;
  return typeof one === 'string' ? one : JSON.stringify(one);
};

/** Finds a user by e-mail address; default: the first user. @throws OperationError */
export async function userOf(application: Application, email: Json | undefined): Promise<User> {
  const user = typeof email === 'string' ? await findUser(application, email) : (await allUsers(application, 1))[0];
  if (user) return user;
  const who = typeof email === 'string' ? `no user ${email}` : 'no user yet';
  throw new OperationError(`there is ${who}; the first start of the system makes the first user`);
}

async function allUsers(application: Application, limit = MAX_LISTED): Promise<User[]> {
  const registered = application.ports.eventStore.readAll({ filter: { types: ['user-registered.v1'] }, limit });
  const users = new Map<string, User>();
  for await (const event of registered) {
    const user = await loadUser(application, (event as unknown as UserEvent).data.userId);
    if (user) users.set(user.userId, user);
  }
  return [...users.values()];
}

function scopesOf(scopes: Json | undefined): readonly KeyScope[] | null {
  if (scopes === undefined || scopes === null) return null;
  const isScope = (scope: Json): scope is KeyScope => (KEY_SCOPES as readonly Json[]).includes(scope);
  if (Array.isArray(scopes) && scopes.length > 0 && scopes.every(isScope)) return scopes;
  throw new OperationError(`--scopes must be from ${KEY_SCOPES.join(', ')}`);
}
