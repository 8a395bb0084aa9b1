import type { LearningRateSchedule, TrainingType, TrainSettings } from '../../../engine.js';

/**
 * The learning rate that means "as tuned". The rates in use differ by head and kind of parameter, so another rate
 * scales all of them by its ratio to this one. It is in the usual range for fine-tuning, so that a client's habitual
 * rate is near it.
 */
export const DEFAULT_LEARNING_RATE: Readonly<Record<TrainingType, number>> = { full: 5e-5, lora: 2e-4 };

/** Beyond these ratios nothing is learned, or nothing is kept. */
const MIN_RATIO = 1 / 8;
const MAX_RATIO = 8;

/** The rate in use for a requested one: from 1/8 to 8 times the default. */
export function boundedLearningRate(trainingType: TrainingType, asked: number): number {
  const usual = DEFAULT_LEARNING_RATE[trainingType];
  return Math.min(MAX_RATIO * usual, Math.max(MIN_RATIO * usual, asked));
}

/** By how much to scale the tuned rates, from 1/8 to 8. */
export const learningRateRatio = ({
  trainingType,
  learningRate,
}: Pick<TrainSettings, 'learningRate' | 'trainingType'>): number =>
  boundedLearningRate(trainingType, learningRate) / DEFAULT_LEARNING_RATE[trainingType];

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

/** Epochs, batch (rows) and share of warm-up steps that suit a number of training rows. */
export function defaultEntitySchedule(rows: number): {
  readonly epochs: number;
  readonly batchSize: number;
  readonly warmupRatio: number;
} {
  const epochs = rows <= 1000 ? 22 : rows <= 5000 ? 10 : 7;
  const batchSize = rows <= 200 ? 4 : rows <= 1000 ? 8 : 16;
  return { epochs, batchSize, warmupRatio: 0.02 };
}
