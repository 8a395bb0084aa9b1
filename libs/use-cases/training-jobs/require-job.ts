import type { Application } from '#application/application.js';
import type { Caller } from '#application/caller.js';
import { NotFoundError } from '#domain/errors.js';
import type { TrainingJobDocument } from '#projections/training-jobs/projection.js';
import { trainingJobDocuments } from '#projections/training-jobs/queries.js';

/** @throws NotFoundError unknown, deleted, or of another workspace */
export async function requireJob({ ports }: Application, caller: Caller, jobId: string): Promise<TrainingJobDocument> {
  const job = await trainingJobDocuments.get(ports.readStore, jobId);
  if (job?.workspaceId !== caller.workspaceId) throw new NotFoundError('training job', jobId);
  return job;
}
