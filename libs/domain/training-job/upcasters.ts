import { upcaster } from '../upcaster.js';
import type { LossCause, TrainingJobEvent } from './events.js';

type Lost = Extract<TrainingJobEvent, { type: 'training-attempt-lost.v2' }>;
type LostV1 = Omit<Lost['data'], 'cause'> & { readonly orderly: boolean; readonly cause?: LossCause };

export const trainingJobUpcasters = [
  // `orderly` was true where the runner had been shut down. Before `cause`, every other loss counted against the job.
  upcaster<LostV1, Lost>('training-attempt-lost.v1', 'training-attempt-lost.v2', ({ orderly, cause, ...lost }) => ({
    ...lost,
    cause: orderly ? 'runner' : (cause ?? 'child'),
  })),
];
