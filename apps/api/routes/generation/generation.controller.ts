import { Controller, Delete, Get, HttpCode, Param, Post } from '@nestjs/common';
import { ApiAcceptedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Caller, RequestIdentity } from '#application/caller.js';
import { BodyLimit, EXAMPLES, TEXTS_TO_LABEL } from '../../edge/body/body-limits.js';
import type { AsOfRequest } from '#application/as-of.js';
import { AsOf } from '../../edge/as-of.js';
import { CurrentCaller, Gives, Identity, ReadingNeeds } from '../../edge/auth/index.js';
import { Idempotent } from '../../edge/idempotency/decorators.js';
import { StartGeneration } from '#use-cases/generation/commands/start.js';
import { GenerateBody, LabelExistingBody } from './dto.js';
import { LabelExisting } from '#use-cases/generation/commands/label-existing.js';
import { GetGenerationJob } from '#use-cases/generation/queries.js';
import { EraseGeneration } from '#use-cases/generation/commands/erase.js';
import { erasureOf, generationJobRecord } from './record.js';
import { ErasedGenerationJob, GenerationJobRecord, GenerationStarted, LabelledRows } from './responses.js';
import { ReadsContent } from '../../edge/reads/decorator.js';
import { KnownBody } from '../../edge/validation/index.js';
import { Reasoned } from '../../edge/why.js';
import { MayNeedTwo } from '../../edge/two-people.js';
import { UseCases } from '#use-cases/use-cases.js';

@ApiTags('Synthetic data')
@ReadingNeeds('history')
@Controller('generate')
export class GenerationController {
  constructor(private readonly useCases: UseCases) {}

  @Post()
  @BodyLimit(EXAMPLES)
  @HttpCode(202)
  @Gives(StartGeneration)
  @Idempotent()
  @ApiOperation({
    summary:
      'Generates synthetic rows in the background; with `dataset_name`, they become a new version of the dataset',
  })
  @ApiAcceptedResponse({ type: GenerationStarted })
  async start(
    @KnownBody() body: GenerateBody,
    @CurrentCaller() caller: Caller,
    @Identity() identity: RequestIdentity,
  ): Promise<GenerationStarted> {
    return { job_id: await this.useCases.execute(new StartGeneration(caller, identity, body)), status: 'queued' };
  }

  @Post('ner/label-existing')
  @BodyLimit(TEXTS_TO_LABEL)
  @HttpCode(200)
  @Gives(LabelExisting)
  @Idempotent()
  @ApiOperation({ summary: 'Labels the entities of the given texts with an encoder, and stores the rows on request' })
  @ApiOkResponse({ type: LabelledRows })
  labelEntities(
    @KnownBody() body: LabelExistingBody,
    @CurrentCaller() caller: Caller,
    @Identity() identity: RequestIdentity,
  ): Promise<LabelledRows> {
    return this.useCases.execute(new LabelExisting(caller, identity, { ...body, task_type: 'ner' }));
  }

  @Post('classification/label-existing')
  @BodyLimit(TEXTS_TO_LABEL)
  @HttpCode(200)
  @Gives(LabelExisting)
  @Idempotent()
  @ApiOperation({ summary: 'Classifies the given texts with an encoder, and stores the rows on request' })
  @ApiOkResponse({ type: LabelledRows })
  labelClasses(
    @KnownBody() body: LabelExistingBody,
    @CurrentCaller() caller: Caller,
    @Identity() identity: RequestIdentity,
  ): Promise<LabelledRows> {
    return this.useCases.execute(new LabelExisting(caller, identity, { ...body, task_type: 'classification' }));
  }

  @Get('jobs/:id')
  @ReadsContent('generation/{id}')
  @ApiOperation({ summary: 'The state of a generation job; includes the rows unless a dataset stores them' })
  @ApiOkResponse({ type: GenerationJobRecord })
  async job(
    @Param('id') id: string,
    @AsOf() asOf: AsOfRequest | null,
    @CurrentCaller() caller: Caller,
  ): Promise<GenerationJobRecord> {
    return generationJobRecord(await this.useCases.execute(new GetGenerationJob(caller, id, asOf)));
  }

  @Delete('jobs/:id')
  @Reasoned()
  @ApiOperation({
    summary: 'Erases the texts of an ended job, and its rows; 409 if a dataset version has them',
    description: 'A dataset version takes the texts of its job with it when it is erased.',
  })
  @MayNeedTwo()
  @ApiOkResponse({ type: ErasedGenerationJob })
  async erase(
    @Param('id') id: string,
    @CurrentCaller() caller: Caller,
    @Identity() identity: RequestIdentity,
  ): Promise<ErasedGenerationJob> {
    return erasureOf(await this.useCases.execute(new EraseGeneration(caller, identity, id)));
  }
}
