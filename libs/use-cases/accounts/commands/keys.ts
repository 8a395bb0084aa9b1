import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { createApiKey, keyMadeBy, limitApiKey, revokeApiKey } from '#application/accounts/index.js';
import { Application } from '#application/application.js';
import { callerContext } from '#application/caller.js';
import type { ApiKeyCreated, BudgetPeriod, KeyLimitChanges, KeyScope } from '#domain/api-key/index.js';
import { ConflictError, ForbiddenError } from '#domain/errors.js';
import { beyond } from '#domain/permissions.js';
import type { RateLimitName } from '../../limits/limit-table.js';
import { SecretKey } from '#primitives/secrets/index.js';
import { CallerCommand, type CommandNeeds } from '../../commands-and-queries.js';

/** Limits of a key, with the field names of the API; null: none. */
interface KeyLimitOrder {
  readonly models?: readonly string[] | null;
  readonly requests_per_minute?: number | null;
  readonly tokens_per_minute?: number | null;
  /** US dollars. */
  readonly budget?: number | null;
  readonly budget_period?: BudgetPeriod | null;
}

/** A key to make. */
interface KeyOrder extends KeyLimitOrder {
  readonly name: string;
  /** ISO 8601; null or absent: never. */
  readonly expires_at?: string | null;
  /** null or absent: everything that its maker may do. */
  readonly scopes?: readonly KeyScope[] | null;
}

export class CreateApiKey extends CallerCommand<KeyOrder, { secretKey: string; key: ApiKeyCreated }> {
  static override readonly needs: CommandNeeds = ['own'];
  static override readonly rateLimit: RateLimitName = 'create-api-key';
}

@CommandHandler(CreateApiKey)
export class CreateApiKeyHandler implements ICommandHandler<CreateApiKey> {
  constructor(
    private readonly application: Application,
    private readonly secret: SecretKey,
  ) {}

  /** @throws ConflictError for a repeat: the key is shown once, and never stored */
  async execute({ caller, identity, input: { name, expires_at, scopes, ...limits } }: CreateApiKey) {
    const context = callerContext(caller, identity);
    const made = identity.repeated ? await keyMadeBy(this.application, identity.commandId) : null;
    if (made !== null)
      throw new ConflictError(
        `this Idempotency-Key has already made API key ${made}, which is shown only once; revoke it, and send another Idempotency-Key`,
      );
    const lacking = caller.permissions && scopes ? beyond(caller.permissions, scopes) : [];
    if (lacking.length > 0)
      throw new ForbiddenError(
        `a key cannot have a permission that its maker lacks; these scopes need the permission ${lacking.join(' and ')}, which your role in this workspace lacks`,
      );
    const newKey = { name, expiresAt: expires_at ?? null, scopes: scopes ?? null, limits: limitsOf(limits) };
    return createApiKey(this.application, this.secret, caller, newKey, context);
  }
}

/** Changes limits of a key of the caller's own: null lifts one, what is absent stays. */
export class LimitApiKey extends CallerCommand<KeyLimitOrder & { readonly key_id: string }, void> {
  static override readonly needs: CommandNeeds = ['own'];
}

@CommandHandler(LimitApiKey)
export class LimitApiKeyHandler implements ICommandHandler<LimitApiKey> {
  constructor(private readonly application: Application) {}

  /** @throws NotFoundError, ConflictError, InvalidError */
  async execute({ caller, identity, input: { key_id: keyId, ...limits } }: LimitApiKey): Promise<void> {
    const { userId } = caller;
    const context = callerContext(caller, identity);
    await limitApiKey(this.application, { keyId, userId, changes: limitsOf(limits) }, context);
  }
}

const limitsOf = (order: KeyLimitOrder): KeyLimitChanges => ({
  ...(order.models !== undefined && { models: order.models }),
  ...(order.requests_per_minute !== undefined && { requestsPerMinute: order.requests_per_minute }),
  ...(order.tokens_per_minute !== undefined && { tokensPerMinute: order.tokens_per_minute }),
  ...(order.budget !== undefined && { budget: order.budget === null ? null : picodollars(order.budget) }),
  ...(order.budget_period !== undefined && { budgetPeriod: order.budget_period }),
});

const picodollars = (dollars: number): string => BigInt(Math.round(dollars * 1e12)).toString();

/** Revokes a key of the caller's own. The process forgets its hash, so that it refuses the key from now on. */
export class RevokeApiKey extends CallerCommand<string, { keyHash: string; wasRevoked: boolean }> {
  static override readonly needs: CommandNeeds = ['write', 'own'];
}

@CommandHandler(RevokeApiKey)
export class RevokeApiKeyHandler implements ICommandHandler<RevokeApiKey> {
  constructor(private readonly application: Application) {}

  async execute({ caller, identity, input: keyId }: RevokeApiKey) {
    const context = callerContext(caller, identity);
    const { userId } = caller;
    const { keyHash, before } = await revokeApiKey(this.application, { keyId, userId }, context);
    return { keyHash, wasRevoked: before };
  }
}
