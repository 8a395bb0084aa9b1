import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { createApiKey, revokeApiKey } from '#application/accounts/index.js';
import { Application } from '#application/application.js';
import { callerContext, type Caller, type RequestIdentity } from '#application/caller.js';
import type { ApiKeyCreated } from '#domain/api-key/index.js';
import { SecretKey } from '#secrets/index.js';
import { Authenticator } from '../auth/index.js';

export class CreateApiKey extends Command<{ readonly secretKey: string; readonly key: ApiKeyCreated }> {
  constructor(
    readonly caller: Caller,
    readonly identity: RequestIdentity,
    readonly name: string,
    readonly expiresAt: string | null,
  ) {
    super();
  }
}

@CommandHandler(CreateApiKey)
export class CreateApiKeyHandler implements ICommandHandler<CreateApiKey> {
  constructor(
    private readonly application: Application,
    private readonly secret: SecretKey,
  ) {}

  execute({ caller, identity, name, expiresAt }: CreateApiKey) {
    const context = callerContext(caller, identity);
    return createApiKey(this.application, this.secret, caller, { name, expiresAt }, context);
  }
}

/** @returns whether the key had been revoked before */
export class RevokeApiKey extends Command<boolean> {
  constructor(
    readonly caller: Caller,
    readonly identity: RequestIdentity,
    readonly keyId: string,
  ) {
    super();
  }
}

@CommandHandler(RevokeApiKey)
export class RevokeApiKeyHandler implements ICommandHandler<RevokeApiKey> {
  constructor(
    private readonly application: Application,
    private readonly authenticator: Authenticator,
  ) {}

  async execute({ caller, identity, keyId }: RevokeApiKey): Promise<boolean> {
    const { userId } = caller;
    const context = callerContext(caller, identity);
    const { keyHash, before } = await revokeApiKey(this.application, { keyId, userId }, context);
    this.authenticator.dropKey(keyHash);
    return before;
  }
}
