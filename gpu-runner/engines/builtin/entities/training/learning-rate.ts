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

type Rate = Pick<TrainSettings, 'learningRate' | 'trainingType'>;

/** By how much to scale the tuned rates, from 1/8 to 8. */
export const learningRateRatio = (settings: Rate): number =>
  Math.min(MAX_RATIO, Math.max(MIN_RATIO, askedRatio(settings)));

/** The rate in use: the requested one, within bounds. */
export const effectiveLearningRate = (settings: Rate): number =>
  learningRateRatio(settings) === askedRatio(settings)
    ? settings.learningRate
    : learningRateRatio(settings) * DEFAULT_LEARNING_RATE[settings.trainingType];

/** Log line for a learning rate that was clamped; null if it was used as given. */
export function learningRateNote(settings: Rate): string | null {
  const used = effectiveLearningRate(settings);
  if (used === settings.learningRate) return null;
  return `learning rate ${settings.learningRate} is far from the default: ${used} is used`;
}

const askedRatio = ({ learningRate, trainingType }: Rate): number => learningRate / DEFAULT_LEARNING_RATE[trainingType];

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
