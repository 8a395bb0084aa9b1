import { evolveOne, type Distillation, type DistillationEvent } from '#domain/distillation/index.js';
import type { Projection } from '#log/projector/projection.js';

/** The present state of a distillation. `id` is its own; `name` and `workspaceId` are those of its model. */
export type DistillationDocument = Distillation & {
  readonly id: string;
  readonly workspaceId: string;
  readonly name: string;
  readonly createdAt: string;
};

const after = (document: DistillationDocument | null, event: DistillationEvent): DistillationDocument | null => {
  const distillation = evolveOne(document, event);
  if (!distillation) return null;
  const { distillationId: id, workspaceId, name } = distillation.request;
  return { ...distillation, id, workspaceId, name, createdAt: distillation.requestedAt };
};

export const distillations: Projection<DistillationDocument, DistillationEvent> = {
  name: 'distillations',
  version: 1,
  indexes: [{ fields: ['workspaceId', 'createdAt'] }, { fields: ['workspaceId', 'name', 'createdAt'] }],
  key: ({ data }) => data.distillationId,
  on: {
    'distillation-requested.v1': after,
    'distillation-labelling-started.v1': after,
    'distillation-labelled.v1': after,
    'distillation-collected.v1': after,
    'distillation-training-started.v1': after,
    'distillation-validation-started.v1': after,
    'distillation-calibrated.v1': after,
    'distillation-ended.v1': after,
    'cascade-opened.v1': after,
    'distillation-retargeted.v1': after,
    'cascade-suspected.v1': after,
    'cascade-returned.v1': after,
  },
};
