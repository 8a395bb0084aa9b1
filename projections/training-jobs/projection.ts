import type { StoredFolder, TrainingJobEvent, TrainingMetrics, TrainingRequest } from '#domain/training-job/index.js';
import type { Projection } from '#projector/projection.js';

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
  /** When it ended, however it ended. */
  readonly completedAt: string | null;
};

export const trainingJobs: Projection<TrainingJobDocument> = {
  name: 'training-jobs',
  version: 1,
  handles: [
    'training-job-requested.v1',
    'training-attempt-claimed.v1',
    'training-attempt-lost.v1',
    'training-epoch-completed.v1',
    'training-job-completed.v1',
    'training-job-failed.v1',
    'training-job-cancelled.v1',
    'training-job-deployed.v1',
    'training-job-deleted.v1',
  ],
  indexes: [
    { fields: ['workspaceId', 'createdAt'] },
    { fields: ['workspaceId', 'status', 'createdAt'] },
    { fields: ['workspaceId', 'projectId', 'createdAt'] },
    { fields: ['workspaceId', 'projectId', 'status', 'createdAt'] },
  ],
  key: (event) => (event as unknown as TrainingJobEvent).data.jobId,
  apply: (job, recorded) => {
    const event = recorded as unknown as TrainingJobEvent;
    if (event.type === 'training-job-requested.v1') return requestedJob(event.data);
    if (event.type === 'training-job-deleted.v1') return null;
    return job && advance(job, event);
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

function advance(job: TrainingJobDocument, event: TrainingJobEvent): TrainingJobDocument {
  switch (event.type) {
    case 'training-attempt-claimed.v1': {
      const { claimedAt } = event.data;
      return { ...job, status: 'running', startedAt: job.startedAt ?? claimedAt, updatedAt: claimedAt };
    }
    case 'training-attempt-lost.v1':
      return { ...job, attempt: event.data.attempt + 1, updatedAt: event.data.lostAt };
    case 'training-epoch-completed.v1': {
      const { epoch, step, completedAt } = event.data;
      return { ...job, currentEpoch: epoch, currentStep: step, updatedAt: completedAt };
    }
    case 'training-job-completed.v1': {
      const { metrics, artifact, completedAt } = event.data;
      return { ...job, status: 'complete', metrics, artifact, completedAt, updatedAt: completedAt };
    }
    case 'training-job-failed.v1': {
      const { reason, failedAt } = event.data;
      return { ...job, status: 'failed', errorMessage: reason, completedAt: failedAt, updatedAt: failedAt };
    }
    case 'training-job-cancelled.v1': {
      const { cancelledAt } = event.data;
      return { ...job, status: 'cancelled', completedAt: cancelledAt, updatedAt: cancelledAt };
    }
    case 'training-job-deployed.v1':
      return { ...job, status: 'deployed', updatedAt: event.data.deployedAt };
    default:
      return job;
  }
}
