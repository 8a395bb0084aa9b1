import { QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { Application } from '#application/application.js';
import { documentAsOf } from '#application/as-of.js';
import type { Caller } from '#application/caller.js';
import { streamName } from '#domain/streams.js';
import type { Page, PageRequest } from '#log/projector/documents.js';
import {
  trainingJobs,
  type TrainingJobDocument,
  type TrainingJobStatus,
} from '#projections/training-jobs/projection.js';
import { pageOfTrainingJobs, SERVABLE } from '#projections/training-jobs/queries.js';
import { CallerQuery, ResourceQuery } from '../../commands-and-queries.js';
import { requireProject } from '../../projects/require-project.js';
import { requireJob } from '../require-job.js';
import { ToldByRunners, type Told } from '../told-by-runners.js';

interface SeenJob {
  readonly job: TrainingJobDocument;
  /** Absent of a job in the past. */
  readonly told?: Told;
}

interface JobsOfProject extends PageRequest {
  readonly project_id?: string;
}

interface JobsAsked extends JobsOfProject {
  readonly status?: TrainingJobStatus | undefined;
}

/** Newest first. */
export class ListTrainingJobs extends CallerQuery<JobsAsked, Page<SeenJob>> {}

@QueryHandler(ListTrainingJobs)
export class ListTrainingJobsHandler implements IQueryHandler<ListTrainingJobs> {
  constructor(
    private readonly application: Application,
    private readonly told: ToldByRunners,
  ) {}

  execute({ caller, input }: ListTrainingJobs): Promise<Page<SeenJob>> {
    return seenJobs(this.application, this.told, caller, input);
  }
}

/** Jobs whose model can be called, newest first. */
export class ListTrainedModels extends CallerQuery<JobsOfProject, Page<SeenJob>> {}

@QueryHandler(ListTrainedModels)
export class ListTrainedModelsHandler implements IQueryHandler<ListTrainedModels> {
  constructor(
    private readonly application: Application,
    private readonly told: ToldByRunners,
  ) {}

  execute({ caller, input }: ListTrainedModels): Promise<Page<SeenJob>> {
    return seenJobs(this.application, this.told, caller, { ...input, status: SERVABLE });
  }
}

async function seenJobs(
  application: Application,
  told: ToldByRunners,
  { workspaceId }: Caller,
  asked: JobsOfProject & { readonly status?: TrainingJobStatus | readonly TrainingJobStatus[] | undefined },
): Promise<Page<SeenJob>> {
  const { project_id, status, limit, offset } = asked;
  const projectId = (await requireProject(application, workspaceId, project_id)) ?? undefined;
  const { readStore } = application.ports;
  const page = await pageOfTrainingJobs(readStore, workspaceId, { projectId, status }, { limit, offset });
  return { ...page, documents: page.documents.map((job) => ({ job, told: told.of(job) })) };
}

/** @throws NotFoundError */
export class GetTrainingJob extends ResourceQuery<string, SeenJob> {}

@QueryHandler(GetTrainingJob)
export class GetTrainingJobHandler implements IQueryHandler<GetTrainingJob> {
  constructor(
    private readonly application: Application,
    private readonly told: ToldByRunners,
  ) {}

  async execute({ caller, input: jobId, asOf }: GetTrainingJob): Promise<SeenJob> {
    if (!asOf) {
      const job = await requireJob(this.application, caller, jobId);
      return { job, told: this.told.of(job) };
    }
    const job = await documentAsOf(this.application, caller, asOf, {
      ...{ what: 'training job', projection: trainingJobs, stream: streamName('job', jobId), id: jobId },
      leftOut: ({ status }) => TOLD_BY_RUNNERS[status] ?? [],
    });
    return { job };
  }
}

/** Fields that runners decide, without an event: a job's status determines which of them it has. */
const TOLD_BY_RUNNERS: Partial<Record<TrainingJobStatus, readonly string[]>> = {
  requested: ['waiting_reason'],
  running: ['progress_percent'],
  complete: ['deployment_status'],
  deployed: ['deployment_status'],
};
