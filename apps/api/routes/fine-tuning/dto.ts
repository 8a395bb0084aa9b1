import { ApiProperty, ApiPropertyOptional, getSchemaPath, ApiExtraModels } from '@nestjs/swagger';
import { JOB_LOG_LEVELS } from '#domain/job-log/index.js';
import { MAX_EPOCHS } from '#domain/training-job/index.js';
import { Closed } from '../../edge/validation/closed.js';
import { QueryInteger, QueryText } from '../../edge/validation/index.js';

const AUTO = { type: 'string', enum: ['auto'] };
const orAuto = (schema: object) => ({ oneOf: [AUTO, schema], default: 'auto' });
const TEXT_OR_NULL = { type: String, nullable: true } as const;
const TIME = { type: 'integer', description: 'Seconds since 1970' } as const;

export const MAX_BATCH_SIZE = 1024;
export const MAX_MULTIPLIER = 1000;
export const MAX_BETA = 100;
export const MIN_BETA = 0.0001;
export const MAX_SUFFIX = 64;
export const MAX_SEED = 4_294_967_295;

/** Every value that is left out, or `auto`, is the engine's own for such rows. */
class Hyperparameters {
  @ApiPropertyOptional(orAuto({ type: 'integer', minimum: 1, maximum: MAX_EPOCHS })) n_epochs?: 'auto' | number;
  @ApiPropertyOptional(orAuto({ type: 'integer', minimum: 1, maximum: MAX_BATCH_SIZE })) batch_size?: 'auto' | number;
  @ApiPropertyOptional(orAuto({ type: 'number', minimum: 0, exclusiveMinimum: true, maximum: MAX_MULTIPLIER }))
  learning_rate_multiplier?: 'auto' | number;
}

class DpoHyperparameters extends Hyperparameters {
  @ApiPropertyOptional(orAuto({ type: 'number', minimum: MIN_BETA, maximum: MAX_BETA })) beta?: 'auto' | number;
}

class SupervisedMethod {
  @ApiPropertyOptional({ type: Hyperparameters }) hyperparameters?: Hyperparameters;
}

class DpoMethod {
  @ApiPropertyOptional({ type: DpoHyperparameters }) hyperparameters?: DpoHyperparameters;
}

class FineTuningMethod {
  @ApiProperty({ enum: ['supervised', 'dpo'] }) type!: 'supervised' | 'dpo';
  @ApiPropertyOptional({ type: SupervisedMethod }) supervised?: SupervisedMethod;
  @ApiPropertyOptional({ type: DpoMethod }) dpo?: DpoMethod;
}

const METADATA = {
  ...({ type: 'object', additionalProperties: { type: 'string' }, nullable: true } as const),
  description: 'At most 16 texts; keys of at most 64 characters, values of at most 512',
};

@Closed()
export class CreateFineTuningJobBody {
  @ApiProperty({ minLength: 1, maxLength: 200, description: 'A catalog id that supports training, or an own model' })
  model!: string;

  @ApiProperty({ description: 'Id of a file with purpose `fine-tune`' }) training_file!: string;
  @ApiPropertyOptional({ ...TEXT_OR_NULL, description: 'Id of another such file; all its rows are held out' })
  validation_file?: string | null;

  @ApiPropertyOptional({ type: FineTuningMethod, nullable: true, description: 'Default: determined by the rows' })
  method?: FineTuningMethod | null;

  @ApiPropertyOptional({
    type: Hyperparameters,
    nullable: true,
    description: 'Older place of the hyperparameters, now in `method`',
  })
  hyperparameters?: Hyperparameters | null;

  @ApiPropertyOptional({ ...TEXT_OR_NULL, minLength: 1, maxLength: MAX_SUFFIX, description: 'Name of the model' })
  suffix?: string | null;

  @ApiPropertyOptional({ type: 'integer', nullable: true, minimum: 0, maximum: MAX_SEED }) seed?: number | null;
  @ApiPropertyOptional(METADATA) metadata?: Record<string, string> | null;
}

export class FineTuningListQuery {
  @QueryText('Id of the last entry of the previous page') after?: string;
  @QueryInteger({ min: 1, max: 100, default: 20 }) limit: number = 20;
}

class FineTuningError {
  @ApiProperty() code!: string;
  @ApiProperty() message!: string;
  @ApiProperty(TEXT_OR_NULL) param!: string | null;
}

