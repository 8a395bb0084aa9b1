import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import {
  ArrayMaxSize,
  ArrayMinSize,
  IsArray,
  IsNotEmpty,
  IsObject,
  IsOptional,
  IsString,
  Matches,
  MaxLength,
} from 'class-validator';
import { DATASET_NAME } from '#domain/dataset/index.js';
import { IsVersionReference } from '../training-jobs/version-reference.js';
import { ItemsOf } from '../validation/index.js';

const MAX_SOURCES = 100;

class MergeSourceReference {
  @ApiProperty({ description: 'Name of a dataset' })
  @IsString()
  @IsNotEmpty()
  @MaxLength(128)
  dataset_name!: string;

  @ApiPropertyOptional({
    oneOf: [{ type: 'string' }, { type: 'integer' }],
    nullable: true,
    description: 'A version number, or `latest`: the newest ready version',
    default: 'latest',
  })
  @IsOptional()
  @IsVersionReference()
  version?: string | number | null;
}

export class MergeBody {
  @ApiProperty({ type: [MergeSourceReference], minItems: 2, maxItems: MAX_SOURCES, description: 'All of one type.' })
  @IsArray()
  @ArrayMinSize(2, { message: '$property must name at least two datasets' })
  @ArrayMaxSize(MAX_SOURCES)
  @IsObject({ each: true, message: '$property must be a list of objects {dataset_name, version?}' })
  @ItemsOf(() => MergeSourceReference, 'must be an object {dataset_name, version?}')
  sources!: MergeSourceReference[];

  @ApiProperty({ pattern: DATASET_NAME.source, description: 'An existing name gets a new version.' })
  @IsString()
  @Matches(DATASET_NAME, { message: '$property must be 1 to 128 letters, digits, spaces or any of . _ -' })
  output_name!: string;
}

export class Merged {
  @ApiProperty() dataset_name!: string;
  @ApiProperty({ example: '1' }) version!: string;
  @ApiProperty({ description: 'Rows.' }) sample_size!: number;
  @ApiProperty({
    type: 'object',
    additionalProperties: { type: 'integer' },
    example: { tickets: 120, mails: 80 },
    description: 'Rows of each dataset, by name.',
  })
  source_counts!: Record<string, number>;
}
