import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { DestroyedKey, LearnedFrom } from '../../inferences/erasure-dto.js';
import { EventCitation } from '../../events/citation-dto.js';
import { Deleted } from '../../projects/dto.js';
import { QueryBoolean } from '../../../edge/validation/index.js';

export class DeleteVersionQuery {
  @QueryBoolean(
    'Removes rows and files immediately and permanently, also those of a deleted version. By default, a deleted version can be restored.',
  )
  erase?: boolean;
}

export class DatasetErasure {
  @ApiProperty({ enum: ['dataset_erasure_certificate'] }) object!: string;
  @ApiProperty() name!: string;
  @ApiProperty({ type: 'integer' }) version!: number;
  @ApiProperty() version_id!: string;
  @ApiProperty({ type: 'integer', nullable: true, description: 'null if the version was never ready.' }) rows!:
    number | null;
  @ApiProperty({
    type: String,
    nullable: true,
    description: 'SHA-256 of the rows; null if the version was never ready.',
  })
  sha256!: string | null;
  @ApiProperty({ format: 'date-time' }) erased_at!: string;
  @ApiProperty({
    example: 'key:0f2c',
    description: '`key:<id>`, `user:<id>`, or `system:storage` for an erasure that frees space.',
  })
  erased_by!: string;
  @ApiProperty({
    type: [DestroyedKey],
    description: 'Keys of the rows that were destroyed; empty for rows that were stored unencrypted.',
  })
  keys!: readonly DestroyedKey[];
  @ApiProperty({ type: EventCitation }) event!: EventCitation;
  @ApiProperty({ type: LearnedFrom }) learned!: LearnedFrom;
  @ApiProperty({
    type: [String],
    description: 'Where the rows are still stored, as far as known; empty if nowhere.',
  })
  remains!: readonly string[];
}

export class DeletedVersion extends Deleted {
  @ApiPropertyOptional({ type: DatasetErasure, description: 'With `erase=true`.' }) certificate?: DatasetErasure;
}
