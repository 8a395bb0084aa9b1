import type { LearningRateSchedule } from '../../engine.js';

/**
 * Factor on the learning rate at a step: a linear rise over the warm-up, then constant, linear to zero, or half a cosine.
 * @param step from 0 @param total steps of the whole training @param warmupRatio share of them that is warm-up, 0 to 1
 */
export function learningRateFactor(
  schedule: LearningRateSchedule,
  step: number,
  total: number,
  warmupRatio: number,
): number {
  const warmup = Math.round(total * warmupRatio);
  if (step < warmup) return (step + 1) / warmup;
  const progress = Math.min(1, (step - warmup) / Math.max(1, total - warmup));
  switch (schedule) {
    case 'constant':
      return 1;
    case 'linear':
      return 1 - progress;
    case 'cosine':
      return (1 + Math.cos(Math.PI * progress)) / 2;
  }
}
