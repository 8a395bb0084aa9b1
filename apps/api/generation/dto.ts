import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import {
  ArrayMaxSize,
  ArrayMinSize,
  ArrayUnique,
  IsArray,
  IsBoolean,
  IsIn,
  IsInt,
  IsNotEmpty,
  IsNumber,
  IsOptional,
  IsString,
  Matches,
  Max,
  MaxLength,
  Min,
} from 'class-validator';
import { DATASET_NAME } from '#domain/dataset/index.js';
import type { FieldType, GenerationTask } from '#domain/generation-job/index.js';
import { BUILT_IN } from '#synthetic-data/generators.js';
import { ItemsOf } from '../validation/index.js';

export const TASK_TYPES: readonly GenerationTask[] = [
  'ner',
  'classification',
  'custom',
  'decoder',
  'records',
  'fields',
];
const FIELD_TYPES: readonly FieldType[] = ['string', 'number', 'boolean', 'list'];
const MAX_ROWS = 10_000;
const MAX_TEXT_CHARACTERS = 20_000;
const MAX_SEED = 0xffff_ffff;

export class FieldBody {
  @ApiProperty({ minLength: 1, maxLength: 100, example: 'customer_email' })
  @IsString()
  @IsNotEmpty()
  @MaxLength(100)
  name!: string;

  @ApiPropertyOptional({ enum: FIELD_TYPES, default: 'string' })
  @IsOptional()
  @IsIn(FIELD_TYPES, { message: `$property must be one of ${FIELD_TYPES.join(', ')}` })
  type?: FieldType | null;

  @ApiPropertyOptional({ type: String, nullable: true, maxLength: 2000 })
  @IsOptional()
  @IsString()
  @MaxLength(2000)
  description?: string | null;

  @ApiPropertyOptional({ type: [String], nullable: true, description: 'The only values that it may have.' })
  @IsOptional()
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(1000)
  @ArrayUnique()
  @IsString({ each: true, message: 'each value in $property must be a string that is not empty' })
  @IsNotEmpty({ each: true, message: 'each value in $property must be a string that is not empty' })
  choices?: string[] | null;
}

class ClassifiedExampleBody {
  @ApiProperty({ minLength: 1 })
  @IsString()
  @IsNotEmpty()
  @MaxLength(MAX_TEXT_CHARACTERS)
  text!: string;

  @ApiProperty({ minLength: 1 })
  @IsString()
  @IsNotEmpty()
  @MaxLength(200)
  label!: string;
}

const labels = () => [
  IsArray(),
  ArrayMinSize(1),
  ArrayMaxSize(200),
  ArrayUnique({ message: '$property must not hold a label twice' }),
  IsString({ each: true, message: 'each value in $property must be a string' }),
  Matches(/\S/, { each: true, message: 'each value in $property must be a label that is not empty' }),
  MaxLength(200, { each: true, message: 'each value in $property must have at most 200 characters' }),
];

const Labels = (): PropertyDecorator => (target, property) => {
  for (const decorate of labels()) decorate(target, property);
};

const Fields =
  (description: string): PropertyDecorator =>
  (target, property) => {
    const decorators = [
      ApiPropertyOptional({ type: [FieldBody], nullable: true, minItems: 1, maxItems: 100, description }),
      IsOptional(),
      IsArray(),
      ArrayMinSize(1),
      ArrayMaxSize(100),
      ArrayUnique((field: FieldBody | null) => field?.name, { message: '$property must not name a field twice' }),
      ItemsOf(() => FieldBody),
    ];
    for (const decorate of decorators) decorate(target, property);
  };

const Text =
  (description: string): PropertyDecorator =>
  (target, property) => {
    const decorators = [
      ApiPropertyOptional({ type: String, nullable: true, minLength: 1, maxLength: MAX_TEXT_CHARACTERS, description }),
      IsOptional(),
      IsString(),
      IsNotEmpty(),
      MaxLength(MAX_TEXT_CHARACTERS),
    ];
    for (const decorate of decorators) decorate(target, property);
  };

const DatasetName = (): PropertyDecorator => (target, property) => {
  const decorators = [
    ApiPropertyOptional({
      type: String,
      nullable: true,
      pattern: DATASET_NAME.source,
      description: 'The rows become its next version. Without a name they come back in `data` only.',
    }),
    IsOptional(),
    IsString(),
    Matches(DATASET_NAME, { message: '$property must be 1 to 128 letters, digits, spaces or any of . _ -' }),
  ];
  for (const decorate of decorators) decorate(target, property);
};

export class GenerateBody {
  @ApiProperty({ enum: TASK_TYPES })
  @IsIn(TASK_TYPES, { message: `$property must be one of ${TASK_TYPES.join(', ')}` })
  task_type!: GenerationTask;

