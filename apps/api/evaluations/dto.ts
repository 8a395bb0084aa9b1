import { ApiPropertyOptional, ApiProperty } from '@nestjs/swagger';
import { IsInt, IsNotEmpty, IsOptional, IsString, Max, MaxLength, Min } from 'class-validator';
import { IsVersionReference } from '../training-jobs/version-reference.js';
import { QueryBoolean, QueryInteger, QueryOneOf, QueryText } from '../validation/index.js';

export class StartEvaluationBody {
  @ApiPropertyOptional({ description: 'Id of a training job, a checkpoint or a catalog model. Or `model_id`' })
  @IsOptional()
  @IsString()
  @IsNotEmpty()
  @MaxLength(200)
  base_model?: string;

  @ApiPropertyOptional({ description: 'Another name for `base_model`' })
  @IsOptional()
  @IsString()
  @IsNotEmpty()
  @MaxLength(200)
  model_id?: string;

  @ApiProperty()
  @IsString()
  @IsNotEmpty()
  @MaxLength(128)
  dataset_name!: string;

  @ApiPropertyOptional({ oneOf: [{ type: 'string' }, { type: 'integer' }], default: 'latest' })
  @IsOptional()
  @IsVersionReference()
  version_number?: string | number;

  @ApiPropertyOptional({ type: 'integer', minimum: 1, description: 'Only the first so many rows' })
  @IsOptional()
  @IsInt()
  @Min(1)
  @Max(10_000_000)
  max_examples?: number;

  @ApiPropertyOptional({ description: 'Id of a project' })
  @IsOptional()
  @IsString()
  project_id?: string;
}

export const EVALUATION_STATUSES = ['queued', 'running', 'complete', 'failed'] as const;

export class ListEvaluationsQuery {
  @QueryText('Id of the model evaluated') model_id?: string;
  @QueryText('Id of a project') project_id?: string;

  @QueryText('Id of a training job: evaluations of its model and its checkpoints, the automatic one too')
  training_job_id?: string;

  @QueryText('Name of the dataset evaluated on') dataset_name?: string;
  @QueryOneOf(EVALUATION_STATUSES) status?: (typeof EVALUATION_STATUSES)[number];
  @QueryInteger({ min: 1, max: 200, default: 200 }) limit: number = 200;
  @QueryInteger({ min: 0, default: 0 }) offset: number = 0;
}

export class PredictionsQuery {
  @QueryInteger(
    { min: 0, max: 1000, default: 100 },
    'Predictions in the answer, at most; fewer where they hold more than 1 MiB',
  )
  limit: number = 100;

  @QueryInteger({ min: 0, default: 0 }) offset: number = 0;
  @QueryBoolean('Only predictions that are wrong; `offset` counts these') only_wrong?: boolean;
}
