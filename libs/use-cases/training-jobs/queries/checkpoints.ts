import { QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { Application } from '#application/application.js';
import { ConflictError, NotFoundError } from '#domain/errors.js';
import type { TrainingCheckpointDocument } from '#projections/training-checkpoints/projection.js';
import { checkpointsOf } from '#projections/training-checkpoints/queries.js';
import { CallerQuery } from '../../commands-and-queries.js';
import { finishedJob } from '../finished-job.js';
import { requireJobOnLog } from '../require-job.js';

/** The checkpoint whose weights the finished model has: the last one that was the best when it was saved. */
export const servedOf = (checkpoints: readonly TrainingCheckpointDocument[]): TrainingCheckpointDocument | null =>
  checkpoints.findLast(({ isBest }) => isBest) ?? null;

/** Checkpoints of a job, in the order of their steps. */
export class GetTrainingCheckpoints extends CallerQuery<string, readonly TrainingCheckpointDocument[]> {}

@QueryHandler(GetTrainingCheckpoints)
export class GetTrainingCheckpointsHandler implements IQueryHandler<GetTrainingCheckpoints> {
  constructor(private readonly application: Application) {}

  async execute({ caller, input: jobId }: GetTrainingCheckpoints): Promise<readonly TrainingCheckpointDocument[]> {
    await requireJobOnLog(this.application, caller.workspaceId, jobId);
    return checkpointsOf(this.application.ports.readStore, jobId);
  }
}

interface NamedCheckpoint {
  readonly jobId: string;
  readonly checkpointId: string;
}

/** A checkpoint of a finished job, whose weights calls of the job are answered with. */
export class GetServedCheckpoint extends CallerQuery<NamedCheckpoint, TrainingCheckpointDocument> {}

@QueryHandler(GetServedCheckpoint)
export class GetServedCheckpointHandler implements IQueryHandler<GetServedCheckpoint> {
  constructor(private readonly application: Application) {}

  /** @throws NotFoundError; ConflictError for a job that has not finished, and for a checkpoint with other weights */
  async execute({ caller, input }: GetServedCheckpoint): Promise<TrainingCheckpointDocument> {
    const { jobId, checkpointId } = input;
    await requireJobOnLog(this.application, caller.workspaceId, jobId);
    const checkpoints = await checkpointsOf(this.application.ports.readStore, jobId);
    const asked = checkpoints.find(({ id }) => id === checkpointId);
    if (!asked) throw new NotFoundError('checkpoint', checkpointId);
    await finishedJob(this.application, caller, jobId, 'deployed');
    const served = servedOf(checkpoints);
    if (asked.id === served?.id) return asked;
    throw new ConflictError(
      `checkpoint ${checkpointId} is not the best one of its job, and calls of a job are answered with the best: ` +
        `deploy ${served?.id ?? 'another'}, or name this one as base_model of a new job`,
    );
  }
}
