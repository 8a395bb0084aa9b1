import { MAX_STEP_CHECKPOINTS, type TrainingConfiguration } from '#domain/training-job/index.js';
import type { GivenSettings } from '#gpu-runner/contract/settings.js';
import type { EngineFacts } from '#gpu-runner/contract/engines.js';
import type { ClaimedDatasets } from './datasets.js';
import type { CreateTrainingJobBody } from './dto.js';

const DEFAULT_VALIDATION_SHARE = 0.1;

/** Every value that a job runs with: the caller's where given, else the engine's default for such rows. */
export function resolveConfiguration(
  body: CreateTrainingJobBody,
  datasets: ClaimedDatasets,
  engine: EngineFacts,
): TrainingConfiguration {
  const validationShare = body.validation_data_percentage ?? DEFAULT_VALIDATION_SHARE;
  const trained = (rows: number) => rows - Math.round(rows * validationShare);
  const { classLabels, classRows, entityRows, structureRows, relationRows, multiLabel } = datasets;
  const rows = Math.max(1, trained(datasets.rows));
  const settings = engine.resolveSettings(
    {
      trainingType: body.training_type ?? 'lora',
      rows,
      entityRows: trained(Math.max(entityRows, structureRows, relationRows)),
      // Only the runner knows the distribution over the classes; an even one is the best guess.
      classSizes: classLabels.map(() => trained(classRows) / classLabels.length),
      multiLabel,
    },
    givenSettings(body),
  );
  const heads = [entityRows, classRows, structureRows, relationRows].filter((each) => each > 0).length;
  const steps = settings.epochs * Math.ceil(rows / settings.batchSize) * heads;
  return {
    ...settings,
    saveSteps: thinnedSaveSteps(settings.saveSteps, steps),
    validationShare,
    splitSeed: settings.seed,
  };
}

function givenSettings(body: CreateTrainingJobBody): GivenSettings {
  const given = {
    epochs: body.nr_epochs,
    learningRate: body.learning_rate,
    batchSize: body.batch_size,
    earlyStoppingPatience: body.early_stopping_patience,
    loraR: body.lora_r,
    loraAlpha: body.lora_alpha,
    loraDropout: body.lora_dropout,
    scheduler: body.lr_scheduler_type,
    warmupRatio: body.warmup_ratio,
    weightDecay: body.weight_decay,
    saveSteps: body.save_steps,
    seed: body.seed,
  };
  // null is as good as absent.
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined && value !== null));
}

/** Interval between checkpoints within an epoch, thinned to the bound on checkpoints. @param saveSteps 0 for never */
const thinnedSaveSteps = (saveSteps: number, steps: number): number =>
  saveSteps === 0 ? 0 : Math.max(saveSteps, Math.ceil(steps / MAX_STEP_CHECKPOINTS));
