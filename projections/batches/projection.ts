import type { BatchEnd, BatchEvent, BatchRequest } from '#domain/batch/index.js';
import type { Projection } from '#log/projector/projection.js';

/** The present state of a batch. `id` is the batch's id. */
export type BatchDocument = Omit<BatchRequest, 'batchId'> & {
  readonly id: string;
  readonly isOpen: boolean;
  readonly createdAt: string;
  readonly cancelRequestedAt: string | null;
  readonly end: (BatchEnd & { readonly endedAt: string }) | null;
};

export const batches: Projection<BatchDocument, BatchEvent> = {
  name: 'batches',
  version: 1,
  indexes: [{ fields: ['workspaceId', 'createdAt'] }, { fields: ['workspaceId', 'isOpen'] }],
  key: ({ data }) => data.batchId,
  on: {
    'batch-requested.v1': (_, { data }) => requestedBatch(data),
    'batch-cancel-requested.v1': (batch, { data }) => batch && { ...batch, cancelRequestedAt: data.requestedAt },
    'batch-ended.v1': (batch, { data: { batchId: _, ...end } }) => batch && { ...batch, isOpen: false, end },
  },
};

/** A batch right after its request. */
export const requestedBatch = ({
  batchId: id,
  requestedAt: createdAt,
  ...request
}: BatchRequest & { readonly requestedAt: string }): BatchDocument => ({
  ...request,
  ...{ id, isOpen: true, createdAt, cancelRequestedAt: null, end: null },
});
