import { Controller, Get, Put } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Caller, RequestIdentity } from '#application/caller.js';
import { dollars, tokenFields } from '#domain/inference/index.js';
import type { Standing } from '#domain/ledger/index.js';
import {
  allowsOptOut,
  limitOf,
  LIMIT_NAMES,
  memberCount,
  WORKSPACE_LIMITS,
  type LimitName,
  type Team,
} from '#domain/team/index.js';
import type { LedgerDocument } from '#projections/ledger/projection.js';
import type { UsageDocument } from '#projections/usage/projection.js';
import { CurrentCaller, Identity, ReadingNeeds } from '../../edge/auth/index.js';
import { SetDataUse } from '#use-cases/billing/commands.js';
import {
  AccountRecord,
  DataUse,
  DataUseBody,
  LedgerList,
  LedgerQuery,
  UsageList,
  UsageQuery,
  type CreditStanding,
  type LedgerEntryRecord,
  type UsageRecord,
  type WorkspaceLimitRecord,
} from './dto.js';
import { GetAccount, ListLedger, ListUsage } from '#use-cases/billing/queries.js';
import { KnownBody, KnownQuery } from '../../edge/validation/index.js';
import { UseCases } from '#use-cases/use-cases.js';

@ApiTags('Account')
@ReadingNeeds('history')
@Controller('account')
export class BillingController {
  constructor(private readonly useCases: UseCases) {}

  @Get()
  @ApiOperation({ summary: "The caller's team: plan, region, rollouts, data use, credits and limits" })
  @ApiOkResponse({ type: AccountRecord })
  async account(@CurrentCaller() caller: Caller): Promise<AccountRecord> {
    const { teamId, userId, workspaceId } = caller;
    const { account, month, standing, used } = await this.useCases.execute(new GetAccount(caller));
    return {
      team_id: teamId,
      team_name: account.name,
      members_count: memberCount(account),
      user_id: userId,
      workspace_id: workspaceId,
      plan: account.plan,
      region: account.region,
      rollouts: [...account.rollouts],
      card_verified: account.cardVerified,
      data_use: dataUse(account),
      enforcement: { enforced: account.enforcement.enforced, card_required: account.enforcement.cardRequired },
      credits: credits(month, standing),
      limits: limits(account, used),
      created_at: account.createdAt,
    };
  }

  @Put('data-use')
  @ApiOperation({
    summary: 'Opts the team out of the use of its data, or back in. Opting out requires a plan that allows it',
  })
  @ApiOkResponse({ type: DataUse })
  async setDataUse(
    @KnownBody() { opted_out }: DataUseBody,
    @CurrentCaller() caller: Caller,
    @Identity() identity: RequestIdentity,
  ): Promise<DataUse> {
    return dataUse(await this.useCases.execute(new SetDataUse(caller, identity, opted_out)));
  }

  @Get('usage')
  @ApiOperation({ summary: "The workspace's calls by day, model and API key, newest day first" })
  @ApiOkResponse({ type: UsageList })
  async usage(
    @KnownQuery() { limit, offset, since, until }: UsageQuery,
    @CurrentCaller() caller: Caller,
  ): Promise<UsageList> {
    const days = {
      ...(since !== undefined && { from: since.slice(0, 10) }),
      ...(until !== undefined && { to: until.slice(0, 10) }),
    };
    const { documents, total } = await this.useCases.execute(new ListUsage(caller, { limit, offset, ...days }));
    return { usage: documents.map(usageRecord), total, limit, offset };
  }

  @Get('ledger')
  @ApiOperation({ summary: "The team's top-ups, corrections and limits, newest first" })
  @ApiOkResponse({ type: LedgerList })
  async ledger(@KnownQuery() { limit, offset }: LedgerQuery, @CurrentCaller() caller: Caller): Promise<LedgerList> {
    const { documents, total } = await this.useCases.execute(new ListLedger(caller, { limit, offset }));
    return { entries: documents.map(entryRecord), total, limit, offset };
  }
}

const dataUse = ({ optedOut, plan }: Team): DataUse => ({
  opted_out: optedOut,
  can_opt_out: allowsOptOut(plan),
  meaning: optedOut
    ? 'whoever runs this service may not use the data of this team to improve its models'
    : 'whoever runs this service may use the data of this team to improve its models',
});

const limits = (team: Team, used: ReadonlyMap<LimitName, number>): WorkspaceLimitRecord[] =>
  LIMIT_NAMES.map((name) => ({
    name,
    limit: limitOf(team, name),
    used: used.get(name) ?? null,
    unit: WORKSPACE_LIMITS[name].unit,
  }));

const credits = (month: string, standing: Standing): CreditStanding => ({
  month,
  monthly_credits: dollars(standing.included),
  spent: dollars(standing.used),
  overage: dollars(standing.overage),
  overage_ceiling: standing.ceiling === null ? null : dollars(standing.ceiling),
  paid_balance: dollars(standing.balance),
  available: dollars(standing.available),
});

const usageRecord = (usage: UsageDocument): UsageRecord => ({
  day: usage.day,
  model_id: usage.modelId,
  api_key_id: usage.keyId,
  request_count: usage.requestCount,
  failed_count: usage.failedCount,
  ...tokenFields(usage),
  cost: dollars(usage.cost),
});

const entryRecord = (entry: LedgerDocument): LedgerEntryRecord => ({
  id: entry.id,
  kind: entry.kind,
  amount: entry.amount === null ? null : dollars(entry.amount),
  reason: entry.reason,
  inference_id: entry.inferenceId,
  created_at: entry.at,
});
