import type { Application } from '#application/application.js';
import type { Caller } from '#application/caller.js';
import { ConflictError, NotFoundError } from '#domain/errors.js';
import { trainingJobDecider, type FinishedJob } from '#domain/training-job/index.js';

/**
 * Reads a finished job from the log itself, where the artifact exists as soon as its event is stored.
 * @param done to its weights, for the message
 * @throws NotFoundError, ConflictError when it has not finished
 */
export async function finishedJob(
  application: Application,
  { workspaceId }: Caller,
  jobId: string,
  done: 'downloaded' | 'exported' | 'deployed',
): Promise<FinishedJob> {
  const job = await application.load(trainingJobDecider, jobId);
  if (job.status === 'none' || job.status === 'deleted' || job.request.workspaceId !== workspaceId)
    throw new NotFoundError('training job', jobId);
  if (job.status !== 'complete' && job.status !== 'deployed')
    throw new ConflictError(`training job ${jobId} is ${job.status}; its weights can be ${done} once it is complete`);
  return job;
}
