import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { GENERATION_STATUSES } from '#domain/generation-job/index.js';
import { EventCitation } from '../events/citation-dto.js';
import { DestroyedKey } from '../inferences/erasure-dto.js';
import { Deleted } from '../projects/dto.js';
import { TASK_TYPES } from './dto.js';

const TEXT_OR_NULL = { type: String, nullable: true } as const;
const ROWS = { type: 'array', items: { type: 'object', additionalProperties: true } } as const;

export class GenerationStarted {
  @ApiProperty({ format: 'uuid' }) job_id!: string;
  @ApiProperty({ enum: ['queued'] }) status!: string;
}

class GenerationWarningRecord {
  @ApiProperty({ example: 'general_text' }) code!: string;
  @ApiProperty() message!: string;
}

export class GenerationJobRecord {
  @ApiProperty({ format: 'uuid' }) job_id!: string;
  @ApiProperty({ enum: GENERATION_STATUSES }) status!: string;
  @ApiProperty({ enum: TASK_TYPES }) task_type!: string;
  @ApiProperty(TEXT_OR_NULL) dataset_name!: string | null;
  @ApiProperty({
    ...TEXT_OR_NULL,
    example: '1',
    description: 'Version of the dataset; null until the rows are stored.',
  })
  version_number!: string | null;
  @ApiProperty({ type: 'integer', description: 'Number of rows made; 0 until then.' }) count!: number;
  @ApiProperty({ type: Number, minimum: 0, maximum: 100 }) progress_percent!: number;
  @ApiProperty(TEXT_OR_NULL) error!: string | null;
  @ApiProperty({ format: 'date-time' }) created_at!: string;
  @ApiProperty({ description: '`built-in`, or the id of a decoder.' }) model_id!: string;
  @ApiProperty({ type: 'integer' }) num_examples!: number;
  @ApiProperty({ type: 'integer' }) seed!: number;
  @ApiProperty({ ...TEXT_OR_NULL, description: 'Id of a project.' }) project_id!: string | null;
  @ApiProperty({
    type: Number,
    nullable: true,
    minimum: 0,
    maximum: 1,
    description: 'Share of the valid rows that were kept. The others were repetitions, and were made again.',
  })
  distinct_share!: number | null;
  @ApiProperty({ type: [GenerationWarningRecord] }) warnings!: GenerationWarningRecord[];
  @ApiPropertyOptional({ format: 'date-time', description: 'When the texts and rows of the job were erased.' })
  erased_at?: string;
  @ApiPropertyOptional({ ...ROWS, description: 'The rows, once `ready`, unless a dataset stores them.' })
  data?: readonly object[];
}

class GenerationErasure {
  @ApiProperty({ enum: ['generation_erasure_certificate'] }) object!: string;
  @ApiProperty({ format: 'uuid' }) job_id!: string;
  @ApiProperty({ format: 'date-time' }) erased_at!: string;
  @ApiProperty({ example: 'key:0f2c', description: '`key:<id>`, `user:<id>`, or `system:expiry`.' })
  erased_by!: string;
  @ApiProperty({
    type: [DestroyedKey],
    description: 'Keys that were destroyed; empty for what was stored unencrypted.',
  })
  keys!: readonly DestroyedKey[];
  @ApiProperty({ type: EventCitation }) event!: EventCitation;
  @ApiProperty({ type: [String], description: 'Where the texts are still stored; empty if nowhere.' })
  remains!: readonly string[];
}

export class ErasedGenerationJob extends Deleted {
  @ApiProperty({ type: GenerationErasure }) certificate!: GenerationErasure;
}

export class LabelledRows {
  @ApiProperty() success!: boolean;
  @ApiProperty({ type: 'integer' }) count!: number;
  @ApiProperty({ ...ROWS, description: 'Training rows, with `details`: spans in code points, and confidences.' })
  data!: readonly object[];
  @ApiPropertyOptional(TEXT_OR_NULL) dataset_name?: string | null;
  @ApiPropertyOptional({
    type: String,
    example: '1',
    description: 'The version that stores the rows; it becomes ready in the background.',
  })
  version_number?: string;
  @ApiProperty({ description: 'The model that ran.' }) model_used!: string;
  @ApiPropertyOptional({ type: [GenerationWarningRecord] }) warnings?: readonly GenerationWarningRecord[];
}
