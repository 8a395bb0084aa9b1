import type { Application } from '#application/application.js';
import type { Caller } from '#application/caller.js';
import { NotFoundError } from '#domain/errors.js';
import { trainingJobDecider, type TrainingJobState } from '#domain/training-job/index.js';
import type { TrainingJobDocument } from '#projections/training-jobs/projection.js';
import { trainingJobDocuments } from '#projections/training-jobs/queries.js';

/** What is shown of a job. @throws NotFoundError unknown, deleted, or of another workspace */
export async function requireJob({ ports }: Application, caller: Caller, jobId: string): Promise<TrainingJobDocument> {
  const job = await trainingJobDocuments.get(ports.readStore, jobId);
  if (job?.workspaceId !== caller.workspaceId) throw new NotFoundError('training job', jobId);
  return job;
}

type KnownJob = Exclude<TrainingJobState, { readonly status: 'none' | 'deleted' }>;

/** A job by which something is decided, from the log itself; null: unknown, deleted, or of another workspace. */
export async function jobOnLog(application: Application, workspaceId: string, jobId: string): Promise<KnownJob | null> {
  const job = await application.load(trainingJobDecider, jobId);
  const isThere = job.status !== 'none' && job.status !== 'deleted' && job.request.workspaceId === workspaceId;
  return isThere ? job : null;
}

/** As `jobOnLog`. @throws NotFoundError as `requireJob` */
export async function requireJobOnLog(application: Application, workspaceId: string, jobId: string): Promise<KnownJob> {
  const job = await jobOnLog(application, workspaceId, jobId);
  if (!job) throw new NotFoundError('training job', jobId);
  return job;
}
