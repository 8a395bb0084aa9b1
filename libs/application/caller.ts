import type { KeyLimits, KeyScope } from '#domain/api-key/index.js';
import { ForbiddenError } from '#domain/errors.js';
import { scopesWith, type Permission, type Permissions } from '#domain/permissions.js';
import type { CommandContext, Why } from '#log/context.js';

/** The most that the calls of a batch may cost together, in picodollars. */
export type BatchBudget = { readonly batchId: string; readonly amount: string };

/** The authenticated caller of a request. Every read and write is scoped to the workspace. */
export interface Caller {
  readonly kind: 'key' | 'session';
  readonly userId: string;
  readonly teamId: string;
  readonly workspaceId: string;
  /** The API key used, null for a browser session. */
  readonly keyId: string | null;
  /** Scopes of the key; absent: everything. */
  readonly scopes?: readonly KeyScope[];
  /** Limits of the key, as a request brings them; null: none. Absent from callers of earlier requests, whose key has to be looked up. */
  readonly limits?: KeyLimits | null;
  /** What the calls of the batch may cost that this one is of; absent: as much as the caller may spend. */
  readonly batchBudget?: BatchBudget;
  /** Permissions by role and scopes; absent: everything. */
  readonly permissions?: Permissions;
}

export const may = ({ permissions }: Caller, permission: Permission): boolean => permissions?.has(permission) ?? true;

/** The refusal of a caller who needs one of these permissions, and lacks them all. */
export function forbidden({ permissions, scopes }: Caller, needs: readonly Permission[]): ForbiddenError {
  const names = (list: readonly string[]) => list.map((each) => `\`${each}\``).join(' or ');
  const scoped = [...new Set(needs.flatMap(scopesWith))];
  const has =
    scopes === undefined
      ? `your role in this workspace permits ${[...permissions!].join(', ')}`
      : `this key has the scope ${scopes.join(' and ')}${scoped.length > 0 ? `, and needs ${scoped.join(' or ')}` : ''}`;
  return new ForbiddenError(`this needs the permission ${names(needs)}; ${has}`);
}

/** The id of a request, and the command id under which it acts. */
export interface RequestIdentity {
  /** Equals the response's `X-Request-Id` header. */
  readonly requestId: string;
  /** The same for each repeat of a request with an `Idempotency-Key`. */
  readonly commandId: string;
  /** A request with this command id came before; `Application.recall` finds its outcome, if any. */
  readonly repeated: boolean;
  /** The actor on record; absent: the caller. */
  readonly actor?: string;
  readonly why?: Why;
  /** The client's address, of which nothing but a keyed hash is stored; absent from what workers do. */
  readonly ip?: string;
  /** The confirmation of a second person, where two must agree. */
  readonly confirmed?: { readonly proposalId: string; readonly by: string };
  /** @see CommandContext.withheld */
  readonly withheld?: boolean;
}

/** The context of a command given in a request. */
export function callerContext(
  caller: Caller,
  { requestId, commandId, actor = actorOf(caller), why, confirmed, withheld }: Omit<RequestIdentity, 'repeated'>,
): CommandContext & { readonly workspaceId: string } {
  return {
    workspaceId: caller.workspaceId,
    actor,
    correlationId: requestId,
    commandId,
    now: new Date().toISOString(),
    ...why,
    ...(confirmed && { confirmedBy: confirmed.by, causationId: confirmed.proposalId }),
    ...(withheld && { withheld }),
  };
}

/** `key:<id>` or `user:<id>`. */
export const actorOf = ({ keyId, userId }: Pick<Caller, 'keyId' | 'userId'>): string =>
  keyId === null ? `user:${userId}` : `key:${keyId}`;

/** The reviewer among the people who share a workspace: the name in the request or, without one, its key or user. */
export const reviewerOf = (caller: Caller, name?: string | null): string => name ?? actorOf(caller);
