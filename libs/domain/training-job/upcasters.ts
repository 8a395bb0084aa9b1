import { upcaster } from '../upcaster.js';
import type { LossCause, TrainingJobEvent, TrainingMetrics } from './events.js';

type Lost = Extract<TrainingJobEvent, { type: 'training-attempt-lost.v2' }>;
type LostV1 = Omit<Lost['data'], 'cause'> & { readonly orderly: boolean; readonly cause?: LossCause };

type Completed = Extract<TrainingJobEvent, { type: 'training-job-completed.v1' }>;
type Count = 'judgedRows' | 'overlappingRows';
type CompletedUncounted = Omit<Completed['data'], 'metrics'> & {
  readonly metrics: Omit<TrainingMetrics, Count> & Partial<Pick<TrainingMetrics, Count>>;
};

export const trainingJobUpcasters = [
  // `orderly` was true if the runner had been shut down. Before `cause`, every other loss counted against the job.
  upcaster<LostV1, Lost>('training-attempt-lost.v1', 'training-attempt-lost.v2', ({ orderly, cause, ...lost }) => ({
    ...lost,
    cause: orderly ? 'runner' : (cause ?? 'child'),
  })),
  upcaster<CompletedUncounted, Completed>('training-job-completed.v1', 'training-job-completed.v1', (completed) =>
    completed.metrics.judgedRows === undefined || completed.metrics.overlappingRows === undefined
      ? { ...completed, metrics: { judgedRows: null, overlappingRows: null, ...completed.metrics } }
      : (completed as Completed['data']),
  ),
];
