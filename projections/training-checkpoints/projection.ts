import type { Checkpoint, TrainingJobEvent } from '#domain/training-job/index.js';
import type { Projection } from '#log/projector/projection.js';

/** A checkpoint by its own id, so that a new job or an evaluation can name it. */
export type TrainingCheckpointDocument = Omit<Checkpoint, 'checkpointId'> & {
  readonly id: string;
  readonly jobId: string;
  readonly workspaceId: string | null;
  readonly createdAt: string;
};

type CheckpointEvent = Extract<TrainingJobEvent, { readonly data: { readonly checkpointId: string } }>;

export const trainingCheckpoints: Projection<TrainingCheckpointDocument, CheckpointEvent> = {
  name: 'training-checkpoints',
  version: 1,
  indexes: [{ fields: ['jobId', 'step'] }],
  key: ({ data }) => data.checkpointId,
  on: {
    'training-checkpoint-saved.v1': (_, { data: { checkpointId, savedAt, ...checkpoint }, metadata }) => ({
      ...checkpoint,
      id: checkpointId,
      workspaceId: metadata.workspaceId,
      createdAt: savedAt,
    }),
    'training-checkpoint-deleted.v1': () => null,
  },
};
