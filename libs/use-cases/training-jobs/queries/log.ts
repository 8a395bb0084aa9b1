import { QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { Application } from '#application/application.js';
import { CallerQuery } from '../../commands-and-queries.js';
import { readJobLog, type JobLogPage } from '../job-log.js';
import { requireJobOnLog } from '../require-job.js';

interface LinesAsked {
  readonly jobId: string;
  /** Number of the line before the first; absent: from the start. */
  readonly after?: number;
  readonly limit: number;
}

interface TrainingLog extends JobLogPage {
  /** When the lines were erased, ISO 8601; undefined while they are stored. */
  readonly erasedAt: string | undefined;
}

export class GetTrainingLogs extends CallerQuery<LinesAsked, TrainingLog> {}

@QueryHandler(GetTrainingLogs)
export class GetTrainingLogsHandler implements IQueryHandler<GetTrainingLogs> {
  constructor(private readonly application: Application) {}

  async execute({ caller, input: { jobId, after = 0, limit } }: GetTrainingLogs): Promise<TrainingLog> {
    const { logErasedAt } = await requireJobOnLog(this.application, caller.workspaceId, jobId);
    const page = await readJobLog(this.application.ports.eventStore, jobId, after, limit);
    return { ...page, erasedAt: page.total === 0 ? logErasedAt : undefined };
  }
}
