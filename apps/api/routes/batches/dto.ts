import { ApiExtraModels, ApiProperty, ApiPropertyOptional, getSchemaPath } from '@nestjs/swagger';
import { BATCH_ENDPOINTS } from '#domain/batch/index.js';

const TEXT_OR_NULL = { type: String, nullable: true } as const;
const TIME = { type: 'integer', description: 'Seconds since 1970' } as const;
const TIME_OR_NULL = { ...TIME, nullable: true } as const;
const STATUSES = ['in_progress', 'completed', 'failed', 'expired', 'cancelling', 'cancelled'];
const METADATA = {
  ...({ type: 'object', additionalProperties: { type: 'string' }, nullable: true } as const),
  description: 'At most 16 texts; keys of at most 64 characters, values of at most 512',
};

export class CreateBatchBody {
  @ApiProperty({ description: 'Id of a file with purpose `batch`' }) input_file_id!: string;
  @ApiProperty({ enum: BATCH_ENDPOINTS }) endpoint!: string;
  @ApiProperty({ enum: ['24h'] }) completion_window!: string;
  @ApiPropertyOptional(METADATA) metadata?: Record<string, string> | null;
}

class BatchProblem {
  @ApiProperty() code!: string;
  @ApiProperty() message!: string;
  @ApiProperty({ type: 'integer', nullable: true }) line!: number | null;
  @ApiProperty(TEXT_OR_NULL) param!: string | null;
}

class BatchProblems {
  @ApiProperty({ enum: ['list'] }) object!: 'list';
  @ApiProperty({ type: [BatchProblem] }) data!: BatchProblem[];
}

class BatchCounts {
  @ApiProperty({ type: 'integer' }) total!: number;
  @ApiProperty({ type: 'integer' }) completed!: number;
  @ApiProperty({ type: 'integer' }) failed!: number;
}

@ApiExtraModels(BatchProblems)
export class BatchObject {
  @ApiProperty({ description: '`batch_` followed by an id' }) id!: string;
  @ApiProperty({ enum: ['batch'] }) object!: 'batch';
  @ApiProperty({ enum: BATCH_ENDPOINTS }) endpoint!: string;
  @ApiProperty({
    nullable: true,
    oneOf: [{ $ref: getSchemaPath(BatchProblems) }],
    description: 'Reasons for the failure',
  })
  errors!: BatchProblems | null;

  @ApiProperty() input_file_id!: string;
  @ApiProperty() completion_window!: string;
  @ApiProperty({ enum: STATUSES }) status!: string;
  @ApiProperty({ ...TEXT_OR_NULL, description: 'Id of the file with the answers; null if there is none yet' })
  output_file_id!: string | null;

  @ApiProperty({ ...TEXT_OR_NULL, description: 'Id of the file with the requests that got no answer' })
  error_file_id!: string | null;

  @ApiProperty(TIME) created_at!: number;
  @ApiProperty(TIME) in_progress_at!: number;
  @ApiProperty(TIME) expires_at!: number;
  @ApiProperty(TIME_OR_NULL) completed_at!: number | null;
  @ApiProperty(TIME_OR_NULL) failed_at!: number | null;
  @ApiProperty(TIME_OR_NULL) expired_at!: number | null;
  @ApiProperty(TIME_OR_NULL) cancelling_at!: number | null;
  @ApiProperty(TIME_OR_NULL) cancelled_at!: number | null;
  @ApiProperty({ type: BatchCounts }) request_counts!: BatchCounts;
  @ApiProperty(METADATA) metadata!: Readonly<Record<string, string>> | null;
}

export class BatchList {
  @ApiProperty({ enum: ['list'] }) object!: 'list';
  @ApiProperty({ type: [BatchObject], description: 'Newest first' }) data!: BatchObject[];
  @ApiProperty(TEXT_OR_NULL) first_id!: string | null;
  @ApiProperty(TEXT_OR_NULL) last_id!: string | null;
  @ApiProperty() has_more!: boolean;
}
