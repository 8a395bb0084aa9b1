import { ApiProperty } from '@nestjs/swagger';
import { LEDGER_ENTRY_KINDS } from '#projections/ledger/projection.js';
import { LIMIT_NAMES, PLANS, type LimitName, type Plan } from '#domain/team/index.js';
import { PerTokenKind } from '../../edge/openapi/per-token-kind.js';
import { BodyFlag, QueryInteger, QueryTime } from '../../edge/validation/index.js';

export class DataUse {
  @ApiProperty({
    description: "Whether the team has opted out of the use of its data to improve the service's models.",
  })
  opted_out!: boolean;

  @ApiProperty({ description: "Whether the team's plan allows opting out." }) can_opt_out!: boolean;
  @ApiProperty({ description: 'What it means, in words.' }) meaning!: string;
}

export class DataUseBody {
  @BodyFlag({ description: 'true requires a plan that allows opting out.' }) opted_out!: boolean;
}

class Enforcement {
  @ApiProperty({
    description: 'Whether calls are refused that the credits do not cover. Costs are computed in either case.',
  })
  enforced!: boolean;

  @ApiProperty({ description: 'Whether inference requires a verified payment method.' })
  card_required!: boolean;
}

export class CreditStanding {
  @ApiProperty({ description: 'Month of the figures, UTC.', example: '2026-11' }) month!: string;

  @ApiProperty({ description: 'Credits included each month, used first. US dollars, like all amounts.' })
  monthly_credits!: number;

  @ApiProperty({ description: "What the month's calls have cost that credits paid for." }) spent!: number;
  @ApiProperty({ description: 'The part of it that was drawn from the paid balance.' }) overage!: number;

  @ApiProperty({
    nullable: true,
    type: Number,
    description: 'The most that a month may draw from the paid balance; null: no limit.',
  })
  overage_ceiling!: number | null;

  @ApiProperty({ description: 'Can be negative after a correction.' }) paid_balance!: number;
  @ApiProperty({ description: 'What calls may cost in the rest of the month.' }) available!: number;
}

export class WorkspaceLimitRecord {
  @ApiProperty({ enum: LIMIT_NAMES }) name!: LimitName;
  @ApiProperty({ description: 'Maximum for each workspace of the team.' }) limit!: number;

  @ApiProperty({ nullable: true, type: Number, description: 'Current use of your workspace; null: not counted here.' })
  used!: number | null;

  @ApiProperty({ example: 'bytes' }) unit!: string;
}

export class AccountRecord {
  @ApiProperty({ format: 'uuid' }) team_id!: string;
  @ApiProperty() team_name!: string;
  @ApiProperty() members_count!: number;
  @ApiProperty({ format: 'uuid' }) user_id!: string;
  @ApiProperty({ format: 'uuid', description: "The caller's workspace" }) workspace_id!: string;
  @ApiProperty({ enum: PLANS }) plan!: Plan;

  @ApiProperty({ nullable: true, type: String, description: 'ISO 3166-1 alpha-2; null if unknown.', example: 'DE' })
  region!: string | null;

  @ApiProperty({ type: [String], description: 'Enabled rollouts. They reveal models or their prices.' })
  rollouts!: string[];

  @ApiProperty({ description: 'Whether a verified payment method is on file.' }) card_verified!: boolean;
  @ApiProperty({ type: DataUse }) data_use!: DataUse;
  @ApiProperty({ type: Enforcement }) enforcement!: Enforcement;
  @ApiProperty({ type: CreditStanding }) credits!: CreditStanding;

  @ApiProperty({ type: [WorkspaceLimitRecord], description: 'What your workspace may hold or have waiting.' })
  limits!: WorkspaceLimitRecord[];

  @ApiProperty({ format: 'date-time' }) created_at!: string;
}

class Page {
  @QueryInteger({ min: 1, max: 1000, default: 100 }) limit: number = 100;
  @QueryInteger({ min: 0, default: 0 }) offset: number = 0;
}

export class UsageQuery extends Page {
  @QueryTime('First day, inclusive: the UTC day of this time.') since?: string;
  @QueryTime('Last day, inclusive: the UTC day of this time.') until?: string;
}

export class LedgerQuery extends Page {}

export class UsageRecord {
  @ApiProperty({ format: 'date', description: 'UTC.' }) day!: string;
  @ApiProperty({ description: 'A catalog id, or the id of a training job.' }) model_id!: string;

  @ApiProperty({ nullable: true, type: String, description: 'null for calls from a browser session.' })
  api_key_id!: string | null;

  @ApiProperty({ description: 'Recorded calls, including failed ones.' }) request_count!: number;
  @ApiProperty() failed_count!: number;
  @PerTokenKind('countField', () => ApiProperty({ type: Number })) input_tokens!: number;
  @ApiProperty({ description: 'At the prices in force at each call. US dollars.' }) cost!: number;
}

export class UsageList {
  @ApiProperty({ type: [UsageRecord], description: 'Newest day first.' }) usage!: UsageRecord[];
  @ApiProperty() total!: number;
  @ApiProperty() limit!: number;
  @ApiProperty() offset!: number;
}

export class LedgerEntryRecord {
  @ApiProperty({ format: 'uuid' }) id!: string;
  @ApiProperty({ enum: LEDGER_ENTRY_KINDS }) kind!: string;
  @ApiProperty({ nullable: true, type: Number, description: 'US dollars; null: no ceiling.' }) amount!: number | null;

  @ApiProperty({
    nullable: true,
    type: String,
    description: 'Of a correction: `refund`, `chargeback`, `goodwill` or `mistake`.',
  })
  reason!: string | null;

  @ApiProperty({ nullable: true, type: String, description: 'The call that a correction is about.' })
  inference_id!: string | null;

  @ApiProperty({ format: 'date-time' }) created_at!: string;
}

export class LedgerList {
  @ApiProperty({ type: [LedgerEntryRecord], description: 'Newest first. What calls cost is in `/account/usage`.' })
  entries!: LedgerEntryRecord[];

  @ApiProperty() total!: number;
  @ApiProperty() limit!: number;
  @ApiProperty() offset!: number;
}
