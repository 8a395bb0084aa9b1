import type { Application } from '#application/application.js';
import type { Caller } from '#application/caller.js';
import { ConflictError } from '#domain/errors.js';
import type { FinishedJob } from '#domain/training-job/index.js';
import { requireJobOnLog } from './require-job.js';

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
  const job = await requireJobOnLog(application, workspaceId, jobId);
  if (job.status !== 'complete' && job.status !== 'deployed')
    throw new ConflictError(`training job ${jobId} is ${job.status}; its weights can be ${done} once it is complete`);
  return job;
}
