import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { Application } from '#application/application.js';
import type { Caller } from '#application/caller.js';
import { NotFoundError } from '#domain/errors.js';
import { checkpointsOf } from '#projections/training-checkpoints/queries.js';
import type { TrainingJobDocument } from '#projections/training-jobs/projection.js';
import { trainingJobDocuments, trainingJobsAfter } from '#projections/training-jobs/queries.js';
import { CHECKPOINT_ID, FINE_TUNING_JOB_ID } from '../files/ids.js';
import { listPage } from '#apps/api/routes/files/list-page.js';
import { CallerQuery } from '../messages.js';
import { readJobLog } from '../training-jobs/reading/job-log.js';
import type {
  FineTuningCheckpointList,
  FineTuningEventList,
  FineTuningJobList,
  FineTuningListQuery,
} from '#apps/api/routes/fine-tuning/dto.js';
import { checkpointRecord, eventRecord, fineTuningRecord, lineOf } from '#apps/api/routes/fine-tuning/record.js';

/** @throws NotFoundError unknown, deleted, or of another workspace */
async function requireJob({ ports }: Application, caller: Caller, id: string): Promise<TrainingJobDocument> {
  const job = await trainingJobDocuments.get(ports.readStore, FINE_TUNING_JOB_ID.read(id));
  if (job?.workspaceId !== caller.workspaceId) throw new NotFoundError('fine-tuning job', id);
  return job;
}

export class GetFineTuningJob extends CallerQuery<string, TrainingJobDocument> {}

@QueryHandler(GetFineTuningJob)
export class GetFineTuningJobHandler implements IQueryHandler<GetFineTuningJob> {
  constructor(private readonly application: Application) {}

  execute({ caller, input: id }: GetFineTuningJob): Promise<TrainingJobDocument> {
    return requireJob(this.application, caller, id);
  }
}

export class ListFineTuningJobs extends CallerQuery<FineTuningListQuery, FineTuningJobList> {}

@QueryHandler(ListFineTuningJobs)
export class ListFineTuningJobsHandler implements IQueryHandler<ListFineTuningJobs> {
  constructor(private readonly application: Application) {}

  /** Newest first. */
  async execute({ caller, input: { after, limit } }: ListFineTuningJobs): Promise<FineTuningJobList> {
    const last = after === undefined ? null : await requireJob(this.application, caller, after);
    const { readStore } = this.application.ports;
    const found = await trainingJobsAfter(readStore, caller.workspaceId, last, limit + 1);
    const data = found.slice(0, limit).map((job) => fineTuningRecord(job, caller.teamId));
    return { object: 'list', data, has_more: found.length > limit };
  }
}

class PageOfJob<Result> extends Query<Result> {
  constructor(
    readonly caller: Caller,
    readonly id: string,
    readonly page: FineTuningListQuery,
  ) {
    super();
  }
}

export class ListFineTuningEvents extends PageOfJob<FineTuningEventList> {}

@QueryHandler(ListFineTuningEvents)
export class ListFineTuningEventsHandler implements IQueryHandler<ListFineTuningEvents> {
  constructor(private readonly application: Application) {}

  /** Log lines, newest first. */
  async execute({ caller, id, page: { after, limit } }: ListFineTuningEvents): Promise<FineTuningEventList> {
    const job = await requireJob(this.application, caller, id);
    const { eventStore } = this.application.ports;
    const last = after === undefined ? null : lineOf(job.id, after);
    if (after !== undefined && last === null) throw new NotFoundError('event', after);
    const { total } = await readJobLog(eventStore, job.id, Number.MAX_SAFE_INTEGER, 1);
    const end = Math.min(total, last === null ? total : last - 1);
    const start = Math.max(0, end - limit);
    const { lines } = await readJobLog(eventStore, job.id, start, end - start);
    const data = lines.map((line) => eventRecord(job.id, line as unknown as Parameters<typeof eventRecord>[1]));
    return { object: 'list', data: data.toReversed(), has_more: start > 0 };
  }
}

export class ListFineTuningCheckpoints extends PageOfJob<FineTuningCheckpointList> {}

@QueryHandler(ListFineTuningCheckpoints)
export class ListFineTuningCheckpointsHandler implements IQueryHandler<ListFineTuningCheckpoints> {
  constructor(private readonly application: Application) {}

  /** Newest first. */
  async execute({ caller, id, page: { after, limit } }: ListFineTuningCheckpoints): Promise<FineTuningCheckpointList> {
    const job = await requireJob(this.application, caller, id);
    const newest = (await checkpointsOf(this.application.ports.readStore, job.id)).toReversed();
    const last = after === undefined ? -1 : newest.findIndex((each) => CHECKPOINT_ID.write(each.id) === after);
    if (after !== undefined && last === -1) throw new NotFoundError('checkpoint', after);
    const end = last + 1 + limit;
    return listPage(newest.slice(last + 1, end).map(checkpointRecord), newest.length > end);
  }
}
