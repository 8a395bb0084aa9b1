import { QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { Application } from '#application/application.js';
import type { Caller } from '#application/caller.js';
import { NotFoundError } from '#domain/errors.js';
import type { TrainingCheckpointDocument } from '#projections/training-checkpoints/projection.js';
import { checkpointsOf } from '#projections/training-checkpoints/queries.js';
import type { TrainingJobDocument } from '#projections/training-jobs/projection.js';
import { trainingJobDocuments, trainingJobsAfter } from '#projections/training-jobs/queries.js';
import { CHECKPOINT_ID, FINE_TUNING_JOB_ID } from '../files/ids.js';
import type { Entries, EntriesAfter } from '../files/list.js';
import { CallerQuery } from '../commands-and-queries.js';
import { readJobLog, type NumberedLine } from '../training-jobs/job-log.js';
import { jobOnLog } from '../training-jobs/require-job.js';
import { lineOf } from './event-ids.js';

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

/** Newest first. */
export class ListFineTuningJobs extends CallerQuery<EntriesAfter, Entries<TrainingJobDocument>> {}

@QueryHandler(ListFineTuningJobs)
export class ListFineTuningJobsHandler implements IQueryHandler<ListFineTuningJobs> {
  constructor(private readonly application: Application) {}

  async execute({ caller, input: { after, limit } }: ListFineTuningJobs): Promise<Entries<TrainingJobDocument>> {
    const last = after === undefined ? null : await requireJob(this.application, caller, after);
    const { readStore } = this.application.ports;
    const found = await trainingJobsAfter(readStore, caller.workspaceId, last, limit + 1);
    return { entries: found.slice(0, limit), hasMore: found.length > limit };
  }
}

interface EntriesOfJob extends EntriesAfter {
  /** The job's. */
  readonly id: string;
}

interface FineTuningEvents extends Entries<NumberedLine> {
  readonly jobId: string;
}

/** Log lines, newest first. */
export class ListFineTuningEvents extends CallerQuery<EntriesOfJob, FineTuningEvents> {}

@QueryHandler(ListFineTuningEvents)
export class ListFineTuningEventsHandler implements IQueryHandler<ListFineTuningEvents> {
  constructor(private readonly application: Application) {}

  async execute({ caller, input: { id, after, limit } }: ListFineTuningEvents): Promise<FineTuningEvents> {
    const jobId = FINE_TUNING_JOB_ID.read(id);
    if (!(await jobOnLog(this.application, caller.workspaceId, jobId))) throw new NotFoundError('fine-tuning job', id);
    const { eventStore } = this.application.ports;
    const last = after === undefined ? null : lineOf(jobId, after);
    if (after !== undefined && last === null) throw new NotFoundError('event', after);
    const { total } = await readJobLog(eventStore, jobId, Number.MAX_SAFE_INTEGER, 1);
    const end = Math.min(total, last === null ? total : last - 1);
    const start = Math.max(0, end - limit);
    const { lines } = await readJobLog(eventStore, jobId, start, end - start);
    return { jobId, entries: lines.toReversed(), hasMore: start > 0 };
  }
}

/** Newest first. */
export class ListFineTuningCheckpoints extends CallerQuery<EntriesOfJob, Entries<TrainingCheckpointDocument>> {}

@QueryHandler(ListFineTuningCheckpoints)
export class ListFineTuningCheckpointsHandler implements IQueryHandler<ListFineTuningCheckpoints> {
  constructor(private readonly application: Application) {}

  async execute({ caller, input }: ListFineTuningCheckpoints): Promise<Entries<TrainingCheckpointDocument>> {
    const { id, after, limit } = input;
    const job = await requireJob(this.application, caller, id);
    const newest = (await checkpointsOf(this.application.ports.readStore, job.id)).toReversed();
    const last = after === undefined ? -1 : newest.findIndex((each) => CHECKPOINT_ID.write(each.id) === after);
    if (after !== undefined && last === -1) throw new NotFoundError('checkpoint', after);
    const end = last + 1 + limit;
    return { entries: newest.slice(last + 1, end), hasMore: newest.length > end };
  }
}
