import { Controller, Delete, Get, HttpCode, Param, Post, Put } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import type { Caller, RequestIdentity } from '#application/caller.js';
import { NotFoundError } from '#domain/errors.js';
import { versionNumberOf, type ModelChange } from '#domain/model/index.js';
import type { AsOfRequest } from '#application/as-of.js';
import { AsOf } from '../../edge/as-of.js';
import { CurrentCaller, Identity, ReadingNeeds } from '../../edge/auth/index.js';
import { Idempotent } from '../../edge/idempotency/decorators.js';
import { Deleted } from '../projects/dto.js';
import { KnownBody, KnownQuery } from '../../edge/validation/index.js';
import {
  AddModelVersion,
  ChangeModel,
  CreateNamedModel,
  DeleteNamedModel,
  RollBackModel,
} from '#use-cases/models/commands.js';
import {
  AddModelVersionBody,
  CreateNamedModelBody,
  NamedModelList,
  NamedModelQuery,
  NamedModelRecord,
  NamedModelsQuery,
  PromoteBody,
  RollbackBody,
  SetLabelBody,
  SetShadowBody,
  SetTrafficBody,
} from './dto.js';
import { DriftQuery, ModelDrift } from './drift-dto.js';
import { driftRecord } from './drift-record.js';
import { GetDrift } from '#use-cases/models/queries/drift.js';
import { labelPipe } from './label-pipe.js';
import { GetNamedModel, ListNamedModels } from '#use-cases/models/queries/models.js';
import { agreementRecord, confidencesRecord, listedModel, modelRecord } from './record.js';
import { UseCases } from '#use-cases/use-cases.js';
import { Reasoned } from '../../edge/why.js';
import { MayNeedTwo } from '../../edge/two-people.js';

@ApiTags('Models')
@ReadingNeeds('history')
@Controller('models')
export class ModelsController {
  constructor(private readonly useCases: UseCases) {}

  @Post()
  @Idempotent()
  @HttpCode(200)
  @ApiOperation({ summary: 'Creates a name for calling models' })
  @ApiOkResponse({ type: NamedModelRecord })
  async create(
    @KnownBody() body: CreateNamedModelBody,
    @CurrentCaller() caller: Caller,
    @Identity() identity: RequestIdentity,
  ): Promise<NamedModelRecord> {
    return modelRecord(await this.useCases.execute(new CreateNamedModel(caller, identity, body)));
  }

  @Get()
  @ApiOperation({ summary: 'Lists the named models of the workspace' })
  @ApiOkResponse({ type: NamedModelList })
  async list(@KnownQuery() query: NamedModelsQuery, @CurrentCaller() caller: Caller): Promise<NamedModelList> {
    const { documents, total } = await this.useCases.execute(new ListNamedModels(caller, query));
    return { models: documents.map(listedModel), count: documents.length, total };
  }

  @Get(':name')
  @ApiOperation({ summary: 'One named model with its versions and promotions' })
  @ApiOkResponse({ type: NamedModelRecord })
  async one(
    @Param('name') name: string,
    @KnownQuery() { precision }: NamedModelQuery,
    @AsOf() asOf: AsOfRequest | null,
    @CurrentCaller() caller: Caller,
  ): Promise<NamedModelRecord> {
    const { model, agreement, confidences } = await this.useCases.execute(new GetNamedModel(caller, name, asOf));
    return {
      ...modelRecord(model),
      ...(agreement && { shadow_agreement: agreementRecord(agreement) }),
      ...(Object.keys(confidences).length > 0 && { confidence: confidencesRecord(confidences, precision) }),
    };
  }

  @Get(':name/drift')
  @ApiOperation({ summary: 'Compares the recorded calls of a version with its training rows, week by week' })
  @ApiOkResponse({ type: ModelDrift })
  async drift(
    @Param('name') name: string,
    @KnownQuery() query: DriftQuery,
    @CurrentCaller() caller: Caller,
  ): Promise<ModelDrift> {
    return driftRecord(name, await this.useCases.execute(new GetDrift(caller, { ...query, name })));
  }

  @Delete(':name')
  @Reasoned()
  @ApiOperation({ summary: 'Deletes a name; the models behind it stay' })
  @MayNeedTwo()
  @ApiOkResponse({ type: Deleted })
  async delete(
    @Param('name') name: string,
    @CurrentCaller() caller: Caller,
    @Identity() identity: RequestIdentity,
  ): Promise<Deleted> {
    await this.useCases.execute(new DeleteNamedModel(caller, identity, name));
    return { success: true, message: 'the name is deleted; the models of its versions are kept' };
  }

