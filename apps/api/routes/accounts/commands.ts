import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { createApiKey, keyMadeBy, revokeApiKey } from '#application/accounts/index.js';
import { Application } from '#application/application.js';
import { callerContext } from '#application/caller.js';
import type { ApiKeyCreated } from '#domain/api-key/index.js';
import { ConflictError, ForbiddenError } from '#domain/errors.js';
import { beyond } from '#domain/permissions.js';
import { SecretKey } from '#primitives/secrets/index.js';
import { Authenticator } from '../../edge/auth/index.js';
import { CallerCommand } from '#use-cases/messages.js';
import type { CreateApiKeyBody } from './dto.js';

export class CreateApiKey extends CallerCommand<CreateApiKeyBody, { secretKey: string; key: ApiKeyCreated }> {}

@CommandHandler(CreateApiKey)
export class CreateApiKeyHandler implements ICommandHandler<CreateApiKey> {
  constructor(
    private readonly application: Application,
    private readonly secret: SecretKey,
  ) {}

  /** @throws ConflictError for a repeat: the key is shown once, and never stored */
  async execute({ caller, identity, input: { name, expires_at, scopes } }: CreateApiKey) {
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
    const newKey = { name, expiresAt: expires_at ?? null, scopes: scopes ?? null };
    return createApiKey(this.application, this.secret, caller, newKey, context);
  }
}

/** @returns whether the key had been revoked before */
export class RevokeApiKey extends CallerCommand<string, boolean> {}

@CommandHandler(RevokeApiKey)
export class RevokeApiKeyHandler implements ICommandHandler<RevokeApiKey> {
  constructor(
    private readonly application: Application,
    private readonly authenticator: Authenticator,
  ) {}

  async execute({ caller, identity, input: keyId }: RevokeApiKey): Promise<boolean> {
    const { userId } = caller;
    const context = callerContext(caller, identity);
    const { keyHash, before } = await revokeApiKey(this.application, { keyId, userId }, context);
    this.authenticator.dropKey(keyHash);
    return before;
  }
}
