import {
  generationJobDecider,
  type GenerationJob,
  type GenerationJobEvent,
  type GenerationJobRequest,
} from '#domain/generation-job/index.js';
import type { GeneratedRows } from '#domain/generation-job/index.js';
import type { Projection } from '#projector/projection.js';

/** A generation job as it stands; its rows are an object, named here. */
export type GenerationJobDocument = GenerationJobRequest & {
  readonly id: string;
  readonly status: GenerationJob['status'];
  readonly attempt: number;
  readonly made: (GeneratedRows & { readonly madeAt: string }) | null;
  readonly versionNumber: number | null;
  readonly error: string | null;
  readonly createdAt: string;
};

export const generationJobs: Projection<GenerationJobDocument> = {
  name: 'generation-jobs',
  version: 1,
  handles: [
    'generation-job-requested.v1',
    'generation-job-attempt-started.v1',
    'generation-job-attempt-interrupted.v1',
    'generation-job-rows-made.v1',
    'generation-job-version-assigned.v1',
    'generation-job-completed.v1',
    'generation-job-failed.v1',
  ],
  indexes: [{ fields: ['workspaceId', 'createdAt'] }, { fields: ['workspaceId', 'status'] }],
  key: (event) => (event as unknown as GenerationJobEvent).data.jobId,
  apply: (job, recorded) => {
    const event = recorded as unknown as GenerationJobEvent;
    if (event.type === 'generation-job-requested.v1') {
      const state = generationJobDecider.evolve({ status: 'none' }, event);
      return generationJobDocument(state as GenerationJob);
    }
    return job && advance(job, event);
  },
};

/** The document of a job in this state. */
export function generationJobDocument(job: GenerationJob): GenerationJobDocument {
  const { request, status, attempt, made, version, error, requestedAt } = job;
  return {
    ...request,
    id: request.jobId,
    ...{ status, attempt, made, error },
    versionNumber: version?.versionNumber ?? null,
    createdAt: requestedAt,
  };
}

function advance(job: GenerationJobDocument, event: GenerationJobEvent): GenerationJobDocument {
  switch (event.type) {
    case 'generation-job-attempt-started.v1':
      return { ...job, status: 'generating', attempt: event.data.attempt };
    case 'generation-job-attempt-interrupted.v1':
      return { ...job, attempt: event.data.attempt - 1 };
    case 'generation-job-rows-made.v1': {
      const { jobId: _, attempt: __, ...made } = event.data;
      return { ...job, made };
    }
    case 'generation-job-version-assigned.v1':
      return { ...job, versionNumber: event.data.versionNumber };
    case 'generation-job-completed.v1':
      return { ...job, status: 'ready' };
    case 'generation-job-failed.v1':
      return { ...job, status: 'failed', error: event.data.reason };
    case 'generation-job-requested.v1':
      return job;
  }
}
