import { evolve, type ModelEvent, type NamedModel } from '#domain/model/index.js';
import type { Projection } from '#log/projector/projection.js';

/** The present state of a model. `id` is that of its stream. */
export type ModelDocument = NamedModel & { readonly id: string };

const after = (document: ModelDocument | null, event: ModelEvent): ModelDocument | null => {
  const state = evolve(document ?? { status: 'none' }, event);
  return state.status === 'active' ? { ...state, id: event.data.modelId } : null;
};

export const models: Projection<ModelDocument, ModelEvent> = {
  name: 'models',
  version: 3,
  indexes: [{ fields: ['workspaceId', 'name'] }],
  key: ({ data }) => data.modelId,
  on: {
    'model-created.v1': after,
    'model-version-added.v1': after,
    'model-version-promoted.v1': after,
    'model-label-set.v1': after,
    'model-label-removed.v1': after,
    'model-traffic-set.v1': after,
    'model-shadow-set.v1': after,
    'model-policy-set.v1': after,
    'drift-detected.v1': after,
    'model-deleted.v1': after,
  },
};