  @DatasetName() dataset_name?: string | null;

  @ApiPropertyOptional({
    type: [String],
    nullable: true,
    description: 'Required by `ner` and `classification`.',
    example: ['person', 'city'],
  })
  @IsOptional()
  @Labels()
  labels?: string[] | null;

  @ApiPropertyOptional({ type: 'integer', nullable: true, minimum: 1, maximum: MAX_ROWS, default: 100 })
  @IsOptional()
  @IsInt()
  @Min(1)
  @Max(MAX_ROWS)
  num_examples?: number | null;

  @Text('What the rows are about. Required by `decoder`.') domain_description?: string | null;
  @Text('Required by `custom`.') prompt?: string | null;
  @Text('How rows are to be made; of `decoder` rows the system message.') instruction?: string | null;
  @Fields('Required by `records`.') fields?: FieldBody[] | null;
  @Fields('Required by `fields`, with `output_fields`.') input_fields?: FieldBody[] | null;
  @Fields('Required by `fields`, with `input_fields`.') output_fields?: FieldBody[] | null;

  @ApiPropertyOptional({
    type: [ClassifiedExampleBody],
    nullable: true,
    maxItems: 100,
    description: 'Labelled texts that show what is wanted. Only with a decoder as `model_id`.',
  })
  @IsOptional()
  @IsArray()
  @ArrayMaxSize(100)
  @ItemsOf(() => ClassifiedExampleBody)
  classified_examples?: ClassifiedExampleBody[] | null;

  @ApiPropertyOptional({ type: Boolean, nullable: true, description: 'Default: true where `dataset_name` is given.' })
  @IsOptional()
  @IsBoolean()
  save_dataset?: boolean | null;

  @ApiPropertyOptional({ type: String, nullable: true, description: 'Id of a project' })
  @IsOptional()
  @IsString()
  @IsNotEmpty()
  project_id?: string | null;

  @ApiPropertyOptional({
    type: 'integer',
    nullable: true,
    minimum: 0,
    maximum: MAX_SEED,
    description:
      'The built-in generator makes the same rows of the same seed. Default: drawn for each job, and shown in it.',
  })
  @IsOptional()
  @IsInt()
  @Min(0)
  @Max(MAX_SEED)
  seed?: number | null;

  @ApiPropertyOptional({
    type: String,
    nullable: true,
    default: BUILT_IN,
    description: `Who makes the rows: \`${BUILT_IN}\`, which needs no model, or the id of a decoder of the catalog.`,
  })
  @IsOptional()
  @IsString()
  @IsNotEmpty()
  @MaxLength(200)
  model_id?: string | null;
}

export class LabelExistingBody {
  @ApiProperty({ type: [String], minItems: 1, maxItems: 1000 })
  @IsArray()
  @ArrayMinSize(1, { message: '$property must hold 1 to 1,000 strings' })
  @ArrayMaxSize(1000, { message: '$property must hold 1 to 1,000 strings' })
  @IsString({ each: true, message: 'each value in $property must be a string' })
  @Matches(/\S/, { each: true, message: 'each value in $property must be a text that is not empty' })
  inputs!: string[];

  @ApiProperty({ type: [String], minItems: 1, maxItems: 200 })
  @Labels()
  labels!: string[];

  @ApiPropertyOptional({
    type: Boolean,
    nullable: true,
    default: false,
    description: 'Classification: any number of labels for a text.',
  })
  @IsOptional()
  @IsBoolean()
  multi_label?: boolean | null;

  @ApiPropertyOptional({ type: Number, nullable: true, minimum: 0, maximum: 1, default: 0.5 })
  @IsOptional()
  @IsNumber()
  @Min(0)
  @Max(1)
  threshold?: number | null;

  @ApiPropertyOptional({ type: Boolean, nullable: true, description: 'Default: true where `dataset_name` is given.' })
  @IsOptional()
  @IsBoolean()
  save_dataset?: boolean | null;

  @DatasetName() dataset_name?: string | null;
  @Text('What the texts are about. Encoders make no use of it.') domain_description?: string | null;

  @ApiPropertyOptional({
    type: String,
    nullable: true,
    description: 'A catalog encoder or a training job. Default: the first encoder of the catalog.',
  })
  @IsOptional()
  @IsString()
  @IsNotEmpty()
  @MaxLength(200)
  model_id?: string | null;

  @ApiPropertyOptional({ type: String, nullable: true, description: 'Id of a project' })
  @IsOptional()
  @IsString()
  @IsNotEmpty()
  project_id?: string | null;
}
