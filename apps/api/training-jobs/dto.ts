import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import {
  ArrayMaxSize,
  ArrayMinSize,
  IsArray,
  IsIn,
  IsInt,
  IsNotEmpty,
  IsNumber,
  IsObject,
  IsOptional,
  IsString,
  Length,
  Max,
  MaxLength,
  Min,
} from 'class-validator';
import { MAX_EPOCHS } from '#domain/training-job/index.js';
import { ItemsOf, Printable } from '../validation/index.js';
import { IsVersionReference } from './version-reference.js';

class DatasetReference {
  @ApiProperty({ description: 'Name of a dataset' })
  @IsString()
  @IsNotEmpty()
  @MaxLength(128)
  name!: string;

  @ApiPropertyOptional({
    oneOf: [{ type: 'string' }, { type: 'integer' }],
    description: 'A version number, or `latest`: the newest ready version',
    default: 'latest',
  })
  @IsOptional()
  @IsVersionReference()
  version?: string | number;
}

const WHOLE = { type: 'integer' } as const;

export class CreateTrainingJobBody {
  @ApiPropertyOptional({ minLength: 1, maxLength: 100, description: 'Name of the resulting model' })
  @IsOptional()
  @IsString()
  @Length(1, 100)
  @Printable()
  model_name?: string;

  @ApiProperty({ type: [DatasetReference], minItems: 1, maxItems: 20 })
  @IsArray()
  @ArrayMinSize(1, { message: '$property must name at least one dataset' })
  @ArrayMaxSize(20)
  @IsObject({ each: true, message: '$property must be a list of objects {name, version?}' })
  @ItemsOf(() => DatasetReference, 'must be an object {name, version?}')
  datasets!: DatasetReference[];

  @ApiProperty({ description: 'A catalog id that supports training, or the id of a checkpoint to go on from' })
  @IsString()
  @IsNotEmpty()
  @MaxLength(200)
  base_model!: string;

  @ApiPropertyOptional({ enum: ['lora', 'full'], default: 'lora' })
  @IsOptional()
  @IsIn(['lora', 'full'])
  training_type?: 'lora' | 'full';

  @ApiPropertyOptional({ ...WHOLE, minimum: 1, maximum: MAX_EPOCHS, description: 'Default: by base model and rows' })
  @IsOptional()
  @IsInt()
  @Min(1)
  @Max(MAX_EPOCHS)
  nr_epochs?: number;

  @ApiPropertyOptional({ minimum: 0, exclusiveMinimum: true, maximum: 10 })
  @IsOptional()
  @IsNumber()
  @Min(1e-8, { message: '$property must be above 0' })
  @Max(10)
  learning_rate?: number;

  @ApiPropertyOptional({ ...WHOLE, minimum: 1, maximum: 1024 })
  @IsOptional()
  @IsInt()
  @Min(1)
  @Max(1024)
  batch_size?: number;

  @ApiPropertyOptional({ minimum: 0.01, maximum: 0.5, description: 'Share of the rows held out: 0.1 for a tenth' })
  @IsOptional()
  @IsNumber()
  @Min(0.01, { message: '$property must be a share from 0.01 to 0.5: 0.1 holds out a tenth of the rows' })
  @Max(0.5, { message: '$property must be a share from 0.01 to 0.5: 0.1 holds out a tenth of the rows' })
  validation_data_percentage?: number;

  @ApiPropertyOptional({ ...WHOLE, minimum: 0, maximum: MAX_EPOCHS, description: '0: train all epochs' })
  @IsOptional()
  @IsInt()
  @Min(0)
  @Max(MAX_EPOCHS)
  early_stopping_patience?: number;

  @ApiPropertyOptional({ ...WHOLE, minimum: 1, maximum: 256 })
  @IsOptional()
  @IsInt()
  @Min(1)
  @Max(256)
  lora_r?: number;

  @ApiPropertyOptional({ minimum: 0, exclusiveMinimum: true, maximum: 1024 })
  @IsOptional()
  @IsNumber()
  @Min(1e-8, { message: '$property must be above 0' })
  @Max(1024)
  lora_alpha?: number;

  @ApiPropertyOptional({ minimum: 0, maximum: 0.9 })
  @IsOptional()
  @IsNumber()
  @Min(0)
  @Max(0.9)
  lora_dropout?: number;

  @ApiPropertyOptional({ enum: ['constant', 'linear', 'cosine'] })
  @IsOptional()
  @IsIn(['constant', 'linear', 'cosine'])
  lr_scheduler_type?: 'constant' | 'linear' | 'cosine';

  @ApiPropertyOptional({ minimum: 0, maximum: 1 })
  @IsOptional()
  @IsNumber()
  @Min(0)
  @Max(1)
  warmup_ratio?: number;

  @ApiPropertyOptional({ minimum: 0, maximum: 1 })
  @IsOptional()
  @IsNumber()
  @Min(0)
  @Max(1)
  weight_decay?: number;

  @ApiPropertyOptional({
    ...WHOLE,
    minimum: 0,
    maximum: 1_000_000,
    description:
      'A checkpoint every so many steps besides those at the epochs’ ends; 0 for none. Thinned where too many',
  })
  @IsOptional()
  @IsInt()
  @Min(0)
  @Max(1_000_000)
  save_steps?: number;

  @ApiPropertyOptional({ ...WHOLE, minimum: 0, maximum: 4_294_967_295, default: 3407 })
  @IsOptional()
  @IsInt()
  @Min(0)
  @Max(4_294_967_295)
  seed?: number;

  @ApiPropertyOptional({ description: 'Id of a project' })
  @IsOptional()
  @IsString()
  project_id?: string;
}
