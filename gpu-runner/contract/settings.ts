import type { LearningRateSchedule, TrainingType } from '#domain/training-job/index.js';

export type { LearningRateSchedule, TrainingType };

/** Every value is resolved before training starts: the engine applies no default of its own and reads no clock. */
export interface TrainSettings {
  readonly trainingType: TrainingType;
  readonly epochs: number;
  readonly learningRate: number;
  readonly batchSize: number;
  readonly earlyStoppingPatience: number;
  readonly loraR: number;
  readonly loraAlpha: number;
  readonly loraDropout: number;
  readonly scheduler: LearningRateSchedule;
  readonly warmupRatio: number;
  readonly weightDecay: number;
  /** Optimiser steps from one checkpoint to the next, besides the one at each epoch's end; 0 = epochs only. */
  readonly saveSteps: number;
  readonly seed: number;
  /** True when rows carry several labels (sigmoid), false for one label a row (softmax). */
  readonly multiLabel: boolean;
}

/** Settings of models that generate text. */
export interface DecoderTrainSettings extends TrainSettings {
  /** Absent for jobs of earlier releases, which have the defaults. */
  readonly decoder?: DecoderSettings;
}

export interface DecoderSettings {
  /** Reads several rows as one sequence, without attention between them. */
  readonly packing: boolean;
  /** Computes activations again instead of keeping them: slower, in less memory. */
  readonly gradientCheckpointing: boolean;
  /** Keeps the base's weights in 4 bits while an adapter is trained on them. */
  readonly loadIn4bit: boolean;
  /** Strength with which preference tuning holds the model to the one that it began with; null if chats are learned. */
  readonly beta: number | null;
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

/** The user's own values; absent ones get the engine's default. */
export type GivenSettings = Partial<Omit<TrainSettings, 'trainingType' | 'multiLabel'>>;

/** Settings whose range an engine may narrow: the least and the greatest value, both included. */
export type SettingRanges = Partial<Record<'learningRate' | 'loraAlpha', readonly [min: number, max: number]>>;