@ApiExtraModels(FineTuningError)
export class FineTuningJob {
  @ApiProperty({ description: '`ftjob-` followed by the id of a training job' }) id!: string;
  @ApiProperty({ enum: ['fine_tuning.job'] }) object!: 'fine_tuning.job';
  @ApiProperty(TIME) created_at!: number;
  @ApiProperty({ ...TIME, nullable: true }) finished_at!: number | null;
  @ApiProperty({ description: 'The model that training started from' }) model!: string;
  @ApiProperty({ ...TEXT_OR_NULL, description: 'Can be used as `model` of calls; null until the job has succeeded' })
  fine_tuned_model!: string | null;

  @ApiProperty() organization_id!: string;
  @ApiProperty({ enum: ['queued', 'running', 'succeeded', 'failed', 'cancelled'] }) status!: string;
  @ApiProperty() training_file!: string;
  @ApiProperty({ ...TEXT_OR_NULL, description: 'Null: a share of the training rows is held out' })
  validation_file!: string | null;

  @ApiProperty({ type: Hyperparameters }) hyperparameters!: Hyperparameters;
  @ApiProperty({ type: FineTuningMethod }) method!: FineTuningMethod;
  @ApiProperty({ type: 'integer', nullable: true, description: 'Null: not counted' }) trained_tokens!: number | null;
  @ApiProperty({ nullable: true, oneOf: [{ $ref: getSchemaPath(FineTuningError) }] }) error!: FineTuningError | null;
  @ApiProperty({ type: 'integer' }) seed!: number;
  @ApiProperty({ type: 'integer', nullable: true, description: 'Null: not known' }) estimated_finish!: number | null;
  @ApiProperty({ type: [String] }) integrations!: string[];
  @ApiProperty({ type: [String] }) result_files!: string[];
  @ApiProperty(METADATA) metadata!: Readonly<Record<string, string>> | null;
  @ApiProperty(TEXT_OR_NULL) user_provided_suffix!: string | null;
}

export class FineTuningJobList {
  @ApiProperty({ enum: ['list'] }) object!: 'list';
  @ApiProperty({ type: [FineTuningJob] }) data!: FineTuningJob[];
  @ApiProperty() has_more!: boolean;
}

export class FineTuningEvent {
  @ApiProperty() id!: string;
  @ApiProperty({ enum: ['fine_tuning.job.event'] }) object!: 'fine_tuning.job.event';
  @ApiProperty(TIME) created_at!: number;
  @ApiProperty({ enum: JOB_LOG_LEVELS }) level!: string;
  @ApiProperty() message!: string;
  @ApiProperty({ enum: ['message'] }) type!: 'message';
}

export class FineTuningEventList {
  @ApiProperty({ enum: ['list'] }) object!: 'list';
  @ApiProperty({ type: [FineTuningEvent], description: 'Newest first' }) data!: FineTuningEvent[];
  @ApiProperty() has_more!: boolean;
}

class CheckpointMetrics {
  @ApiProperty({ type: 'integer' }) step!: number;
  @ApiProperty() train_loss!: number;
  @ApiPropertyOptional({ description: 'Loss on the held-out rows; absent if there are none' }) full_valid_loss?: number;
}

export class FineTuningCheckpoint {
  @ApiProperty() id!: string;
  @ApiProperty({ enum: ['fine_tuning.job.checkpoint'] }) object!: 'fine_tuning.job.checkpoint';
  @ApiProperty(TIME) created_at!: number;
  @ApiProperty({ description: 'Can be used as `model` of another job; only finished jobs can be called' })
  fine_tuned_model_checkpoint!: string;

  @ApiProperty() fine_tuning_job_id!: string;
  @ApiProperty({ type: CheckpointMetrics }) metrics!: CheckpointMetrics;
  @ApiProperty({ type: 'integer' }) step_number!: number;
}

export class FineTuningCheckpointList {
  @ApiProperty({ enum: ['list'] }) object!: 'list';
  @ApiProperty({ type: [FineTuningCheckpoint], description: 'Newest first' }) data!: FineTuningCheckpoint[];
  @ApiProperty(TEXT_OR_NULL) first_id!: string | null;
  @ApiProperty(TEXT_OR_NULL) last_id!: string | null;
  @ApiProperty() has_more!: boolean;
}
