import type { LossCause } from '../training-job/index.js';
import { upcaster } from '../upcaster.js';
import type { EvaluationEvent } from './events.js';

type Lost = Extract<EvaluationEvent, { type: 'evaluation-attempt-lost.v1' }>;
type LostWithoutCause = Omit<Lost['data'], 'cause'> & { readonly cause?: LossCause };

export const evaluationUpcasters = [
  // Before `cause` existed, every loss counted against the evaluation.
  upcaster<LostWithoutCause, Lost>(
    'evaluation-attempt-lost.v1',
    'evaluation-attempt-lost.v1',
    ({ cause, ...lost }) => ({
      ...lost,
      cause: cause ?? 'child',
    }),
  ),
];
