import type { BatchEnd, BatchEvent, BatchRequest } from './events.js';

export type BatchState = { readonly status: 'none' } | Batch;

export interface Batch {
  readonly status: 'in_progress' | 'cancelling' | 'ended';
  readonly request: BatchRequest;
  readonly requestedAt: string;
  readonly cancelRequestedAt: string | null;
  readonly end: (BatchEnd & { readonly endedAt: string }) | null;
}

export function evolve(state: BatchState, event: BatchEvent): BatchState {
  if (event.type === 'batch-requested.v1') {
    const { requestedAt, ...request } = event.data;
    return { status: 'in_progress', request, requestedAt, cancelRequestedAt: null, end: null };
  }
  if (state.status === 'none') return state;
  switch (event.type) {
    case 'batch-cancel-requested.v1':
      return { ...state, status: 'cancelling', cancelRequestedAt: event.data.requestedAt };
    case 'batch-ended.v1': {
      const { batchId: _, ...end } = event.data;
      return { ...state, status: 'ended', end };
    }
  }
}
