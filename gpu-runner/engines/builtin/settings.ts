import type { GivenSettings, SettingsFacts, TrainSettings } from '../engine.js';
import {
  boundedLearningRate,
  defaultEntitySchedule,
  DEFAULT_LEARNING_RATE,
} from './entities/training/learning-rate.js';

const CLASSIFICATION_BATCH = 8;

/**
 * The settings a job runs with: the user's, completed by the defaults tuned for this engine. They depend on the facts
 * alone, so that a job shows before it starts what it will do.
 */
export function resolveSettings(facts: SettingsFacts, given: GivenSettings = {}): TrainSettings {
  const { trainingType, rows, entityRows, multiLabel } = facts;
  const schedule = defaultEntitySchedule(rows);
  const loraR = given.loraR ?? 16;
  const asked = given.learningRate ?? DEFAULT_LEARNING_RATE[trainingType];
  const learningRate = boundedLearningRate(trainingType, asked);
  return {
    trainingType,
    epochs: given.epochs ?? (isFewShot(facts) ? 25 : schedule.epochs),
    learningRate,
    ...(learningRate !== asked && { learningRateAsked: asked }),
    batchSize: given.batchSize ?? (entityRows > 0 ? schedule.batchSize : CLASSIFICATION_BATCH),
    earlyStoppingPatience: given.earlyStoppingPatience ?? 3,
    loraR,
    loraAlpha: given.loraAlpha ?? 2 * loraR,
    loraDropout: given.loraDropout ?? 0.1,
    scheduler: given.scheduler ?? 'linear',
    warmupRatio: given.warmupRatio ?? schedule.warmupRatio,
    weightDecay: given.weightDecay ?? 0.01,
    saveSteps: given.saveSteps ?? 0,
    seed: given.seed ?? 3407,
    multiLabel,
    ...(given.labelDescriptions && { labelDescriptions: given.labelDescriptions }),
  };
}

/** At most ten rows a class on average. */
function isFewShot({ rows, classSizes }: SettingsFacts): boolean {
  if (rows > 1000 || classSizes.length === 0) return false;
  return classSizes.reduce((sum, size) => sum + size, 0) <= 10 * classSizes.length;
}
