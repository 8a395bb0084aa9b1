import type {
  DecoderSettings,
  GivenSettings,
  LearningRateSchedule,
  TrainingType,
  TrainSettings,
} from '#domain/training-job/index.js';

export type { DecoderSettings, GivenSettings, LearningRateSchedule, TrainingType, TrainSettings };

/** Settings of models that generate text. */
export interface DecoderTrainSettings extends TrainSettings {
  /** Absent from older requests, which have the defaults. */
  readonly decoder?: DecoderSettings;
}

/** The facts from which an engine derives its default settings. */
export interface SettingsFacts {
  readonly trainingType: TrainingType;
  /** Training rows. */
  readonly rows: number;
  /** Training rows labelled for stretches of their text (entities, structures, relations); 0 when the job has no such head. */
  readonly entityRows: number;
  /** Training rows of each class; empty when the job has no such head. */
  readonly classSizes: readonly number[];
  readonly multiLabel: boolean;
  /** Rows are pairs of answers, of which one is better. */
  readonly isPreferences?: boolean;
}

/** Settings whose range an engine may narrow: the least and the greatest value, both included. */
export type SettingRanges = Partial<Record<'learningRate' | 'loraAlpha', readonly [min: number, max: number]>>;
