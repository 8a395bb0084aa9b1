import { ApiExtraModels, ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { TRAINING_JOB_STATUSES } from '#projections/training-jobs/projection.js';
import { JOB_LOG_LEVELS } from '#domain/job-log/index.js';
import { LEARNING_RATE_SCHEDULES, TRAINING_TYPES } from '#domain/training-job/index.js';
import { EXPORT_STATUSES, EXPORT_FORMATS } from '#domain/model-export/index.js';
import { ClassTaskRecord } from '../../datasets/versions/dto.js';
import { DEPLOYMENT_STATUSES } from '#use-cases/training-jobs/deployments.js';

const TEXT_OR_NULL = { type: String, nullable: true } as const;
const NUMBER_OR_NULL = { type: Number, nullable: true } as const;
const TIME = { format: 'date-time' } as const;
const TIME_OR_NULL = { ...TEXT_OR_NULL, ...TIME } as const;

export class LabelFigures {
  @ApiProperty() f1!: number;
  @ApiProperty() precision!: number;
  @ApiProperty() recall!: number;
  @ApiProperty({ description: 'Labelled occurrences' }) support!: number;
}

class ThresholdFigures {
  @ApiProperty() threshold!: number;
  @ApiProperty({ type: 'integer', description: 'Answers with at least this confidence' }) answers!: number;
  @ApiProperty(NUMBER_OR_NULL) precision!: number | null;
  @ApiProperty(NUMBER_OR_NULL) recall!: number | null;
}

/** How far the confidences of a head can be relied on, on the held-out rows. */
export class ConfidenceFigures {
  @ApiProperty({ type: 'integer', description: 'Held-out rows that are labelled for the head' }) rows!: number;
  @ApiProperty({ ...NUMBER_OR_NULL, description: 'Of requests without one; null: the best label counts always' })
  threshold!: number | null;
  @ApiProperty({ ...NUMBER_OR_NULL, description: 'Expected error of the confidences of answers, 0 to 1' })
  calibration_error!: number | null;
  @ApiProperty({ ...NUMBER_OR_NULL, description: 'The same of all proposals with a confidence of 0.05 or more' })
  candidate_calibration_error!: number | null;
  @ApiProperty({ type: [ThresholdFigures] }) thresholds!: ThresholdFigures[];
}

export class HeadFigures {
  @ApiProperty(NUMBER_OR_NULL) f1!: number | null;
  @ApiProperty(NUMBER_OR_NULL) precision!: number | null;
  @ApiProperty(NUMBER_OR_NULL) recall!: number | null;
  @ApiPropertyOptional(NUMBER_OR_NULL) accuracy?: number | null;
  @ApiPropertyOptional({ type: ConfidenceFigures, description: 'Of jobs only' }) confidence?: ConfidenceFigures;
}

/** Figures on the held-out rows; null if none could be held out, and for decoders except the losses. */
@ApiExtraModels(LabelFigures, HeadFigures)
export class TrainingMetrics {
  @ApiProperty(NUMBER_OR_NULL) f1!: number | null;
  @ApiProperty(NUMBER_OR_NULL) precision!: number | null;
  @ApiProperty(NUMBER_OR_NULL) recall!: number | null;
  @ApiProperty(NUMBER_OR_NULL) eval_f1_score!: number | null;
  @ApiProperty(NUMBER_OR_NULL) eval_precision!: number | null;
  @ApiProperty(NUMBER_OR_NULL) eval_recall!: number | null;
  @ApiProperty(NUMBER_OR_NULL) macro_f1!: number | null;
  @ApiProperty({ ...NUMBER_OR_NULL, description: 'Share of rows on which every head is exactly right' })
  accuracy!: number | null;
  @ApiProperty({ ...TEXT_OR_NULL, enum: ['validation', null], description: 'Null: on nothing, or not recorded' })
  judged_on!: string | null;
  @ApiProperty({ type: 'integer', nullable: true, description: 'Rows held out; null: not recorded' })
  judged_rows!: number | null;
  @ApiProperty({
    type: 'integer',
    nullable: true,
    description:
      'Held-out rows whose text was trained on too, in this job or in one that it continues from; null if unknown',
  })
  overlapping_rows!: number | null;
  @ApiProperty({
    type: 'integer',
    nullable: true,
    description: 'Rows excluded from training because their text is held out or excluded; null if not recorded',
  })
  excluded_rows!: number | null;
  @ApiProperty({
    type: 'integer',
    nullable: true,
    description: 'Rows whose words were read by their vectors too, if memory did not suffice for all; else null',
  })
  rows_with_vectors!: number | null;
  @ApiProperty({ ...TEXT_OR_NULL, description: 'Why figures are null or unreliable' }) figures_note!: string | null;
  @ApiProperty({ type: 'object', additionalProperties: { $ref: '#/components/schemas/HeadFigures' } })
  heads!: Record<string, HeadFigures>;
  @ApiProperty({
    type: 'object',
    additionalProperties: { $ref: '#/components/schemas/LabelFigures' },
    description: 'By label, with its head where several heads have one of that name: `person (entities)`',
  })
  per_entity!: Record<string, LabelFigures>;
  @ApiProperty() final_training_loss!: number;
  @ApiProperty(NUMBER_OR_NULL) final_validation_loss!: number | null;
  @ApiProperty(NUMBER_OR_NULL) best_validation_loss!: number | null;
  @ApiPropertyOptional({
    description: 'For preference tuning: share of the held-out pairs whose chosen answer is preferred',
  })
  reward_accuracy?: number;
  @ApiPropertyOptional({
    description: 'For preference tuning: mean reward of the chosen answers minus that of the rejected',
  })
  reward_margin?: number;
}

export class JobDataset {
  @ApiProperty() name!: string;
  @ApiProperty() version!: string;
  @ApiProperty({ format: 'uuid' }) dataset_id!: string;
  @ApiProperty() sample_size!: number;
}

export class UsedDataset extends JobDataset {
  @ApiPropertyOptional({ type: Boolean, description: 'True if all its rows are held out; absent otherwise.' })
  held_out?: boolean;
}

export class FinishedEpoch {
  @ApiProperty({ type: 'integer', description: 'From 1' }) epoch!: number;
  @ApiProperty({ type: 'integer', description: 'Optimiser steps done, of all heads' }) step!: number;
  @ApiProperty() training_loss!: number;
  @ApiProperty({ ...NUMBER_OR_NULL, description: 'null if no row was held out' }) validation_loss!: number | null;
  @ApiProperty({ ...NUMBER_OR_NULL, description: 'F1 on the held-out rows, with these weights as served' })
  f1!: number | null;
  @ApiProperty() learning_rate!: number;
}

export class TrainingJobRecord {
  @ApiProperty({ format: 'uuid', description: 'Can be used as `model_id` once the job is complete' }) id!: string;
  @ApiProperty() model_name!: string;
  @ApiProperty({
    type: String,
    nullable: true,
    description: 'The name of `GET /models` of which the model becomes a version once the job is complete; null: none',
  })
  named_model!: string | null;
  @ApiProperty() base_model!: string;
  @ApiProperty({ enum: TRAINING_TYPES }) training_type!: string;
  @ApiProperty({ type: [UsedDataset] }) datasets!: UsedDataset[];
  @ApiProperty({ type: [JobDataset], description: 'Rows with a text of these datasets are excluded from training' })
  exclude_texts_of!: JobDataset[];
  @ApiProperty({ enum: TRAINING_JOB_STATUSES }) status!: string;
  @ApiProperty({ enum: TRAINING_JOB_STATUSES.filter((status) => status !== 'deployed') }) normalized_status!: string;
  @ApiProperty() is_terminal_status!: boolean;
  @ApiProperty({ minimum: 0, maximum: 100 }) progress_percent!: number;
  @ApiProperty() current_epoch!: number;
  @ApiProperty() nr_epochs!: number;
  @ApiProperty() learning_rate!: number;
  @ApiProperty() batch_size!: number;
  @ApiProperty() validation_data_percentage!: number;
  @ApiProperty() early_stopping_patience!: number;
  @ApiProperty() lora_r!: number;
  @ApiProperty() lora_alpha!: number;
  @ApiProperty() lora_dropout!: number;
  @ApiProperty({ enum: LEARNING_RATE_SCHEDULES }) lr_scheduler_type!: string;
  @ApiProperty() warmup_ratio!: number;
  @ApiProperty() weight_decay!: number;
  @ApiProperty() save_steps!: number;
  @ApiProperty() seed!: number;
  @ApiPropertyOptional({
    ...{ type: 'object', additionalProperties: { type: 'string' } },
    description: 'What classes mean, by label, if the request says so',
  })
  label_descriptions?: Readonly<Record<string, string>>;
  @ApiPropertyOptional({ description: 'Of decoders' }) packing?: boolean;
  @ApiPropertyOptional({ description: 'Of decoders' }) gradient_checkpointing?: boolean;
  @ApiPropertyOptional({ description: 'Of decoders' }) load_in_4bit?: boolean;
  @ApiPropertyOptional({ ...NUMBER_OR_NULL, description: 'Of decoders; null where chats are learned' })
  dpo_beta?: number | null;
  @ApiProperty({ enum: ['ner', 'classification', 'structures', 'relations', 'multi_head', 'decoder'] })
  task_type!: string;
  @ApiProperty({ type: [String] }) labels!: string[];
  @ApiPropertyOptional({ type: [ClassTaskRecord], description: 'The classification tasks, if its rows name several' })
  class_tasks?: ClassTaskRecord[];
  @ApiProperty(TEXT_OR_NULL) project_id!: string | null;
  @ApiProperty({ ...TEXT_OR_NULL, description: 'First job of the chain that this job continues' })
  root_job_id!: string | null;
  @ApiProperty(TEXT_OR_NULL) start_checkpoint_id!: string | null;
  @ApiProperty({
    enum: DEPLOYMENT_STATUSES,
    description:
      'warming_up while a runner loads it; ready once one has, before its first call; deployed from the first call that it ' +
      'served; failed while its weights cannot be loaded (calls are 409)',
  })
  deployment_status!: string;
  @ApiProperty(TEXT_OR_NULL) error_message!: string | null;
  @ApiProperty(TIME) created_at!: string;
  @ApiProperty(TIME) updated_at!: string;
  @ApiProperty(TIME_OR_NULL) started_at!: string | null;
  @ApiProperty(TIME_OR_NULL) completed_at!: string | null;
  @ApiPropertyOptional({
    description: 'Why it has not started; present only while no runner has the required engine and base model',
  })
  waiting_reason?: string;
  @ApiPropertyOptional({ type: TrainingMetrics, description: 'Only once the job is complete' })
  metrics?: TrainingMetrics;
  @ApiPropertyOptional({ type: [FinishedEpoch], description: 'In order; only in the answer for a single job' })
  learning_curve?: FinishedEpoch[];
}

export class TrainingJobList {
  @ApiProperty() success!: boolean;
  @ApiProperty({ type: [TrainingJobRecord] }) training_jobs!: TrainingJobRecord[];
  @ApiProperty() count!: number;
  @ApiProperty() total!: number;
  @ApiProperty() has_more!: boolean;
}

class TrainedModel extends TrainingJobRecord {
  @ApiProperty({ format: 'uuid', description: 'Same as `id`' }) model_id!: string;
}

export class TrainedModelList {
  @ApiProperty() success!: boolean;
  @ApiProperty() count!: number;
  @ApiProperty() total!: number;
  @ApiProperty({ type: [TrainedModel] }) models!: TrainedModel[];
}

class TrainingLogLine {
  @ApiProperty({ description: 'Number of the line, from 1' }) id!: string;
  @ApiProperty(TIME) timestamp!: string;
  @ApiProperty({ enum: JOB_LOG_LEVELS }) level!: string;
  @ApiProperty() message!: string;
  @ApiProperty() source!: string;
}

export class TrainingLogList {
  @ApiProperty({ format: 'uuid' }) job_id!: string;
  @ApiProperty({ type: [TrainingLogLine] }) logs!: TrainingLogLine[];
  @ApiProperty() total_logs!: number;
  @ApiPropertyOptional({ ...TIME, description: 'When the lines were erased. Absent while they are stored' })
  erased_at?: string;
}

export class TrainingCheckpoint {
  @ApiProperty({ format: 'uuid', description: 'Can be used as `base_model`' }) id!: string;
  @ApiProperty({ format: 'uuid' }) job_id!: string;
  @ApiProperty() epoch!: number;
  @ApiProperty() step!: number;
  @ApiProperty() training_loss!: number;
  @ApiProperty({ ...NUMBER_OR_NULL, description: 'null if no row was held out' }) validation_loss!: number | null;
  @ApiProperty({ ...NUMBER_OR_NULL, description: 'F1 on the held-out rows, with these weights as served' })
  f1!: number | null;
  @ApiProperty() learning_rate!: number;
  @ApiProperty({ description: 'Whether the finished model has these weights' }) is_best!: boolean;
  @ApiProperty() is_final!: boolean;
  @ApiProperty(TIME) created_at!: string;
}

export class TrainingCheckpointList {
  @ApiProperty() success!: boolean;
  @ApiProperty({ type: [TrainingCheckpoint] }) checkpoints!: TrainingCheckpoint[];
  @ApiProperty() count!: number;
}

export class DeployedCheckpoint {
  @ApiProperty() success!: boolean;
  @ApiProperty() message!: string;
  @ApiProperty({ format: 'uuid' }) job_id!: string;
  @ApiProperty({ format: 'uuid' }) checkpoint_id!: string;
  @ApiProperty({ format: 'uuid', description: 'The id of the model for calls: the id of the job' }) model_id!: string;
  @ApiProperty({ description: 'As the job has it' }) deployment_status!: string;
}

/**
 * Estimated time of a training. Times are null if no such job of the workspace has completed. Training has no price.
 */
export class TrainingEstimate {
  @ApiProperty({ description: 'Base model of the past jobs considered' }) base_model!: string;
  @ApiProperty({ type: 'integer', description: 'Number of rows in the datasets' }) rows!: number;
  @ApiProperty({
    ...{ type: 'integer', nullable: true },
    description: 'The requested epochs, else the median of past jobs; null if there are none',
  })
  epochs!: number | null;
  @ApiProperty({ ...NUMBER_OR_NULL, description: 'Based on the median time per row and epoch of past jobs' })
  seconds!: number | null;
  @ApiProperty({ ...NUMBER_OR_NULL, description: 'Based on the fastest of them' }) seconds_low!: number | null;
  @ApiProperty({ ...NUMBER_OR_NULL, description: 'Based on the slowest of them' }) seconds_high!: number | null;
  @ApiProperty({
    type: 'integer',
    description: 'Number of past jobs considered: the newest complete ones with this base model and `training_type`',
  })
  jobs!: number;
  @ApiProperty({
    ...{ type: 'integer', nullable: true },
    description: 'Memory for vectors of words while it trains, at most; null if the base model has none',
  })
  word_vector_bytes!: number | null;
}

/** A message of `GET /felix/training-jobs/{id}/events`. Figures are those of an epoch or a checkpoint. */
export class TrainingJobMessage {
  @ApiProperty({
    enum: ['status', 'progress', 'epoch', 'checkpoint', 'end'],
    description: 'Also the name of the server-sent event; `end` is the last one',
  })
  type!: string;
  @ApiPropertyOptional({ enum: [...TRAINING_JOB_STATUSES, 'deleted'], description: 'For `status` and `end`' })
  status?: string;
  @ApiPropertyOptional({ ...TEXT_OR_NULL, description: 'For `status`: why the job failed' }) error_message?:
    string | null;
  @ApiPropertyOptional({ minimum: 0, maximum: 100, description: 'For `progress`; also between epochs' })
  progress_percent?: number;
  @ApiPropertyOptional({ format: 'uuid', description: 'For `checkpoint`: can be used as `base_model`' })
  checkpoint_id?: string;
  @ApiPropertyOptional({ type: 'integer', description: 'From 1' }) epoch?: number;
  @ApiPropertyOptional({ type: 'integer', description: 'Optimiser steps done, of all heads' }) step?: number;
  @ApiPropertyOptional() training_loss?: number;
  @ApiPropertyOptional({ ...NUMBER_OR_NULL, description: 'null if no row was held out' })
  validation_loss?: number | null;
  @ApiPropertyOptional({ ...NUMBER_OR_NULL, description: 'F1 on the held-out rows, with these weights as served' })
  f1?: number | null;
  @ApiPropertyOptional() learning_rate?: number;
}

export class StoppedJob {
  @ApiProperty() success!: boolean;
  @ApiProperty() message!: string;
  @ApiProperty({ format: 'uuid' }) job_id!: string;
  @ApiProperty() status!: string;
}

export class ModelDownload {
  @ApiProperty() success!: boolean;
  @ApiProperty({ format: 'uuid' }) job_id!: string;
  @ApiProperty({ format: 'uri', description: 'Accepts a GET without a key until it expires' }) download_url!: string;
  @ApiProperty({ type: 'integer' }) expires_in_seconds!: number;
  @ApiProperty({
    description: 'A .tar.gz (a .tar for an export) of one directory with the weights and the model card, README.md',
  })
  file_name!: string;
}

export class ModelExport {
  @ApiProperty({ format: 'uuid' }) job_id!: string;
  @ApiProperty({ enum: EXPORT_FORMATS }) format!: string;
  @ApiProperty({ enum: EXPORT_STATUSES }) status!: string;
  @ApiPropertyOptional({
    description: 'Why it has not started; present only while no runner has the required engine and base model',
  })
  waiting_reason?: string;
  @ApiProperty({ type: 'integer', minimum: 0, maximum: 100 }) progress_percent!: number;
  @ApiProperty({ ...TEXT_OR_NULL, description: 'Reasons for the failure' }) error_message!: string | null;
  @ApiProperty({ type: 'integer', nullable: true, description: 'Of the .tar; null until it is complete' })
  size_bytes!: number | null;
  @ApiProperty({ ...TEXT_OR_NULL, description: 'Of the .tar; null until it is complete' })
  sha256!: string | null;
  @ApiProperty(TIME) created_at!: string;
  @ApiProperty(TIME_OR_NULL) completed_at!: string | null;
}

export class ModelExportList {
  @ApiProperty() success!: boolean;
  @ApiProperty({ format: 'uuid' }) job_id!: string;
  @ApiProperty({ type: [ModelExport] }) exports!: ModelExport[];
  @ApiProperty({ type: 'integer' }) count!: number;
}
