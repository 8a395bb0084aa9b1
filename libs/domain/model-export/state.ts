import { isInVain } from '../training-job/index.js';
import type { ModelExportEvent, ModelExportRequest, StoredExport } from './events.js';

export const EXPORT_STATUSES = [
  'queued',
  'running',
  'complete',
  'failed',
] as const satisfies readonly ModelExportState['status'][];

export type ModelExportState =
  | { readonly status: 'none' }
  | (ModelExport & { readonly status: 'queued' | 'running' })
  | (ModelExport & { readonly status: 'complete'; readonly archive: StoredExport; readonly completedAt: string })
  | (ModelExport & { readonly status: 'failed'; readonly reason: string; readonly failedAt: string });

interface ModelExport {
  readonly request: ModelExportRequest;
  /** Time of the last request. */
  readonly requestedAt: string;
  /** Number of requests. */
  readonly requests: number;
  /** The attempt that may be claimed, or that is claimed; from 1. */
  readonly attempt: number;
  readonly runnerId: string | null;
  /** Attempts lost since the last request: all, and those lost to their own process. */
  readonly lost: number;
  readonly lostInVain: number;
}

export function evolve(state: ModelExportState, event: ModelExportEvent): ModelExportState {
  if (event.type === 'model-export-requested.v1') {
    const { requestedAt, attempt, ...request } = event.data;
    const requests = state.status === 'none' ? 1 : state.requests + 1;
    const attempts = { attempt, runnerId: null, lost: 0, lostInVain: 0 };
    return { status: 'queued', request, requestedAt, requests, ...attempts };
  }
  if (state.status === 'none') return state;
  switch (event.type) {
    case 'model-export-attempt-claimed.v1':
      return { ...state, status: 'running', runnerId: event.data.runnerId };
    case 'model-export-attempt-lost.v1':
      return {
        ...state,
        status: 'queued',
        attempt: state.attempt + 1,
        runnerId: null,
        lost: state.lost + 1,
        lostInVain: state.lostInVain + (isInVain(event.data) ? 1 : 0),
      };
    case 'model-export-completed.v1':
      return { ...state, status: 'complete', archive: event.data.archive, completedAt: event.data.completedAt };
    case 'model-export-failed.v1':
      return { ...state, status: 'failed', reason: event.data.reason, failedAt: event.data.failedAt };
  }
}
