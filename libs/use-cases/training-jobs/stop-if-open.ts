import type { Application } from '#application/application.js';
import type { Caller, RequestIdentity } from '#application/caller.js';
import { ConflictError, NotFoundError } from '#domain/errors.js';
import { trainingJobDecider } from '#domain/training-job/index.js';
import type { UseCases } from '../use-cases.js';
import { StopTrainingJob } from './commands/stop.js';

/** Stops the job of work that is cancelled, unless it has ended. @param jobId null: there is none yet */
export async function stopIfOpen(
  application: Application,
  useCases: UseCases,
  { caller, identity }: { readonly caller: Caller; readonly identity: RequestIdentity },
  jobId: string | null,
): Promise<void> {
  if (jobId === null) return;
  const { status } = await application.load(trainingJobDecider, jobId);
  if (status !== 'requested' && status !== 'running') return;
  await useCases.execute(new StopTrainingJob(caller, identity, jobId)).catch(whereOver);
}

/** Ignores work that has ended meanwhile. */
export function whereOver(error: unknown): void {
  if (!(error instanceof ConflictError || error instanceof NotFoundError)) throw error;
}
