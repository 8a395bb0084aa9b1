import type { Opened } from '../inference/index.js';
import { withoutTexts } from './rows.js';
import type { GeneratedRows, GenerationJobEvent, GenerationJobRequest } from './events.js';

export const GENERATION_STATUSES = ['queued', 'generating', 'ready', 'failed'] as const;
export type GenerationStatus = (typeof GENERATION_STATUSES)[number];

export type GenerationJobState =
  | { readonly status: 'none' }
  | {
      readonly status: GenerationStatus;
      readonly request: GenerationJobRequest;
      readonly requestedAt: string;
      /** Attempts begun, less those returned. */
      readonly attempt: number;
      /** Name of the worker that has the attempt; null if none. */
      readonly worker: string | null;
      /** Attempts followed by another of the same worker: only they had failed. */
      readonly lostInVain: number;
      readonly made: (GeneratedRows & { readonly madeAt: string }) | null;
      readonly version: { readonly versionId: string; readonly versionNumber: number } | null;
      readonly error: string | null;
      /** Of what the log has encrypted of it. */
      readonly keys: readonly string[];
      /** When its texts and rows were erased; null: they were not. */
      readonly erasedAt: string | null;
    };

export type GenerationJob = Exclude<GenerationJobState, { status: 'none' }>;

/** What is left of a job's contents once they are erased. */
const withoutContents = ({ request, error }: Pick<GenerationJob, 'request' | 'error'>) => ({
  request: { ...request, rows: withoutTexts(request.rows) },
  error: error && 'erased',
});

/** A job right after its request. */
export function requestedGenerationJob({
  requestedAt,
  contentKey,
  erased: _,
  ...request
}: GenerationJobRequest & { readonly requestedAt: string } & Opened): GenerationJob {
  return {
    status: 'queued',
    request,
    requestedAt,
    attempt: 0,
    worker: null,
    lostInVain: 0,
    made: null,
    version: null,
    error: null,
    keys: contentKey === undefined ? [] : [contentKey],
    erasedAt: null,
  };
}

export function evolve(state: GenerationJobState, event: GenerationJobEvent): GenerationJobState {
  if (event.type === 'generation-job-requested.v1') return requestedGenerationJob(event.data);
  if (state.status === 'none') return state;
  switch (event.type) {
    case 'generation-job-attempt-started.v1':
      return {
        ...state,
        status: 'generating',
        attempt: event.data.attempt,
        worker: event.data.worker,
        lostInVain: state.lostInVain + (state.worker === event.data.worker ? 1 : 0),
      };
    case 'generation-job-attempt-interrupted.v1':
      return { ...state, attempt: event.data.attempt - 1, worker: null };
    case 'generation-job-rows-made.v1': {
      const { jobId: _, attempt: __, ...made } = event.data;
      return { ...state, made };
    }
    case 'generation-job-version-assigned.v1': {
      const { versionId, versionNumber } = event.data;
      return { ...state, version: { versionId, versionNumber } };
    }
    case 'generation-job-completed.v1':
      return { ...state, status: 'ready' };
    case 'generation-job-failed.v1': {
      const { reason, contentKey } = event.data;
      return { ...state, status: 'failed', error: reason, keys: [...state.keys, ...(contentKey ? [contentKey] : [])] };
    }
    case 'generation-job-erased.v1':
      return { ...state, ...withoutContents(state), erasedAt: event.data.erasedAt };
  }
}
