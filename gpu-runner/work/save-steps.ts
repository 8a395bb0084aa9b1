import { MAX_STEP_CHECKPOINTS } from '#domain/training-job/index.js';

/**
 * How often to save between epochs, thinned so that a job keeps within its bound of checkpoints.
 * @param saveSteps as asked for; 0 for never
 * @param steps optimiser steps of the whole training
 */
export function thinnedSaveSteps(saveSteps: number, steps: number): number {
  if (saveSteps === 0) return 0;
  return Math.max(saveSteps, Math.ceil(steps / MAX_STEP_CHECKPOINTS));
}
