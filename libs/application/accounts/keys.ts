import {
  apiKeyDecider,
  KEY_SCOPES,
  type ApiKeyCreated,
  type ApiKeyEvent,
  type KeyLimitChanges,
  type KeyLimits,
  type KeyScope,
} from '#domain/api-key/index.js';
import { NotFoundError } from '#domain/errors.js';
import { hashApiKey, newApiKey, type SecretKey } from '#primitives/secrets/index.js';
import { apiKeyDocuments } from '#projections/api-keys/queries.js';
import type { Application } from '../application.js';
import type { CommandContext } from '#log/context.js';
import { derivedId } from '#log/execute.js';
import { inForceEverywhere, refusedEverywhere } from './revocation.js';

const VISIBLE_IN = [apiKeyDocuments.collection];

/** The user, team and workspace that a key works for. */
interface KeyOwner {
  readonly userId: string;
  readonly teamId: string;
  readonly workspaceId: string;
}

interface NewKey {
  readonly name: string;
  /** ISO 8601 UTC with milliseconds, null for never. */
  readonly expiresAt: string | null;
  /** Scopes of the key; default: everything. */
  readonly scopes?: readonly KeyScope[] | null;
  /** Limits of its calls of models; default: none. */
  readonly limits?: KeyLimitChanges;
  /** The key itself, if it was chosen outside. */
  readonly secretKey?: string;
}

/**
 * Creates an API key. The key itself is returned and never stored.
 * @throws InvalidError when it would be expired already; ConflictError when the given key is registered already
 */
export async function createApiKey(
  application: Application,
  secret: SecretKey,
  { userId, teamId, workspaceId }: KeyOwner,
  { name, expiresAt, scopes = null, limits = {}, secretKey = newApiKey() }: NewKey,
  context: CommandContext,
): Promise<{ readonly secretKey: string; readonly key: ApiKeyCreated }> {
  const keyHash = hashApiKey(secret, secretKey);
  const keyId = derivedId(context.commandId, 'api-key');
  const lastDigits = secretKey.slice(-4);
  const command = {
    type: 'create-api-key',
    ...{ keyId, keyHash, userId, teamId, workspaceId, name, lastDigits, expiresAt, limits },
    ...(scopes !== null && { scopes: KEY_SCOPES.filter((scope) => scopes.includes(scope)) }),
  } as const;
  const { state } = await application.execute(apiKeyDecider, keyHash, command, context, VISIBLE_IN);
  if (state.status === 'none') throw new Error('a created key has no state');
  return { secretKey, key: state.key };
}

/** The id of the key that a command has made, null when it has made none. For the key itself it is too late. */
export async function keyMadeBy(application: Application, commandId: string): Promise<string | null> {
  const keyId = derivedId(commandId, 'api-key');
  return (await findKey(application, keyId)) === null ? null : keyId;
}

/**
 * Changes the limits of a key of the user's own. Once it has resolved, every other replica acts by them; this process does after it
 * has dropped its cached checks.
 * @returns its keyed hash and its limits
 * @throws NotFoundError, ConflictError, InvalidError
 */
export async function limitApiKey(
  application: Application,
  { keyId, userId, changes }: { readonly keyId: string; readonly userId: string; readonly changes: KeyLimitChanges },
  context: CommandContext,
): Promise<{ readonly keyHash: string; readonly limits: KeyLimits }> {
  const { keyHash } = await requireKey(application, keyId);
  const command = { type: 'limit-api-key', keyId, userId, changes } as const;
  const { state } = await application.execute(apiKeyDecider, keyHash, command, context, VISIBLE_IN);
  await inForceEverywhere(application);
  return { keyHash, limits: state.status === 'none' ? {} : (state.key.limits ?? {}) };
}

/**
 * Revokes a key of the user's own. Idempotent. Once it has resolved, every other replica refuses the key; this process
 * does after it has dropped its cached checks.
 * @returns its keyed hash, and whether it was revoked before
 * @throws NotFoundError
 */
export async function revokeApiKey(
  application: Application,
  { keyId, userId }: { readonly keyId: string; readonly userId: string },
  context: CommandContext,
): Promise<{ readonly keyHash: string; readonly before: boolean }> {
  const { keyHash } = await requireKey(application, keyId);
  const command = { type: 'revoke-api-key', keyId, userId } as const;
  const { position } = await application.execute(apiKeyDecider, keyHash, command, context, VISIBLE_IN);
  // Also for a key that was revoked before, since that may have been a moment ago.
  await refusedEverywhere(application);
  return { keyHash, before: position === null };
}

/** @throws NotFoundError */
async function requireKey(application: Application, keyId: string): Promise<ApiKeyCreated> {
  const key = await findKey(application, keyId);
  if (key === null) throw new NotFoundError('API key', keyId);
  return key;
}

/**
 * A key by its id, revoked or not, with its present limits. The read model says only where to look first: without it, or if that is
 * another key, its creation is sought on the log, so that revoking does not wait for a rebuild. null: there is no such key.
 */
export async function findKey(application: Application, keyId: string): Promise<ApiKeyCreated | null> {
  const { readStore, eventStore } = application.ports;
  const at = async (keyHash: string): Promise<ApiKeyCreated | null> => {
    const state = await application.load(apiKeyDecider, keyHash);
    return state.status !== 'none' && state.key.keyId === keyId ? state.key : null;
  };
  const seen = await apiKeyDocuments.get(readStore, keyId);
  const found = seen && (await at(seen.keyHash));
  if (found) return found;
  const filter = { types: ['api-key-created.v1'] };
  for await (const recorded of eventStore.readAll({ filter })) {
    const event = recorded as unknown as Extract<ApiKeyEvent, { type: 'api-key-created.v1' }>;
    if (event.data.keyId === keyId) return at(event.data.keyHash);
  }
  return null;
}
