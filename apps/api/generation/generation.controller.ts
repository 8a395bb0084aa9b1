import { Controller, Get, HttpCode, Param, Post } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { ApiAcceptedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Caller, RequestIdentity } from '#application/caller.js';
import { BodyLimit, EXAMPLES, TEXTS_TO_LABEL } from '../body/body-limits.js';
import { AsOf, type AsOfRequest } from '../as-of.js';
import { CurrentCaller, Identity, ReadingNeeds } from '../auth/index.js';
import { Idempotent } from '../idempotency/decorators.js';
import { RateLimit } from '../limits/decorators.js';
import { StartGeneration } from './commands.js';
import { GenerateBody, LabelExistingBody } from './dto.js';
import { LabelExisting } from './label-existing.js';
import { GetGenerationJob } from './queries.js';
import { GenerationJobRecord, GenerationStarted, LabelledRows } from './responses.js';
import { ReadsContent } from '../reads/decorator.js';
import { KnownBody } from '../validation/index.js';

@ApiTags('Synthetic data')
@ReadingNeeds('history')
@Controller('generate')
export class GenerationController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Post()
  @BodyLimit(EXAMPLES)
  @HttpCode(202)
  @RateLimit('generate')
  @Idempotent()
  @ApiOperation({ summary: 'Makes synthetic rows, in the background, and stores them as a new version of a dataset' })
  @ApiAcceptedResponse({ type: GenerationStarted })
  start(@KnownBody() body: GenerateBody, @CurrentCaller() caller: Caller, @Identity() identity: RequestIdentity) {
    return this.commands.execute(new StartGeneration(caller, identity, body));
  }

  @Post('ner/label-existing')
  @BodyLimit(TEXTS_TO_LABEL)
  @HttpCode(200)
  @RateLimit('generate')
  @Idempotent()
  @ApiOperation({ summary: 'Labels the entities of given texts with an encoder, and stores the rows where asked' })
  @ApiOkResponse({ type: LabelledRows })
  labelEntities(
    @KnownBody() body: LabelExistingBody,
    @CurrentCaller() caller: Caller,
    @Identity() identity: RequestIdentity,
  ) {
    return this.commands.execute(new LabelExisting(caller, identity, 'ner', body));
  }

  @Post('classification/label-existing')
  @BodyLimit(TEXTS_TO_LABEL)
  @HttpCode(200)
  @RateLimit('generate')
  @Idempotent()
  @ApiOperation({ summary: 'Classifies given texts with an encoder, and stores the rows where asked' })
  @ApiOkResponse({ type: LabelledRows })
  labelClasses(
    @KnownBody() body: LabelExistingBody,
    @CurrentCaller() caller: Caller,
    @Identity() identity: RequestIdentity,
  ) {
    return this.commands.execute(new LabelExisting(caller, identity, 'classification', body));
  }

  @Get('jobs/:id')
  @ReadsContent('generation/{id}')
  @ApiOperation({ summary: 'How a generation job is; with its rows where they are not stored' })
  @ApiOkResponse({ type: GenerationJobRecord })
  job(@Param('id') id: string, @AsOf() asOf: AsOfRequest | null, @CurrentCaller() caller: Caller) {
    return this.queries.execute(new GetGenerationJob(caller, id, asOf));
  }
}
