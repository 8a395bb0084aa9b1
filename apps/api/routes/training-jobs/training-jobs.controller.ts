import { Controller, Delete, Get, HttpCode, Param, Post, Put, Req, Res } from '@nestjs/common';
import {
  ApiExtraModels,
  ApiHeader,
  ApiOkResponse,
  ApiOperation,
  ApiParam,
  ApiTags,
  getSchemaPath,
} from '@nestjs/swagger';
import type { Caller, RequestIdentity } from '#application/caller.js';
import { EXPORT_FORMATS, type ExportFormat } from '#domain/model-export/index.js';
import type { AsOfRequest } from '#application/as-of.js';
import { AsOf } from '../../edge/as-of.js';
import { CurrentCaller, Gives, Identity, ReadingNeeds } from '../../edge/auth/index.js';
import type { FastifyReply, FastifyRequest } from '../../edge/http.js';
import { Idempotent } from '../../edge/idempotency/decorators.js';
import { lastEventId, LiveMessages } from '../../edge/live-messages.js';
import { Deleted } from '../projects/dto.js';
import { StartTrainingJob } from '#use-cases/training-jobs/commands/start.js';
import { StopTrainingJob } from '#use-cases/training-jobs/commands/stop.js';
import { DeleteTrainingJob } from '#use-cases/training-jobs/weights/delete.js';
import { GetDownload } from '#use-cases/training-jobs/weights/download.js';
import { ExportModel, ListExports } from '#use-cases/training-jobs/weights/exports.js';
import { EstimateTraining } from '#use-cases/training-jobs/queries/estimate.js';
import { formatPipe } from './weights/format-pipe.js';
import { CreateTrainingJobBody } from './requests/dto.js';
import { LiveJobs } from './reading/live.js';
import {
  GetTrainingCheckpoints,
  GetTrainingJob,
  GetTrainingLogs,
  ListTrainedModels,
  ListTrainingJobs,
} from '#use-cases/training-jobs/reading/queries.js';
import {
  DownloadQuery,
  ListTrainedModelsQuery,
  ListTrainingJobsQuery,
  TrainingLogsQuery,
} from './reading/queries-dto.js';
import { trainingJobRecord } from './reading/record.js';
import {
  ModelDownload,
  ModelExport,
  ModelExportList,
  StoppedJob,
  TrainedModelList,
  TrainingCheckpointList,
  TrainingEstimate,
  TrainingJobList,
  TrainingJobMessage,
  TrainingJobRecord,
  TrainingLogList,
} from './reading/responses.js';
import { KnownBody, KnownQuery } from '../../edge/validation/index.js';
import { UseCases } from '#use-cases/use-cases.js';

@ApiTags('Training')
@ReadingNeeds('history')
@Controller('felix')
export class TrainingJobsController {
  constructor(
    private readonly useCases: UseCases,
    private readonly jobs: LiveJobs,
    private readonly live: LiveMessages,
  ) {}

  @Post('training-jobs')
  @Idempotent()
  @HttpCode(200)
  @Gives(StartTrainingJob)
  @ApiOperation({ summary: 'Starts a training job in the background' })
  @ApiOkResponse({ type: TrainingJobRecord })
  async create(
    @KnownBody() body: CreateTrainingJobBody,
    @CurrentCaller() caller: Caller,
    @Identity() identity: RequestIdentity,
  ) {
    return trainingJobRecord(await this.useCases.execute(new StartTrainingJob(caller, identity, body)));
  }

  @Post('training-jobs/estimate')
  @HttpCode(200)
  @ApiOperation({
    summary: 'Estimates the training time of a job from past jobs of the workspace; starts nothing',
  })
  @ApiOkResponse({ type: TrainingEstimate })
  estimate(@KnownBody() body: CreateTrainingJobBody, @CurrentCaller() caller: Caller) {
    return this.useCases.execute(new EstimateTraining(caller, body));
  }

  @Get('training-jobs')
  @ApiOperation({ summary: 'Lists training jobs, newest first' })
  @ApiOkResponse({ type: TrainingJobList })
  list(@KnownQuery() query: ListTrainingJobsQuery, @CurrentCaller() caller: Caller) {
    return this.useCases.execute(new ListTrainingJobs(caller, query));
  }

