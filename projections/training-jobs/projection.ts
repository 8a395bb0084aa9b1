import type { StoredFolder, TrainingJobEvent, TrainingMetrics, TrainingRequest } from '#domain/training-job/index.js';
import type { Projection } from '#log/projector/projection.js';

export type TrainingJobStatus = 'requested' | 'running' | 'complete' | 'deployed' | 'failed' | 'cancelled';

/** A training job as it stands. `id` is the job's id. */
export type TrainingJobDocument = Omit<TrainingRequest, 'jobId'> & {
  readonly id: string;
  readonly status: TrainingJobStatus;
  /** The attempt that may be claimed, or that is claimed; from 1. */
  readonly attempt: number;
  readonly currentEpoch: number;
  readonly currentStep: number;
  /** null before completion. */
  readonly metrics: TrainingMetrics | null;
  /** The finished adapter, null before completion. */
  readonly artifact: StoredFolder | null;
  readonly errorMessage: string | null;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly startedAt: string | null;
  /** When the job ended, whatever its outcome. */
  readonly completedAt: string | null;
};

export const trainingJobs: Projection<TrainingJobDocument, TrainingJobEvent> = {
  name: 'training-jobs',
  version: 1,
  indexes: [
    { fields: ['workspaceId', 'createdAt'] },
    { fields: ['workspaceId', 'status', 'createdAt'] },
    { fields: ['workspaceId', 'projectId', 'createdAt'] },
    { fields: ['workspaceId', 'projectId', 'status', 'createdAt'] },
  ],
  key: ({ data }) => data.jobId,
  on: {
    'training-job-requested.v1': (_, { data }) => requestedJob(data),
    'training-attempt-claimed.v1': (job, { data: { claimedAt } }) =>
      job && { ...job, status: 'running', startedAt: job.startedAt ?? claimedAt, updatedAt: claimedAt },
    'training-attempt-lost.v2': (job, { data: { attempt, lostAt } }) =>
      job && { ...job, attempt: attempt + 1, updatedAt: lostAt },
    'training-epoch-completed.v1': (job, { data: { epoch, step, completedAt } }) =>
      job && { ...job, currentEpoch: epoch, currentStep: step, updatedAt: completedAt },
    'training-job-completed.v1': (job, { data: { metrics, artifact, completedAt } }) =>
      job && { ...job, status: 'complete', metrics, artifact, completedAt, updatedAt: completedAt },
    'training-job-failed.v1': (job, { data: { reason, failedAt } }) =>
      job && { ...job, status: 'failed', errorMessage: reason, completedAt: failedAt, updatedAt: failedAt },
    'training-job-cancelled.v1': (job, { data: { cancelledAt } }) =>
      job && { ...job, status: 'cancelled', completedAt: cancelledAt, updatedAt: cancelledAt },
    'training-job-deployed.v1': (job, { data: { deployedAt } }) =>
      job && { ...job, status: 'deployed', updatedAt: deployedAt },
    'training-job-deleted.v1': () => null,
  },
};

/** A job as it is when it has just been asked for. */
export function requestedJob({
  jobId,
  requestedAt,
  ...request
}: TrainingRequest & { requestedAt: string }): TrainingJobDocument {
  return {
    ...request,
    id: jobId,
    status: 'requested',
    attempt: 1,
    currentEpoch: 0,
    currentStep: 0,
    metrics: null,
    artifact: null,
    errorMessage: null,
    createdAt: requestedAt,
    updatedAt: requestedAt,
    startedAt: null,
    completedAt: null,
  };
}
