import type {
  Losses,
  StoredFolder,
  TrainingJobEvent,
  TrainingMetrics,
  TrainingRequest,
} from '#domain/training-job/index.js';
import type { Projection } from '#log/projector/projection.js';

export const TRAINING_JOB_STATUSES = ['requested', 'running', 'complete', 'deployed', 'failed', 'cancelled'] as const;
export type TrainingJobStatus = (typeof TRAINING_JOB_STATUSES)[number];

/** The present state of a training job. `id` is the job's id. */
export type TrainingJobDocument = Omit<TrainingRequest, 'jobId'> & {
  readonly id: string;
  readonly status: TrainingJobStatus;
  /** The attempt that may be claimed, or that is claimed; from 1. */
  readonly attempt: number;
  readonly currentEpoch: number;
  readonly currentStep: number;
  readonly learningCurve: readonly EpochPoint[];
  /** null before completion. */
  readonly metrics: TrainingMetrics | null;
  /** The finished adapter, null before completion. */
  readonly artifact: StoredFolder | null;
  readonly errorMessage: string | null;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly startedAt: string | null;
  /** When the job ended, with any outcome. */
  readonly completedAt: string | null;
};

/** A finished epoch. */
export type EpochPoint = Losses & { readonly epoch: number; readonly step: number };

export const trainingJobs: Projection<TrainingJobDocument, TrainingJobEvent> = {
  name: 'training-jobs',
  version: 2,
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
    'training-epoch-completed.v1': (job, { data }) => {
      if (!job) return job;
      const { jobId: _, attempt: _attempt, completedAt, ...point } = data;
      const { epoch, step } = point;
      const learningCurve = [...job.learningCurve, point];
      return { ...job, currentEpoch: epoch, currentStep: step, learningCurve, updatedAt: completedAt };
    },
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

/** A job right after its request. */
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
    learningCurve: [],
    metrics: null,
    artifact: null,
    errorMessage: null,
    createdAt: requestedAt,
    updatedAt: requestedAt,
    startedAt: null,
    completedAt: null,
  };
}
