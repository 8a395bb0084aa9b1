import { datasetsHeldOut } from '#domain/training-job/index.js';
import type { TrainingCheckpointDocument } from '#projections/training-checkpoints/projection.js';
import type { TrainingJobDocument, TrainingJobStatus } from '#projections/training-jobs/projection.js';
import { CHECKPOINT_ID, FILE_ID, FINE_TUNING_JOB_ID } from '#use-cases/files/ids.js';
import { unixSeconds } from '../files/unix-seconds.js';
import { eventIdOf } from '#use-cases/fine-tuning/event-ids.js';
import type { NumberedLine } from '#use-cases/training-jobs/job-log.js';
import type { FineTuningCheckpoint, FineTuningEvent, FineTuningJob } from './dto.js';

const STATUSES: Readonly<Record<TrainingJobStatus, string>> = {
  requested: 'queued',
  running: 'running',
  complete: 'succeeded',
  deployed: 'succeeded',
  failed: 'failed',
  cancelled: 'cancelled',
};

/** A training job as the OpenAI API shows it. */
export function fineTuningRecord(job: TrainingJobDocument, teamId: string): FineTuningJob {
  const { configuration, fineTuning, errorMessage } = job;
  const [validation] = datasetsHeldOut(job);
  const beta = configuration.decoder?.beta ?? null;
  const hyperparameters = {
    n_epochs: configuration.epochs,
    batch_size: configuration.batchSize,
    learning_rate_multiplier: fineTuning?.learningRateMultiplier ?? ('auto' as const),
  };
  return {
    id: FINE_TUNING_JOB_ID.write(job.id),
    object: 'fine_tuning.job',
    created_at: unixSeconds(job.createdAt),
    finished_at: job.completedAt === null ? null : unixSeconds(job.completedAt),
    model: job.startFrom?.jobId ?? job.baseModel.id,
    fine_tuned_model: job.artifact === null ? null : job.id,
    organization_id: teamId,
    status: STATUSES[job.status],
    training_file: FILE_ID.write(job.datasets[0]!.versionId),
    validation_file: validation ? FILE_ID.write(validation.versionId) : null,
    hyperparameters,
    method:
      beta === null
        ? { type: 'supervised', supervised: { hyperparameters } }
        : { type: 'dpo', dpo: { hyperparameters: { ...hyperparameters, beta } } },
    trained_tokens: null,
    error: errorMessage === null ? null : { code: 'training_failed', message: errorMessage, param: null },
    seed: configuration.seed,
    estimated_finish: null,
    integrations: [],
    result_files: [],
    metadata: fineTuning?.metadata ?? null,
    user_provided_suffix: fineTuning?.suffix ?? null,
  };
}

export const eventRecord = (jobId: string, { id, timestamp, level, message }: NumberedLine): FineTuningEvent => ({
  id: eventIdOf(jobId, Number(id)),
  object: 'fine_tuning.job.event',
  created_at: unixSeconds(timestamp),
  level,
  message,
  type: 'message',
});

export function checkpointRecord(checkpoint: TrainingCheckpointDocument): FineTuningCheckpoint {
  const { id, jobId, step, trainingLoss, validationLoss } = checkpoint;
  return {
    id: CHECKPOINT_ID.write(id),
    object: 'fine_tuning.job.checkpoint',
    created_at: unixSeconds(checkpoint.createdAt),
    fine_tuned_model_checkpoint: CHECKPOINT_ID.write(id),
    fine_tuning_job_id: FINE_TUNING_JOB_ID.write(jobId),
    metrics: { step, train_loss: trainingLoss, ...(validationLoss !== null && { full_valid_loss: validationLoss }) },
    step_number: step,
  };
}