  @Get('training-jobs/:id')
  @ApiOperation({ summary: 'One job with its status, configuration and, once complete, metrics' })
  @ApiOkResponse({ type: TrainingJobRecord })
  one(@Param('id') id: string, @AsOf() asOf: AsOfRequest | null, @CurrentCaller() caller: Caller) {
    return this.useCases.execute(new GetTrainingJob(caller, id, asOf));
  }

  @Get('training-jobs/:id/logs')
  @ApiOperation({ summary: 'Log lines of a job, oldest first' })
  @ApiOkResponse({ type: TrainingLogList })
  logs(@Param('id') id: string, @KnownQuery() query: TrainingLogsQuery, @CurrentCaller() caller: Caller) {
    return this.useCases.execute(new GetTrainingLogs(caller, id, query));
  }

  @Get('training-jobs/:id/events')
  @ApiOperation({ summary: 'Streams the known state of a job, then its changes until it ends, as server-sent events' })
  @ApiExtraModels(TrainingJobMessage)
  @ApiHeader({
    name: 'Last-Event-ID',
    required: false,
    schema: { type: 'string' },
    description: 'Id of the last message that the client received. The stream starts with the next one.',
  })
  @ApiOkResponse({ content: { 'text/event-stream': { schema: { $ref: getSchemaPath(TrainingJobMessage) } } } })
  async events(
    @Param('id') id: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
    @CurrentCaller() caller: Caller,
  ): Promise<void> {
    const messages = await this.jobs.follow(caller, id, lastEventId(request));
    await this.live.send(request, reply, messages);
  }

  @Get('training-jobs/:id/checkpoints')
  @ApiOperation({ summary: 'Checkpoints of a job, in the order of their steps' })
  @ApiOkResponse({ type: TrainingCheckpointList })
  checkpoints(@Param('id') id: string, @CurrentCaller() caller: Caller) {
    return this.useCases.execute(new GetTrainingCheckpoints(caller, id));
  }

  @Get('training-jobs/:id/download')
  @ApiOperation({
    summary: 'A download address of the weights and model card (.tar.gz), or of an export; the job must be complete',
  })
  @ApiOkResponse({ type: ModelDownload })
  download(@Param('id') id: string, @KnownQuery() query: DownloadQuery, @CurrentCaller() caller: Caller) {
    return this.useCases.execute(new GetDownload(caller, { ...query, jobId: id }));
  }

  @Put('training-jobs/:id/exports/:format')
  @ApiOperation({ summary: 'Exports a trained model in the background; a failed export is tried again' })
  @ApiParam({ name: 'format', enum: EXPORT_FORMATS })
  @ApiOkResponse({ type: ModelExport })
  exportModel(
    @Param('id') id: string,
    @Param('format', formatPipe) format: ExportFormat,
    @CurrentCaller() caller: Caller,
    @Identity() identity: RequestIdentity,
  ) {
    return this.useCases.execute(new ExportModel(caller, identity, { jobId: id, format }));
  }

  @Get('training-jobs/:id/exports')
  @ApiOperation({ summary: 'The exports of a trained model' })
  @ApiOkResponse({ type: ModelExportList })
  exports(@Param('id') id: string, @CurrentCaller() caller: Caller) {
    return this.useCases.execute(new ListExports(caller, id));
  }

  @Post('training-jobs/:id/stop')
  @Idempotent()
  @HttpCode(200)
  @ApiOperation({ summary: 'Cancels a requested or running job immediately' })
  @ApiOkResponse({ type: StoppedJob })
  stop(@Param('id') id: string, @CurrentCaller() caller: Caller, @Identity() identity: RequestIdentity) {
    return this.useCases.execute(new StopTrainingJob(caller, identity, id));
  }

  @Delete('training-jobs/:id')
  @ApiOperation({
    summary: 'Deletes a job permanently, with its weights, checkpoints and logs; an active job is stopped',
  })
  @ApiOkResponse({ type: Deleted })
  remove(@Param('id') id: string, @CurrentCaller() caller: Caller, @Identity() identity: RequestIdentity) {
    return this.useCases.execute(new DeleteTrainingJob(caller, identity, id));
  }

  @Get('trained-models')
  @ApiOperation({ summary: 'Lists trained models, newest first' })
  @ApiOkResponse({ type: TrainedModelList })
  models(@KnownQuery() query: ListTrainedModelsQuery, @CurrentCaller() caller: Caller) {
    return this.useCases.execute(new ListTrainedModels(caller, query));
  }
}
