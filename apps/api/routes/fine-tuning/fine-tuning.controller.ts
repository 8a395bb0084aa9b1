import { Controller, Get, HttpCode, Param, Post, Req } from '@nestjs/common';
import { ApiBody, ApiExcludeEndpoint, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Caller, RequestIdentity } from '#application/caller.js';
import { CurrentCaller, Gives, Identity, ReadingNeeds } from '../../edge/auth/index.js';
import { badRequest } from '../../edge/errors/index.js';
import type { FastifyRequest } from '../../edge/http.js';
import { Idempotent } from '../../edge/idempotency/decorators.js';
import { StopTrainingJob } from '#use-cases/training-jobs/commands/stop.js';
import { KnownQuery } from '../../edge/validation/index.js';
import { CreateFineTuningJob } from '#use-cases/fine-tuning/commands.js';
import { fineTuningOrder } from './decode.js';
import {
  CreateFineTuningJobBody,
  FineTuningCheckpointList,
  FineTuningEventList,
  FineTuningJob,
  FineTuningJobList,
  FineTuningListQuery,
} from './dto.js';
import {
  GetFineTuningJob,
  ListFineTuningCheckpoints,
  ListFineTuningEvents,
  ListFineTuningJobs,
} from '#use-cases/fine-tuning/queries.js';
import { listPage } from '../files/list-page.js';
import { checkpointRecord, eventRecord, fineTuningRecord } from './record.js';
import { UseCases } from '#use-cases/use-cases.js';

@ApiTags('OpenAI: files and fine-tuning')
@ReadingNeeds('history')
@Controller('v1/fine_tuning/jobs')
export class FineTuningController {
  constructor(private readonly useCases: UseCases) {}

  @Post()
  @Idempotent()
  @HttpCode(200)
  @Gives(CreateFineTuningJob)
  @ApiOperation({ summary: 'Starts a training job on an uploaded file, in the background' })
  @ApiBody({ type: CreateFineTuningJobBody })
  @ApiOkResponse({ type: FineTuningJob })
  async create(
    @Req() { body }: FastifyRequest,
    @CurrentCaller() caller: Caller,
    @Identity() identity: RequestIdentity,
  ): Promise<FineTuningJob> {
    const job = await this.useCases.execute(new CreateFineTuningJob(caller, identity, fineTuningOrder(body)));
    return fineTuningRecord(job, caller.teamId);
  }

  @Get()
  @ApiOperation({ summary: 'Lists training jobs, newest first' })
  @ApiOkResponse({ type: FineTuningJobList })
  async list(
    @KnownQuery() query: FineTuningListQuery,
    @CurrentCaller() caller: Caller,
    @Req() request: FastifyRequest,
  ): Promise<FineTuningJobList> {
    const filter = Object.keys(request.query as object).find((name) => name.startsWith('metadata'));
    if (filter !== undefined) throw badRequest('jobs cannot be filtered by metadata; leave it out', { param: filter });
    const { entries, hasMore } = await this.useCases.execute(new ListFineTuningJobs(caller, query));
    return { object: 'list', data: entries.map((job) => fineTuningRecord(job, caller.teamId)), has_more: hasMore };
  }

  @Get(':id')
  @ApiOperation({ summary: 'One training job' })
  @ApiOkResponse({ type: FineTuningJob })
  async one(@Param('id') id: string, @CurrentCaller() caller: Caller): Promise<FineTuningJob> {
    return fineTuningRecord(await this.useCases.execute(new GetFineTuningJob(caller, id)), caller.teamId);
  }

  @Post(':id/cancel')
  @HttpCode(200)
  @ApiOperation({ summary: 'Cancels a queued or running job immediately' })
  @ApiOkResponse({ type: FineTuningJob })
  async cancel(
    @Param('id') id: string,
    @CurrentCaller() caller: Caller,
    @Identity() identity: RequestIdentity,
  ): Promise<FineTuningJob> {
    const { id: jobId } = await this.useCases.execute(new GetFineTuningJob(caller, id));
    await this.useCases.execute(new StopTrainingJob(caller, identity, jobId));
    return this.one(id, caller);
  }

  @Post(':id/pause')
  @ApiExcludeEndpoint()
  async pause(@Param('id') id: string, @CurrentCaller() caller: Caller): Promise<never> {
    return this.refuse(id, caller, 'paused');
  }

  @Post(':id/resume')
  @ApiExcludeEndpoint()
  async resume(@Param('id') id: string, @CurrentCaller() caller: Caller): Promise<never> {
    return this.refuse(id, caller, 'resumed');
  }

  @Get(':id/events')
  @ApiOperation({ summary: 'Log lines of a job, newest first' })
  @ApiOkResponse({ type: FineTuningEventList })
  async events(
    @Param('id') id: string,
    @KnownQuery() query: FineTuningListQuery,
    @CurrentCaller() caller: Caller,
  ): Promise<FineTuningEventList> {
    const asked = new ListFineTuningEvents(caller, { ...query, id });
    const { jobId, entries, hasMore } = await this.useCases.execute(asked);
    return { object: 'list', data: entries.map((line) => eventRecord(jobId, line)), has_more: hasMore };
  }

  @Get(':id/checkpoints')
  @ApiOperation({ summary: 'Checkpoints of a job, newest first' })
  @ApiOkResponse({ type: FineTuningCheckpointList })
  async checkpoints(
    @Param('id') id: string,
    @KnownQuery() query: FineTuningListQuery,
    @CurrentCaller() caller: Caller,
  ): Promise<FineTuningCheckpointList> {
    const asked = new ListFineTuningCheckpoints(caller, { ...query, id });
    const { entries, hasMore } = await this.useCases.execute(asked);
    return listPage(entries.map(checkpointRecord), hasMore);
  }

  private async refuse(id: string, caller: Caller, what: string): Promise<never> {
    await this.useCases.execute(new GetFineTuningJob(caller, id));
    throw badRequest(
      `training jobs cannot be ${what}: cancel one, and start another whose model is its last checkpoint`,
      { code: 'unsupported' },
    );
  }
}
