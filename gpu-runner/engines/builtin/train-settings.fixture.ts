import type { TrainSettings } from '../engine.js';

/** Settings of short trainings. */
export const trainSettings = (changes: Partial<TrainSettings> = {}): TrainSettings => ({
  trainingType: 'full',
  epochs: 4,
  learningRate: 5e-5,
  batchSize: 4,
  earlyStoppingPatience: 3,
  loraR: 4,
  loraAlpha: 8,
  loraDropout: 0.1,
  scheduler: 'linear',
  warmupRatio: 0.05,
  weightDecay: 0.01,
  saveSteps: 0,
  seed: 7,
  multiLabel: false,
  ...changes,
});
