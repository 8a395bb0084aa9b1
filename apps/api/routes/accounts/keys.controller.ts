import { Controller, Delete, Get, HttpCode, Patch, Post } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Caller, RequestIdentity } from '#application/caller.js';
import type { KeyLimits } from '#domain/api-key/index.js';
import {
  Authenticator,
  CurrentCaller,
  Gives,
  Identity,
  Needs,
  ReadingNeeds,
  SessionOnly,
} from '../../edge/auth/index.js';
import { Idempotent } from '../../edge/idempotency/decorators.js';
import { CreateApiKey, LimitApiKey, RevokeApiKey } from '#use-cases/accounts/commands/keys.js';
import {
  ApiKeyList,
  ApiKeyRecord,
  CreateApiKeyBody,
  DeleteApiKeyBody,
  Done,
  KeyLimitsRecord,
  LimitApiKeyBody,
  NewApiKey,
} from './dto.js';
import { ListApiKeys, type ListedKey } from '#use-cases/accounts/queries/keys.js';
import { KnownBody } from '../../edge/validation/index.js';
import { UseCases } from '#use-cases/use-cases.js';
import { Reasoned } from '../../edge/why.js';

@ApiTags('API keys')
@ReadingNeeds('own')
@Controller()
export class KeysController {
  constructor(
    private readonly useCases: UseCases,
    private readonly authenticator: Authenticator,
  ) {}

  @Post('create-api-key')
  @Gives(CreateApiKey)
  @Idempotent()
  @HttpCode(200)
  @SessionOnly()
  @ApiOperation({ summary: 'Creates an API key. Requires a browser session; the key is shown only once' })
  @ApiOkResponse({ type: NewApiKey })
  async create(
    @KnownBody() body: CreateApiKeyBody,
    @CurrentCaller() caller: Caller,
    @Identity() identity: RequestIdentity,
  ): Promise<NewApiKey> {
    const { secretKey, key } = await this.useCases.execute(new CreateApiKey(caller, identity, body));
    return {
      secret_key: secretKey,
      id: key.keyId,
      name: key.name,
      created_at: key.createdAt,
      api_key_last_digits: key.lastDigits,
      expires_at: key.expiresAt,
      scopes: key.scopes ?? null,
      ...limitsRecord(key.limits),
      team_id: key.teamId,
      stripe_customer_created: false,
    };
  }

  @Get('list-api-keys')
  @Needs('history', 'own')
  @ApiOperation({ summary: "Lists the member's own keys, without their secrets" })
  @ApiOkResponse({ type: ApiKeyList })
  async list(@CurrentCaller() caller: Caller): Promise<ApiKeyList> {
    const keys = await this.useCases.execute(new ListApiKeys(caller.userId));
    return { keys: keys.map(record), count: keys.length };
  }

  @Patch('limit-api-key')
  @Gives(LimitApiKey)
  @SessionOnly()
  @ApiOperation({
    summary:
      "Changes limits of one of the member's own keys, from the next request on. Requires a browser session: a key cannot lift its limits",
  })
  @ApiOkResponse({ type: ApiKeyRecord })
  async limit(
    @KnownBody() body: LimitApiKeyBody,
    @CurrentCaller() caller: Caller,
    @Identity() identity: RequestIdentity,
  ): Promise<ApiKeyRecord> {
    await this.useCases.execute(new LimitApiKey(caller, identity, body));
    const keys = await this.useCases.execute(new ListApiKeys(caller.userId));
    return record(keys.find(({ key }) => key.id === body.key_id)!);
  }

  @Delete('delete-api-key')
  @Reasoned()
  @Gives(RevokeApiKey)
  @ApiOperation({ summary: "Revokes one of the member's own keys immediately and permanently" })
  @ApiOkResponse({ type: Done })
  async revoke(
    @KnownBody() { key_id }: DeleteApiKeyBody,
    @CurrentCaller() caller: Caller,
    @Identity() identity: RequestIdentity,
  ): Promise<Done> {
    const { keyHash, wasRevoked } = await this.useCases.execute(new RevokeApiKey(caller, identity, key_id));
    this.authenticator.dropKey(keyHash);
    return { success: true, message: wasRevoked ? 'the key was revoked before' : null };
  }
}

const record = ({ key, budget }: ListedKey): ApiKeyRecord => ({
  id: key.id,
  name: key.name,
  created_at: key.createdAt,
  api_key_last_digits: key.lastDigits,
  last_used_at: key.lastUsedAt,
  expires_at: key.expiresAt,
  scopes: key.scopes ?? null,
  ...limitsRecord(key.limits),
  budget_used: budget && dollars(budget.used),
  budget_resets_at: budget && budget.resetsAt,
  team_id: key.teamId,
  usage_tokens: key.usageTokens,
  usage_cost: dollars(key.usageCost),
  request_count: key.requestCount,
});

const limitsRecord = (limits: KeyLimits = {}): KeyLimitsRecord => ({
  models: limits.models ?? null,
  requests_per_minute: limits.requestsPerMinute ?? null,
  tokens_per_minute: limits.tokensPerMinute ?? null,
  budget: limits.budget === undefined ? null : dollars(limits.budget),
  budget_period: limits.budgetPeriod ?? null,
});

/** Whole picodollars as dollars; exact up to 15 digits, which is thousands of dollars to the picodollar. */
const dollars = (picodollars: string | bigint): number => Number(picodollars) / 1e12;
