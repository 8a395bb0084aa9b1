import type { Checkpoint, TrainingJobEvent } from '#domain/training-job/index.js';
import type { Projection } from '#projector/projection.js';

/** A checkpoint by its own id, so that a new job or an evaluation can name it. */
export type TrainingCheckpointDocument = Omit<Checkpoint, 'checkpointId'> & {
  readonly id: string;
  readonly jobId: string;
  readonly workspaceId: string | null;
  readonly createdAt: string;
};

export const trainingCheckpoints: Projection<TrainingCheckpointDocument> = {
  name: 'training-checkpoints',
  version: 1,
  handles: ['training-checkpoint-saved.v1', 'training-checkpoint-deleted.v1'],
  indexes: [{ fields: ['jobId', 'step'] }],
  key: (event) => (event.data as { checkpointId: string }).checkpointId,
  apply: (_checkpoint, recorded) => {
    const event = recorded as unknown as TrainingJobEvent;
    if (event.type !== 'training-checkpoint-saved.v1') return null;
    const { checkpointId, savedAt, ...checkpoint } = event.data;
    return { ...checkpoint, id: checkpointId, workspaceId: recorded.metadata.workspaceId, createdAt: savedAt };
  },
};
