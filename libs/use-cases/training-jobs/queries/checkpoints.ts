import { QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { Application } from '#application/application.js';
import type { TrainingCheckpointDocument } from '#projections/training-checkpoints/projection.js';
import { checkpointsOf } from '#projections/training-checkpoints/queries.js';
import { CallerQuery } from '../../commands-and-queries.js';
import { requireJob } from '../require-job.js';

/** Checkpoints of a job, in the order of their steps. */
export class GetTrainingCheckpoints extends CallerQuery<string, readonly TrainingCheckpointDocument[]> {}

@QueryHandler(GetTrainingCheckpoints)
export class GetTrainingCheckpointsHandler implements IQueryHandler<GetTrainingCheckpoints> {
  constructor(private readonly application: Application) {}

  async execute({ caller, input: jobId }: GetTrainingCheckpoints): Promise<readonly TrainingCheckpointDocument[]> {
    await requireJob(this.application, caller, jobId);
    return checkpointsOf(this.application.ports.readStore, jobId);
  }
}
