import { evolveOne, type Improvement, type ImprovementEvent } from '#domain/improvement/index.js';
import type { Projection } from '#log/projector/projection.js';

/** The present state of an improvement. `id` is its own; `name` and `workspaceId` are those of its model. */
export type ImprovementDocument = Improvement & {
  readonly id: string;
  readonly workspaceId: string;
  readonly name: string;
  readonly createdAt: string;
};

const after = (document: ImprovementDocument | null, event: ImprovementEvent): ImprovementDocument | null => {
  const improvement = evolveOne(document, event);
  if (!improvement) return null;
  const { improvementId: id, workspaceId, name } = improvement.request;
  return { ...improvement, id, workspaceId, name, createdAt: improvement.requestedAt };
};

export const improvements: Projection<ImprovementDocument, ImprovementEvent> = {
  name: 'improvements',
  version: 2,
  indexes: [
    { fields: ['workspaceId', 'createdAt'] },
    { fields: ['workspaceId', 'stage', 'createdAt'] },
    { fields: ['workspaceId', 'name', 'createdAt'] },
  ],
  key: ({ data }) => data.improvementId,
  on: {
    'improvement-requested.v1': after,
    'improvement-dataset-chosen.v1': after,
    'improvement-training-started.v1': after,
    'improvement-evaluations-started.v1': after,
    'gate-decided.v1': after,
    'gate-forced.v1': after,
    'improvement-ended.v1': after,
  },
};
