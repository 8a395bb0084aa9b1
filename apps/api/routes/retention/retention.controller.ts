import { Controller, Delete, Get, HttpCode, Param, Post, Put } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Caller, RequestIdentity } from '#application/caller.js';
import { daysInForce, RETENTION_KINDS } from '#domain/retention/index.js';
import { CurrentCaller, Gives, Identity, ReadingNeeds } from '../../edge/auth/index.js';
import { Idempotent } from '../../edge/idempotency/decorators.js';
import { KnownBody, KnownQuery } from '../../edge/validation/index.js';
import { PlaceHold, ReleaseHold, SetRetention } from '#use-cases/retention/commands.js';
import { HoldBody, HoldList, HoldRecord, HoldReleased, ReleaseQuery, RetentionBody, RetentionRecord } from './dto.js';
import { GetRetention, type Retention } from '#use-cases/retention/queries.js';
import { UseCases } from '#use-cases/use-cases.js';
import { Reasoned } from '../../edge/why.js';
import { MayNeedTwo } from '../../edge/two-people.js';

@ApiTags('Account')
@ReadingNeeds('history')
@Controller('account')
export class RetentionController {
  constructor(private readonly useCases: UseCases) {}

  @Get('retention')
  @ApiOperation({ summary: "The retention periods of the workspace's content" })
  @ApiOkResponse({ type: RetentionRecord })
  async get(@CurrentCaller() caller: Caller): Promise<RetentionRecord> {
    return retentionRecord(await this.useCases.execute(new GetRetention(caller, null)));
  }

  @Put('retention')
  @Gives(SetRetention)
  @ApiOperation({ summary: "Sets after how many days the workspace's content is erased" })
  @MayNeedTwo()
  @ApiOkResponse({ type: RetentionRecord })
  async set(
    @KnownBody() body: RetentionBody,
    @CurrentCaller() caller: Caller,
    @Identity() identity: RequestIdentity,
  ): Promise<RetentionRecord> {
    return retentionRecord(await this.useCases.execute(new SetRetention(caller, identity, body)));
  }

  @Get('holds')
  @ApiOperation({ summary: 'Lists the open legal holds' })
  @ApiOkResponse({ type: HoldList })
  async holds(@CurrentCaller() caller: Caller): Promise<HoldList> {
    const { holds } = await this.useCases.execute(new GetRetention(caller, null));
    return { holds: holds.map(holdRecord) };
  }

  @Post('holds')
  @Reasoned('ticket')
  @Gives(PlaceHold)
  @Idempotent()
  @HttpCode(200)
  @ApiOperation({ summary: 'Places a legal hold: nothing that it covers is erased or purged until its release' })
  @ApiOkResponse({ type: HoldRecord })
  async hold(
    @KnownBody() body: HoldBody,
    @CurrentCaller() caller: Caller,
    @Identity() identity: RequestIdentity,
  ): Promise<HoldRecord> {
    return holdRecord(await this.useCases.execute(new PlaceHold(caller, identity, body)));
  }

  @Delete('holds/:id')
  @Reasoned('ticket')
  @Gives(ReleaseHold)
  @ApiOperation({ summary: 'Releases a legal hold' })
  @ApiOkResponse({ type: HoldReleased })
  async release(
    @Param('id') id: string,
    @KnownQuery() { reason }: ReleaseQuery,
    @CurrentCaller() caller: Caller,
    @Identity() identity: RequestIdentity,
  ): Promise<HoldReleased> {
    await this.useCases.execute(new ReleaseHold(caller, identity, { id, reason }));
    return { success: true, message: `hold ${id} is released` };
  }
}

const retentionRecord = (retention: Retention): RetentionRecord => ({
  floor_days: retention.bounds.floorDays,
  ceiling_days: retention.bounds.ceilingDays,
  rules: RETENTION_KINDS.map((kind) => ({
    kind,
    days: retention.days[kind] ?? null,
    days_in_force: daysInForce(retention, kind, retention.bounds),
  })),
});

const holdRecord = ({ holdId, covers, reason, placedAt }: Retention['holds'][number]): HoldRecord => ({
  id: holdId,
  kind: covers.kind,
  covers_id: covers.id,
  version: covers.version,
  reason,
  placed_at: placedAt,
});
