import { defaultEntityLearningRate, defaultEntitySchedule } from '#gpu-runner/engine/builtin/entities/defaults.js';
import type { TrainingConfiguration } from '#domain/training-job/index.js';
import { thinnedSaveSteps } from '#gpu-runner/work/save-steps.js';
import type { ClaimedDatasets } from './datasets.js';
import type { CreateTrainingJobBody } from './dto.js';

/** Every value of a job, the caller's where given. */
export function resolveConfiguration(body: CreateTrainingJobBody, datasets: ClaimedDatasets): TrainingConfiguration {
  const validationShare = body.validation_data_percentage ?? 0.1;
  const rows = Math.max(1, datasets.rows - Math.round(datasets.rows * validationShare));
  const trainingType = body.training_type ?? 'lora';
  const defaults = defaultEntitySchedule(rows);
  const epochs = body.nr_epochs ?? defaults.epochs;
  const batchSize = body.batch_size ?? defaults.batchSize;
  const seed = body.seed ?? 3407;
  return {
    trainingType,
    epochs,
    batchSize,
    learningRate: body.learning_rate ?? defaultEntityLearningRate[trainingType],
    earlyStoppingPatience: body.early_stopping_patience ?? 3,
    loraR: body.lora_r ?? 16,
    loraAlpha: body.lora_alpha ?? 32,
    loraDropout: body.lora_dropout ?? 0.1,
    scheduler: body.lr_scheduler_type ?? 'linear',
    warmupRatio: body.warmup_ratio ?? defaults.warmupRatio,
    weightDecay: body.weight_decay ?? 0.01,
    saveSteps: thinnedSaveSteps(body.save_steps ?? 0, epochs * Math.ceil(rows / batchSize), epochs),
    seed,
    multiLabel: datasets.multiLabel,
    validationShare,
    splitSeed: seed,
  };
}
