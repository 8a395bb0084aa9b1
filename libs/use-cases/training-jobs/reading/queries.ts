import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { Application } from '#application/application.js';
import type { Caller } from '#application/caller.js';
import { NotFoundError } from '#domain/errors.js';
import type { JsonObject } from '#domain/json.js';
import { checkpointsOf } from '#projections/training-checkpoints/queries.js';
import { streamName } from '#domain/streams.js';
import { trainingJobDecider } from '#domain/training-job/index.js';
import {
  trainingJobs,
  type TrainingJobDocument,
  type TrainingJobStatus,
} from '#projections/training-jobs/projection.js';
import { pageOfTrainingJobs, SERVABLE, trainingJobDocuments } from '#projections/training-jobs/queries.js';
import { documentAsOf } from '#application/as-of.js';
import { CallerQuery, ResourceQuery } from '../../messages.js';
import { readJobLog } from './job-log.js';
import { requireProject } from '../../projects/require-project.js';
import type {
  ListTrainedModelsQuery,
  ListTrainingJobsQuery,
  TrainingLogsQuery,
} from '#apps/api/routes/training-jobs/reading/queries-dto.js';
import {
  checkpointRecords,
  learningCurveRecord,
  trainingJobRecord,
} from '#apps/api/routes/training-jobs/reading/record.js';
import { ToldByRunners } from './told-by-runners.js';

const SAME_STATUS: Readonly<Record<string, string>> = { pending: 'requested', stopped: 'cancelled' };

export class ListTrainingJobs extends CallerQuery<ListTrainingJobsQuery, JsonObject> {}

@QueryHandler(ListTrainingJobs)
export class ListTrainingJobsHandler implements IQueryHandler<ListTrainingJobs> {
  constructor(
    private readonly application: Application,
    private readonly told: ToldByRunners,
  ) {}

  /** Newest first. */
  async execute({ caller, input: query }: ListTrainingJobs): Promise<JsonObject> {
    const { status, limit, offset } = query;
    const projectId = await requireProject(this.application, caller.workspaceId, query.project_id);
    const filter = {
      ...(projectId !== null && { projectId }),
      ...(status && { status: SAME_STATUS[status] ?? status }),
    };
    const { readStore } = this.application.ports;
    const page = await pageOfTrainingJobs(readStore, caller.workspaceId, filter, { limit, offset });
    const { documents: jobs, total } = page;
    const records = jobs.map((job) => trainingJobRecord(job, this.told.of(job)));
    const has_more = offset + records.length < total;
    return { success: true, training_jobs: records, count: records.length, total, has_more };
  }
}

export class ListTrainedModels extends CallerQuery<ListTrainedModelsQuery, JsonObject> {}

@QueryHandler(ListTrainedModels)
export class ListTrainedModelsHandler implements IQueryHandler<ListTrainedModels> {
  constructor(
    private readonly application: Application,
    private readonly told: ToldByRunners,
  ) {}

  async execute({ caller, input: query }: ListTrainedModels): Promise<JsonObject> {
    const projectId = await requireProject(this.application, caller.workspaceId, query.project_id);
    const filter = { ...(projectId !== null && { projectId }), status: SERVABLE };
    const { limit, offset } = query;
    const { readStore } = this.application.ports;
    const page = await pageOfTrainingJobs(readStore, caller.workspaceId, filter, { limit, offset });
    const { documents: jobs, total } = page;
    const models = jobs.map((job) => ({ model_id: job.id, ...trainingJobRecord(job, this.told.of(job)) }));
    return { success: true, count: models.length, total, models };
  }
}

export class GetTrainingJob extends ResourceQuery<string, JsonObject> {}

@QueryHandler(GetTrainingJob)
export class GetTrainingJobHandler implements IQueryHandler<GetTrainingJob> {
  constructor(
    private readonly application: Application,
    private readonly told: ToldByRunners,
  ) {}

  async execute({ caller, input: jobId, asOf }: GetTrainingJob): Promise<JsonObject> {
    if (!asOf) {
      const job = await requireJob(this.application, caller, jobId);
      return { ...trainingJobRecord(job, this.told.of(job)), learning_curve: learningCurveRecord(job) };
    }
    const job = await documentAsOf(this.application, caller, asOf, {
      ...{ what: 'training job', projection: trainingJobs, stream: streamName('job', jobId), id: jobId },
      leftOut: ({ status }) => TOLD_BY_RUNNERS[status] ?? [],
    });
    return { ...trainingJobRecord(job), learning_curve: learningCurveRecord(job) };
  }
}

/** Fields that runners decide, without an event: a job's status determines which of them it has. */
const TOLD_BY_RUNNERS: Partial<Record<TrainingJobStatus, readonly string[]>> = {
  requested: ['waiting_reason'],
  running: ['progress_percent'],
  complete: ['deployment_status'],
  deployed: ['deployment_status'],
};

export class GetTrainingLogs extends Query<JsonObject> {
  constructor(
    readonly caller: Caller,
    readonly jobId: string,
    readonly query: TrainingLogsQuery,
  ) {
    super();
  }
}

@QueryHandler(GetTrainingLogs)
export class GetTrainingLogsHandler implements IQueryHandler<GetTrainingLogs> {
  constructor(private readonly application: Application) {}

  async execute({ caller, jobId, query }: GetTrainingLogs): Promise<JsonObject> {
    await requireJob(this.application, caller, jobId);
    const { lines, total } = await readJobLog(this.application.ports.eventStore, jobId, query.after ?? 0, query.limit);
    const job = total === 0 ? await this.application.load(trainingJobDecider, jobId) : null;
    const erasedAt = job !== null && 'logErasedAt' in job ? job.logErasedAt : undefined;
    return { job_id: jobId, logs: lines, total_logs: total, ...(erasedAt && { erased_at: erasedAt }) };
  }
}

export class GetTrainingCheckpoints extends CallerQuery<string, JsonObject> {}

@QueryHandler(GetTrainingCheckpoints)
export class GetTrainingCheckpointsHandler implements IQueryHandler<GetTrainingCheckpoints> {
  constructor(private readonly application: Application) {}

  async execute({ caller, input: jobId }: GetTrainingCheckpoints): Promise<JsonObject> {
    await requireJob(this.application, caller, jobId);
    const checkpoints = await checkpointsOf(this.application.ports.readStore, jobId);
    const records = checkpointRecords(checkpoints);
    return { success: true, checkpoints: records, count: records.length };
  }
}

/** @throws NotFoundError unknown, deleted, or of another workspace */
export async function requireJob({ ports }: Application, caller: Caller, jobId: string): Promise<TrainingJobDocument> {
  const job = await trainingJobDocuments.get(ports.readStore, jobId);
  if (job?.workspaceId !== caller.workspaceId) throw new NotFoundError('training job', jobId);
  return job;
}
