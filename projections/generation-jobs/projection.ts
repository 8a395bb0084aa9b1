import type { DatasetEvent } from '#domain/dataset/index.js';
import {
  jobOfRows,
  requestedGenerationJob,
  withoutTexts,
  type GeneratedRows,
  type GenerationJob,
  type GenerationJobEvent,
  type GenerationJobRequest,
} from '#domain/generation-job/index.js';
import type { Projection } from '#log/projector/projection.js';

/** The present state of a generation job; its rows are an object, referenced here. */
export type GenerationJobDocument = GenerationJobRequest & {
  readonly id: string;
  readonly status: GenerationJob['status'];
  readonly attempt: number;
  readonly made: (GeneratedRows & { readonly madeAt: string }) | null;
  readonly versionNumber: number | null;
  readonly error: string | null;
  /** When its texts and rows were erased. */
  readonly erasedAt: string | null;
  readonly createdAt: string;
};

type Purged = Extract<DatasetEvent, { readonly type: 'dataset-version-purged.v1' }>;

export const generationJobs: Projection<GenerationJobDocument, GenerationJobEvent | Purged> = {
  name: 'generation-jobs',
  version: 3,
  erases: ['dataset-version-purged.v1', 'generation-job-erased.v1'],
  indexes: [{ fields: ['workspaceId', 'createdAt'] }, { fields: ['workspaceId', 'status'] }],
  key: ({ data }) => ('jobId' in data ? data.jobId : (data.objects?.map(jobOfRows).find((id) => id !== null) ?? null)),
  on: {
    'generation-job-requested.v1': (_, { data }) => generationJobDocument(requestedGenerationJob(data)),
    'generation-job-attempt-started.v1': (job, { data: { attempt } }) =>
      job && { ...job, status: 'generating', attempt },
    'generation-job-attempt-interrupted.v1': (job, { data }) => job && { ...job, attempt: data.attempt - 1 },
    'generation-job-rows-made.v1': (job, { data: { jobId: _, attempt: __, ...made } }) => job && { ...job, made },
    'generation-job-version-assigned.v1': (job, { data: { versionNumber } }) => job && { ...job, versionNumber },
    'generation-job-completed.v1': (job) => job && { ...job, status: 'ready' },
    'generation-job-failed.v1': (job, { data }) => job && { ...job, status: 'failed', error: data.reason },
    'generation-job-erased.v1': (job, { data: { erasedAt } }) => job && { ...erased(job), erasedAt },
    'dataset-version-purged.v1': (job) => job && erased(job),
  },
};

const erased = (job: GenerationJobDocument): GenerationJobDocument => ({
  ...job,
  rows: withoutTexts(job.rows),
  error: job.error && 'erased',
});

/** The document of a job in this state. */
export function generationJobDocument(job: GenerationJob): GenerationJobDocument {
  const { request, status, attempt, made, version, error, erasedAt, requestedAt } = job;
  return {
    ...request,
    id: request.jobId,
    ...{ status, attempt, made, error, erasedAt },
    versionNumber: version?.versionNumber ?? null,
    createdAt: requestedAt,
  };
}
