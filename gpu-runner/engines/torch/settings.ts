import type { SettingRanges } from '#gpu-runner/contract/settings.js';
import type { GivenSettings, SettingsFacts, TrainSettings } from '../engine.js';

/** Ranges of `anneal_runner/training/settings.py`, if they are narrower than the API's. */
export const SETTING_RANGES: SettingRanges = { learningRate: [1e-9, 1], loraAlpha: [1e-3, 4096] };

type Defaults = Pick<TrainSettings, 'epochs' | 'learningRate' | 'batchSize' | 'scheduler' | 'warmupRatio'>;

const DECODER: Defaults = { epochs: 3, learningRate: 2e-4, batchSize: 8, scheduler: 'cosine', warmupRatio: 0.03 };
/** A model that prefers too fast forgets how to write. */
const PREFERENCES: Defaults = { ...DECODER, learningRate: 5e-5 };
/** The learning rate is that of the encoder; its heads learn faster (`HEAD_LEARNING_RATE` in `anneal_runner/encoders/training.py`). */
const ENCODER: Defaults = { epochs: 10, learningRate: 1e-3, batchSize: 8, scheduler: 'linear', warmupRatio: 0.1 };
const FULL_ENCODER: Defaults = { ...ENCODER, learningRate: 5e-5 };

/** The settings a job runs with: the user's own, completed by the usual ones for adapters of language models, or for encoders. */
export function resolveSettings(facts: SettingsFacts, given: GivenSettings): TrainSettings {
  const { trainingType, multiLabel } = facts;
  const defaults = defaultsOf(facts);
  const loraR = given.loraR ?? 16;
  return {
    trainingType,
    epochs: given.epochs ?? defaults.epochs,
    learningRate: given.learningRate ?? defaults.learningRate,
    batchSize: given.batchSize ?? defaults.batchSize,
    earlyStoppingPatience: given.earlyStoppingPatience ?? 3,
    loraR,
    loraAlpha: given.loraAlpha ?? 2 * loraR,
    loraDropout: given.loraDropout ?? 0.05,
    scheduler: given.scheduler ?? defaults.scheduler,
    warmupRatio: given.warmupRatio ?? defaults.warmupRatio,
    weightDecay: given.weightDecay ?? 0.01,
    saveSteps: given.saveSteps ?? 0,
    seed: given.seed ?? 3407,
    multiLabel,
  };
}

/** Only rows of encoders are labelled. */
function defaultsOf({ trainingType, entityRows, classSizes, isPreferences }: SettingsFacts): Defaults {
  if (isPreferences) return PREFERENCES;
  if (entityRows === 0 && classSizes.length === 0) return DECODER;
  return trainingType === 'full' ? FULL_ENCODER : ENCODER;
}
