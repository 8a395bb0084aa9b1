import { Controller, Get, HttpCode, Param, Post } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { AsOfRequest } from '#application/as-of.js';
import type { Caller, RequestIdentity } from '#application/caller.js';
import { CancelDistillation } from '#use-cases/distillation/commands/cancel.js';
import { DistilModel } from '#use-cases/distillation/commands/distil.js';
import { GetDistillation, ListDistillations } from '#use-cases/distillation/queries/distillations.js';
import { GetSavings } from '#use-cases/distillation/queries/savings.js';
import { UseCases } from '#use-cases/use-cases.js';
import { AsOf } from '../../edge/as-of.js';
import { CurrentCaller, Identity, ReadingNeeds } from '../../edge/auth/index.js';
import { Idempotent } from '../../edge/idempotency/decorators.js';
import { KnownBody, KnownQuery } from '../../edge/validation/index.js';
import {
  DistilBody,
  DistillationList,
  DistillationRecord,
  DistillationsQuery,
  SavingsQuery,
  SavingsRecord,
} from './dto.js';
import { savingsRecord } from './savings-record.js';
import { distillationList, distillationRecord } from './record.js';

@ApiTags('Models')
@ReadingNeeds('history')
@Controller()
export class DistillationController {
  constructor(private readonly useCases: UseCases) {}

  @Post('models/:name/distil')
  @Idempotent()
  @HttpCode(200)
  @ApiOperation({
    summary: 'Trains a small model on recorded answers of a hosted one, and lets it answer where it is sure',
  })
  @ApiOkResponse({ type: DistillationRecord })
  async distil(
    @Param('name') name: string,
    @KnownBody() body: DistilBody,
    @CurrentCaller() caller: Caller,
    @Identity() identity: RequestIdentity,
  ): Promise<DistillationRecord> {
    return distillationRecord(await this.useCases.execute(new DistilModel(caller, identity, { ...body, name })));
  }

  @Get('models/:name/distillations')
  @ApiOperation({ summary: 'Lists the distillations of a model, newest first' })
  @ApiOkResponse({ type: DistillationList })
  async list(
    @Param('name') name: string,
    @KnownQuery() query: DistillationsQuery,
    @CurrentCaller() caller: Caller,
  ): Promise<DistillationList> {
    return distillationList(await this.useCases.execute(new ListDistillations(caller, { ...query, name })));
  }

  @Get('models/:name/savings')
  @ApiOperation({ summary: 'What a distilled model answered by itself, and what that saved, by day' })
  @ApiOkResponse({ type: SavingsRecord })
  async savings(
    @Param('name') name: string,
    @KnownQuery() { days }: SavingsQuery,
    @CurrentCaller() caller: Caller,
  ): Promise<SavingsRecord> {
    return savingsRecord(name, await this.useCases.execute(new GetSavings(caller, { name, days })));
  }

  @Get('distillations/:id')
  @ApiOperation({ summary: 'One distillation: its stages, the bound that was shown, and who answers now' })
  @ApiOkResponse({ type: DistillationRecord })
  async one(
    @Param('id') id: string,
    @AsOf() asOf: AsOfRequest | null,
    @CurrentCaller() caller: Caller,
  ): Promise<DistillationRecord> {
    const { distillation, calls } = await this.useCases.execute(new GetDistillation(caller, id, asOf));
    return distillationRecord(distillation, calls);
  }

  @Post('distillations/:id/cancel')
  @HttpCode(200)
  @ApiOperation({ summary: 'Cancels a distillation; its training job is stopped' })
  @ApiOkResponse({ type: DistillationRecord })
  async cancel(
    @Param('id') id: string,
    @CurrentCaller() caller: Caller,
    @Identity() identity: RequestIdentity,
  ): Promise<DistillationRecord> {
    return distillationRecord(await this.useCases.execute(new CancelDistillation(caller, identity, id)));
  }
}
