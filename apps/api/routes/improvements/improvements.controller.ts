import { Controller, Get, HttpCode, Param, Post, Put } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Caller, RequestIdentity } from '#application/caller.js';
import type { AsOfRequest } from '#application/as-of.js';
import { AsOf } from '../../edge/as-of.js';
import { CurrentCaller, Identity, ReadingNeeds } from '../../edge/auth/index.js';
import { Idempotent } from '../../edge/idempotency/decorators.js';
import { KnownBody, KnownQuery } from '../../edge/validation/index.js';
import { CancelImprovement, ForceGate } from '#use-cases/improvements/commands/change.js';
import { ImproveModel } from '#use-cases/improvements/commands/improve.js';
import { SetPolicy } from '#use-cases/improvements/commands/set-policy.js';
import {
  AllImprovementsQuery,
  ForceBody,
  ImproveBody,
  ImprovementList,
  ImprovementRecord,
  ImprovementsQuery,
  OPEN_STAGES,
  PolicyBody,
  PolicyRecord,
} from './dto.js';
import { policyFrom, policyRecord } from './policy.js';
import { GetImprovement, ListImprovements } from '#use-cases/improvements/queries.js';
import { improvementList, improvementRecord } from './record.js';
import { UseCases } from '#use-cases/use-cases.js';
import { Reasoned } from '../../edge/why.js';
import { MayNeedTwo } from '../../edge/two-people.js';

@ApiTags('Models')
@ReadingNeeds('history')
@Controller()
export class ImprovementsController {
  constructor(private readonly useCases: UseCases) {}

  @Post('models/:name/improve')
  @Idempotent()
  @HttpCode(200)
  @ApiOperation({ summary: 'Trains a new version on the corrections and compares it with the one in use' })
  @ApiOkResponse({ type: ImprovementRecord })
  async improve(
    @Param('name') name: string,
    @KnownBody() body: ImproveBody,
    @CurrentCaller() caller: Caller,
    @Identity() identity: RequestIdentity,
  ): Promise<ImprovementRecord> {
    const asked = new ImproveModel(caller, identity, { ...body, name });
    return improvementRecord(await this.useCases.execute(asked));
  }

  @Get('models/:name/improvements')
  @ApiOperation({ summary: 'Lists the improvements of a model, newest first' })
  @ApiOkResponse({ type: ImprovementList })
  async list(
    @Param('name') name: string,
    @KnownQuery() query: ImprovementsQuery,
    @CurrentCaller() caller: Caller,
  ): Promise<ImprovementList> {
    return improvementList(await this.useCases.execute(new ListImprovements(caller, { ...query, name })));
  }

  @Put('models/:name/policy')
  @ApiOperation({ summary: 'Sets when a model is improved, what the gate requires, and what happens with the result' })
  @ApiOkResponse({ type: PolicyRecord })
  async setPolicy(
    @Param('name') name: string,
    @KnownBody() body: PolicyBody,
    @CurrentCaller() caller: Caller,
    @Identity() identity: RequestIdentity,
  ): Promise<PolicyRecord> {
    const policy = policyFrom(body);
    return policyRecord(await this.useCases.execute(new SetPolicy(caller, identity, { name, policy })));
  }

  @Get('improvements')
  @ApiOperation({ summary: 'Lists the improvements of every model of the workspace, newest first' })
  @ApiOkResponse({ type: ImprovementList })
  async listAll(
    @KnownQuery() { status, ...page }: AllImprovementsQuery,
    @CurrentCaller() caller: Caller,
  ): Promise<ImprovementList> {
    const stage = status === 'open' ? OPEN_STAGES : status && [status];
    return improvementList(
      await this.useCases.execute(new ListImprovements(caller, { ...page, ...(stage && { stage }) })),
    );
  }

  @Get('improvements/:id')
  @ApiOperation({ summary: 'One improvement with its stages and the decision of the gate' })
  @ApiOkResponse({ type: ImprovementRecord })
  async one(
    @Param('id') id: string,
    @AsOf() asOf: AsOfRequest | null,
    @CurrentCaller() caller: Caller,
  ): Promise<ImprovementRecord> {
    return improvementRecord(await this.useCases.execute(new GetImprovement(caller, id, asOf)));
  }

  @Post('improvements/:id/force')
  @Reasoned('ticket')
  @HttpCode(200)
  @ApiOperation({ summary: 'Accepts a version that the gate refused; requires a reason' })
  @MayNeedTwo()
  @ApiOkResponse({ type: ImprovementRecord })
  async force(
    @Param('id') id: string,
    @KnownBody() { reason }: ForceBody,
    @CurrentCaller() caller: Caller,
    @Identity() identity: RequestIdentity,
  ): Promise<ImprovementRecord> {
    return improvementRecord(await this.useCases.execute(new ForceGate(caller, identity, { id, reason })));
  }

  @Post('improvements/:id/cancel')
  @HttpCode(200)
  @ApiOperation({ summary: 'Cancels an improvement; its training job is stopped' })
  @ApiOkResponse({ type: ImprovementRecord })
  async cancel(
    @Param('id') id: string,
    @CurrentCaller() caller: Caller,
    @Identity() identity: RequestIdentity,
  ): Promise<ImprovementRecord> {
    return improvementRecord(await this.useCases.execute(new CancelImprovement(caller, identity, id)));
  }
}