  @Post(':name/versions')
  @Idempotent()
  @HttpCode(200)
  @ApiOperation({ summary: 'Adds a version: a completed training job or a catalog model' })
  @ApiOkResponse({ type: NamedModelRecord })
  async add(
    @Param('name') name: string,
    @KnownBody() body: AddModelVersionBody,
    @CurrentCaller() caller: Caller,
    @Identity() identity: RequestIdentity,
  ): Promise<NamedModelRecord> {
    return modelRecord(await this.useCases.execute(new AddModelVersion(caller, identity, { ...body, name })));
  }

  @Put(':name/versions/:n/promote')
  @Reasoned('ticket')
  @ApiOperation({ summary: 'Puts a version in use; within a second, every process resolves the name to it' })
  @ApiParam({ name: 'n', type: 'integer', description: 'Number of the version.', example: 1 })
  @MayNeedTwo()
  @ApiOkResponse({ type: NamedModelRecord })
  promote(
    @Param('name') name: string,
    @Param('n') n: string,
    @KnownBody() { reason }: PromoteBody,
    @CurrentCaller() caller: Caller,
    @Identity() identity: RequestIdentity,
  ): Promise<NamedModelRecord> {
    const version = versionNumberOf(n);
    if (version === null) throw new NotFoundError('version', `${name}@${n}`);
    return this.change(caller, identity, name, { type: 'promote-version', version, reason });
  }

  @Post(':name/rollback')
  @Reasoned('ticket')
  @Idempotent()
  @HttpCode(200)
  @ApiOperation({ summary: 'Puts an earlier version in use again' })
  @MayNeedTwo()
  @ApiOkResponse({ type: NamedModelRecord })
  async rollBack(
    @Param('name') name: string,
    @KnownBody() body: RollbackBody,
    @CurrentCaller() caller: Caller,
    @Identity() identity: RequestIdentity,
  ): Promise<NamedModelRecord> {
    return modelRecord(await this.useCases.execute(new RollBackModel(caller, identity, { ...body, name })));
  }

  @Put(':name/labels/:label')
  @Reasoned('ticket')
  @ApiOperation({ summary: 'Gives a label to a version, which can then be called as `name@label`' })
  @MayNeedTwo()
  @ApiOkResponse({ type: NamedModelRecord })
  label(
    @Param('name') name: string,
    @Param('label', labelPipe) label: string,
    @KnownBody() { version, reason = null }: SetLabelBody,
    @CurrentCaller() caller: Caller,
    @Identity() identity: RequestIdentity,
  ): Promise<NamedModelRecord> {
    return this.change(caller, identity, name, { type: 'set-label', label, version, reason });
  }

  @Delete(':name/labels/:label')
  @Reasoned()
  @ApiOperation({ summary: 'Removes a label' })
  @ApiOkResponse({ type: NamedModelRecord })
  unlabel(
    @Param('name') name: string,
    @Param('label') label: string,
    @CurrentCaller() caller: Caller,
    @Identity() identity: RequestIdentity,
  ): Promise<NamedModelRecord> {
    return this.change(caller, identity, name, { type: 'remove-label', label });
  }

  @Put(':name/traffic')
  @ApiOperation({ summary: 'Routes a share of the callers to a version other than the one in use' })
  @MayNeedTwo()
  @ApiOkResponse({ type: NamedModelRecord })
  traffic(
    @Param('name') name: string,
    @KnownBody() { version, percent, reason = null }: SetTrafficBody,
    @CurrentCaller() caller: Caller,
    @Identity() identity: RequestIdentity,
  ): Promise<NamedModelRecord> {
    const traffic = version === null || !percent ? null : { version, percent };
    return this.change(caller, identity, name, { type: 'set-traffic', traffic, reason });
  }

  @Put(':name/shadow')
  @ApiOperation({
    summary:
      'Has another version answer each call as a shadow, hidden from callers; shadow calls are recorded and billed',
  })
  @ApiOkResponse({ type: NamedModelRecord })
  shadow(
    @Param('name') name: string,
    @KnownBody() { version, reason = null }: SetShadowBody,
    @CurrentCaller() caller: Caller,
    @Identity() identity: RequestIdentity,
  ): Promise<NamedModelRecord> {
    return this.change(caller, identity, name, { type: 'set-shadow', version, reason });
  }

  private async change(
    caller: Caller,
    identity: RequestIdentity,
    name: string,
    change: ModelChange,
  ): Promise<NamedModelRecord> {
    return modelRecord(await this.useCases.execute(new ChangeModel(caller, identity, { name, change })));
  }
}
