export const TRAINING_TYPES = ['lora', 'full'] as const;
export type TrainingType = (typeof TRAINING_TYPES)[number];

export const LEARNING_RATE_SCHEDULES = ['constant', 'linear', 'cosine'] as const;
export type LearningRateSchedule = (typeof LEARNING_RATE_SCHEDULES)[number];

/** Settings of a training, with all defaults filled in: the engine adds none, and reads no clock. */
export type TrainSettings = {
  readonly trainingType: TrainingType;
  readonly epochs: number;
  /** In use: within the engine's bounds. */
  readonly learningRate: number;
  /** The rate that was asked for, if it was out of bounds. */
  readonly learningRateAsked?: number;
  readonly batchSize: number;
  readonly earlyStoppingPatience: number;
  readonly loraR: number;
  readonly loraAlpha: number;
  readonly loraDropout: number;
  readonly scheduler: LearningRateSchedule;
  readonly warmupRatio: number;
  readonly weightDecay: number;
  /** Optimiser steps between checkpoints, in addition to those at the ends of epochs; 0 for none. */
  readonly saveSteps: number;
  readonly seed: number;
  /** Rows carry any number of class labels (sigmoid) instead of one (softmax). */
  readonly multiLabel: boolean;
  /** Descriptions of classes, by label. Classes may be among them that no row has. Absent: there are none. */
  readonly labelDescriptions?: { readonly [label: string]: string };
};

/** Settings of models that generate text. */
export type DecoderSettings = {
  /** Reads several rows as one sequence, without attention between them. */
  readonly packing: boolean;
  /** Computes activations again instead of keeping them: slower, in less memory. */
  readonly gradientCheckpointing: boolean;
  /** Keeps the base's weights in 4 bits while an adapter is trained on them. */
  readonly loadIn4bit: boolean;
  /** Strength with which preference tuning holds the model to the one that it began with; null if chats are learned. */
  readonly beta: number | null;
};

/** The settings that a caller may give, and the name of each in requests and answers. */
export const SETTING_FIELDS = {
  epochs: 'nr_epochs',
  learningRate: 'learning_rate',
  batchSize: 'batch_size',
  earlyStoppingPatience: 'early_stopping_patience',
  loraR: 'lora_r',
  loraAlpha: 'lora_alpha',
  loraDropout: 'lora_dropout',
  scheduler: 'lr_scheduler_type',
  warmupRatio: 'warmup_ratio',
  weightDecay: 'weight_decay',
  saveSteps: 'save_steps',
  seed: 'seed',
  labelDescriptions: 'label_descriptions',
} as const satisfies Record<keyof GivenSettings, string>;

/** The caller's own values; absent ones get the engine's default. */
export type GivenSettings = Partial<Omit<TrainSettings, 'trainingType' | 'learningRateAsked' | 'multiLabel'>>;

/** The settings by the names of their fields. */
export type SettingFields = {
  readonly [Name in Always as (typeof SETTING_FIELDS)[Name]]: TrainSettings[Name];
} & { readonly label_descriptions?: NonNullable<TrainSettings['labelDescriptions']> };

type Always = Exclude<keyof typeof SETTING_FIELDS, 'labelDescriptions'>;

const NAMES = Object.entries(SETTING_FIELDS) as readonly (readonly [keyof GivenSettings, keyof SettingFields])[];

/** The settings in fields: those that are neither absent nor null. */
export const settingsInFields = (fields: { readonly [Field in keyof SettingFields]?: unknown }): GivenSettings =>
  Object.fromEntries(
    NAMES.flatMap(([name, field]) => ((fields[field] ?? null) === null ? [] : [[name, fields[field]]])),
  );

export const fieldsOfSettings = (settings: TrainSettings): SettingFields =>
  Object.fromEntries(
    NAMES.flatMap(([name, field]) => (settings[name] === undefined ? [] : [[field, settings[name]]])),
  ) as SettingFields;
