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
import { CurrentCaller, Gives, Identity, Needs, ReadingNeeds } from '../../edge/auth/index.js';
import type { FastifyReply, FastifyRequest } from '../../edge/http.js';
import { Idempotent } from '../../edge/idempotency/decorators.js';
import { lastEventId, LiveMessages } from '../../edge/live-messages.js';
import { Deleted } from '../projects/dto.js';
import { DeleteTrainingJob } from '#use-cases/training-jobs/commands/delete.js';
import { ExportModel } from '#use-cases/training-jobs/commands/export.js';
import { StartTrainingJob } from '#use-cases/training-jobs/commands/start.js';
import { StopTrainingJob } from '#use-cases/training-jobs/commands/stop.js';
import { GetServedCheckpoint, GetTrainingCheckpoints } from '#use-cases/training-jobs/queries/checkpoints.js';
import { GetDownload } from '#use-cases/training-jobs/queries/download.js';
import { EstimateTraining } from '#use-cases/training-jobs/queries/estimate.js';
import { ListExports } from '#use-cases/training-jobs/queries/exports.js';
import { FollowTrainingJob } from '#use-cases/training-jobs/queries/follow.js';
import { GetTrainingJob, ListTrainedModels, ListTrainingJobs } from '#use-cases/training-jobs/queries/jobs.js';
import { GetTrainingLogs } from '#use-cases/training-jobs/queries/log.js';
import { formatPipe } from './weights/format-pipe.js';
import { exportRecord } from './weights/record.js';
import { CreateTrainingJobBody } from './requests/dto.js';
import { messagesOf } from './reading/live.js';
import {
  DownloadQuery,
  ListTrainedModelsQuery,
  ListTrainingJobsQuery,
  TrainingLogsQuery,
} from './reading/queries-dto.js';
import { checkpointRecords, learningCurveRecord, trainingJobRecord } from './reading/record.js';
import {
  DeployedCheckpoint,
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
import { Reasoned } from '../../edge/why.js';
import { MayNeedTwo } from '../../edge/two-people.js';

/** Other words for statuses, of which clients filter by. */
const SAME_STATUS = { pending: 'requested', stopped: 'cancelled' } as const;

@ApiTags('Training')
@ReadingNeeds('history')
@Controller('felix')
export class TrainingJobsController {
  constructor(
    private readonly useCases: UseCases,
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
  ): Promise<TrainingJobRecord> {
    return trainingJobRecord(await this.useCases.execute(new StartTrainingJob(caller, identity, body)));
  }

  @Post('training-jobs/estimate')
  @HttpCode(200)
  @ApiOperation({
    summary: 'Estimates the training time of a job from past jobs of the workspace; starts nothing',
  })
  @ApiOkResponse({ type: TrainingEstimate })
  estimate(@KnownBody() body: CreateTrainingJobBody, @CurrentCaller() caller: Caller): Promise<TrainingEstimate> {
    return this.useCases.execute(new EstimateTraining(caller, body));
  }

  @Get('training-jobs')
  @ApiOperation({ summary: 'Lists training jobs, newest first' })
  @ApiOkResponse({ type: TrainingJobList })
  async list(@KnownQuery() query: ListTrainingJobsQuery, @CurrentCaller() caller: Caller): Promise<TrainingJobList> {
    const status = query.status === 'pending' || query.status === 'stopped' ? SAME_STATUS[query.status] : query.status;
    const { documents, total } = await this.useCases.execute(new ListTrainingJobs(caller, { ...query, status }));
    const jobs = documents.map(({ job, told }) => trainingJobRecord(job, told));
    const has_more = query.offset + jobs.length < total;
    return { success: true, training_jobs: jobs, count: jobs.length, total, has_more };
  }

  @Get('training-jobs/:id')
  @ApiOperation({ summary: 'One job with its status, configuration and, once complete, metrics' })
  @ApiOkResponse({ type: TrainingJobRecord })
  async one(
    @Param('id') id: string,
    @AsOf() asOf: AsOfRequest | null,
    @CurrentCaller() caller: Caller,
  ): Promise<TrainingJobRecord> {
    const { job, told } = await this.useCases.execute(new GetTrainingJob(caller, id, asOf));
    return { ...trainingJobRecord(job, told), learning_curve: learningCurveRecord(job) };
  }

  @Get('training-jobs/:id/logs')
  @ApiOperation({ summary: 'Log lines of a job, oldest first' })
  @ApiOkResponse({ type: TrainingLogList })
  async logs(
    @Param('id') id: string,
    @KnownQuery() query: TrainingLogsQuery,
    @CurrentCaller() caller: Caller,
  ): Promise<TrainingLogList> {
    const asked = new GetTrainingLogs(caller, { ...query, jobId: id });
    const { lines, total, erasedAt } = await this.useCases.execute(asked);
    return { job_id: id, logs: [...lines], total_logs: total, ...(erasedAt && { erased_at: erasedAt }) };
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
    const asked = new FollowTrainingJob(caller, { jobId: id, after: lastEventId(request) });
    const news = await this.useCases.execute(asked);
    await this.live.send(request, reply, (signal) => messagesOf(news(signal)));
  }

  @Get('training-jobs/:id/checkpoints')
  @ApiOperation({ summary: 'Checkpoints of a job, in the order of their steps' })
  @ApiOkResponse({ type: TrainingCheckpointList })
  async checkpoints(@Param('id') id: string, @CurrentCaller() caller: Caller): Promise<TrainingCheckpointList> {
    const checkpoints = checkpointRecords(await this.useCases.execute(new GetTrainingCheckpoints(caller, id)));
    return { success: true, checkpoints, count: checkpoints.length };
  }

  @Post('training-jobs/:id/checkpoints/:checkpoint/deploy')
  @HttpCode(200)
  @ApiOperation({
    summary:
      "Confirms that calls of a job are answered with a checkpoint's weights; a finished job needs no deployment",
  })
  @ApiOkResponse({ type: DeployedCheckpoint })
  async deploy(
    @Param('id') id: string,
    @Param('checkpoint') checkpointId: string,
    @CurrentCaller() caller: Caller,
  ): Promise<DeployedCheckpoint> {
    await this.useCases.execute(new GetServedCheckpoint(caller, { jobId: id, checkpointId }));
    const { job, told } = await this.useCases.execute(new GetTrainingJob(caller, id, null));
    const { deployment_status } = trainingJobRecord(job, told);
    return {
      ...{ success: true, message: 'calls with the id of the job as their model are answered with these weights' },
      ...{ job_id: id, checkpoint_id: checkpointId, model_id: id, deployment_status },
    };
  }

  @Get('training-jobs/:id/download')
  @Needs('weights')
  @ApiOperation({
    summary: 'A download address of the weights and model card (.tar.gz), or of an export; the job must be complete',
  })
  @ApiOkResponse({ type: ModelDownload })
  async download(
    @Param('id') id: string,
    @KnownQuery() query: DownloadQuery,
    @CurrentCaller() caller: Caller,
  ): Promise<ModelDownload> {
    const asked = new GetDownload(caller, { ...query, jobId: id });
    const { url, expiresInSeconds, fileName } = await this.useCases.execute(asked);
    return {
      ...{ success: true, job_id: id, download_url: url },
      ...{ expires_in_seconds: expiresInSeconds, file_name: fileName },
    };
  }

  @Put('training-jobs/:id/exports/:format')
  @ApiOperation({ summary: 'Exports a trained model in the background; a failed export is tried again' })
  @ApiParam({ name: 'format', enum: EXPORT_FORMATS })
  @ApiOkResponse({ type: ModelExport })
  async exportModel(
    @Param('id') id: string,
    @Param('format', formatPipe) format: ExportFormat,
    @CurrentCaller() caller: Caller,
    @Identity() identity: RequestIdentity,
  ): Promise<ModelExport> {
    return exportRecord(await this.useCases.execute(new ExportModel(caller, identity, { jobId: id, format })));
  }

  @Get('training-jobs/:id/exports')
  @ApiOperation({ summary: 'The exports of a trained model' })
  @ApiOkResponse({ type: ModelExportList })
  async exports(@Param('id') id: string, @CurrentCaller() caller: Caller): Promise<ModelExportList> {
    const exports = (await this.useCases.execute(new ListExports(caller, id))).map(exportRecord);
    return { success: true, job_id: id, exports, count: exports.length };
  }

  @Post('training-jobs/:id/stop')
  @Idempotent()
  @HttpCode(200)
  @ApiOperation({ summary: 'Cancels a requested or running job immediately' })
  @ApiOkResponse({ type: StoppedJob })
  async stop(
    @Param('id') id: string,
    @CurrentCaller() caller: Caller,
    @Identity() identity: RequestIdentity,
  ): Promise<StoppedJob> {
    await this.useCases.execute(new StopTrainingJob(caller, identity, id));
    return { success: true, message: 'the training job is cancelled', job_id: id, status: 'cancelled' };
  }

  @Delete('training-jobs/:id')
  @Reasoned()
  @ApiOperation({
    summary: 'Deletes a job permanently, with its weights, checkpoints and logs; an active job is stopped',
  })
  @MayNeedTwo()
  @ApiOkResponse({ type: Deleted })
  async remove(
    @Param('id') id: string,
    @CurrentCaller() caller: Caller,
    @Identity() identity: RequestIdentity,
  ): Promise<Deleted> {
    await this.useCases.execute(new DeleteTrainingJob(caller, identity, id));
    return { success: true, message: 'the training job, its weights, checkpoints and logs are deleted' };
  }

  @Get('trained-models')
  @ApiOperation({ summary: 'Lists trained models, newest first' })
  @ApiOkResponse({ type: TrainedModelList })
  async models(
    @KnownQuery() query: ListTrainedModelsQuery,
    @CurrentCaller() caller: Caller,
  ): Promise<TrainedModelList> {
    const { documents, total } = await this.useCases.execute(new ListTrainedModels(caller, query));
    const models = documents.map(({ job, told }) => ({ model_id: job.id, ...trainingJobRecord(job, told) }));
    return { success: true, count: models.length, total, models };
  }
}
