import { Documents } from '#log/projector/documents.js';
import type { ReadStoreQueries } from '#ports/read-store/port.js';
import { trainingCheckpoints, type TrainingCheckpointDocument } from './projection.js';

export const trainingCheckpointDocuments = new Documents<TrainingCheckpointDocument>(trainingCheckpoints);

const MAX_CHECKPOINTS = 1000;

/** A job's checkpoints, by step. */
export const checkpointsOf = (store: ReadStoreQueries, jobId: string): Promise<readonly TrainingCheckpointDocument[]> =>
  trainingCheckpointDocuments.find(store, {
    where: { jobId },
    order: { field: 'step', direction: 'ascending' },
    limit: MAX_CHECKPOINTS,
  });
