import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsBoolean, IsIn, IsInt, IsNotEmpty, IsOptional, IsString, Length, Matches, Max, Min } from 'class-validator';
import { DATASET_NAME, type DatasetType } from '#domain/dataset/index.js';
import { OWNED_REPO_ID, PART_NAME, REPO_ID, REVISION, TOKEN } from '#hub/index.js';
import { IsColumnMapping } from './column-mapping.js';
import { UPLOADED_TYPES } from './dto.js';

const REPO_REFUSED = '$property must be the id of a dataset repository, like owner/name';
const TOKEN_REFUSED = '$property must be a token of the hub, which begins with hf_';

export class PushBody {
  @ApiProperty({ example: 'owner/name', description: 'Made where there is none.' })
  @IsString()
  @Matches(OWNED_REPO_ID, { message: '$property must be owner/name' })
  repo_id!: string;

  @ApiProperty({ pattern: TOKEN.source, description: 'May write there. It is not kept.' })
  @IsString()
  @Matches(TOKEN, { message: TOKEN_REFUSED })
  hf_token!: string;

  @ApiPropertyOptional({ default: true, description: 'Of a repository that is made.' })
  @IsOptional()
  @IsBoolean()
  private?: boolean | null;

  @ApiPropertyOptional({ type: String, nullable: true, minLength: 1, maxLength: 200 })
  @IsOptional()
  @IsString()
  @Length(1, 200)
  commit_message?: string | null;
}

export class PushedRecord {
  @ApiProperty() success!: boolean;
  @ApiProperty() url!: string;
  @ApiProperty() repo_id!: string;
  @ApiProperty() message!: string;
}

/** Selects rows of a hub dataset. */
export class HubRowsBody {
  @ApiProperty({ example: 'owner/name' })
  @IsString()
  @Matches(REPO_ID, { message: REPO_REFUSED })
  repo_id!: string;

  @ApiPropertyOptional({ type: String, nullable: true, description: 'Default: the one that the repository says.' })
  @IsOptional()
  @IsString()
  @Matches(PART_NAME, { message: '$property must be the name of a configuration' })
  config?: string | null;

  @ApiPropertyOptional({ type: String, nullable: true, description: 'Default: `train`, or the only one.' })
  @IsOptional()
  @IsString()
  @Matches(PART_NAME, { message: '$property must be the name of a split' })
  split?: string | null;

  @ApiPropertyOptional({ type: String, nullable: true, description: 'A branch, tag or commit.', default: 'main' })
  @IsOptional()
  @IsString()
  @Matches(REVISION, { message: '$property must be a branch, a tag or a commit' })
  revision?: string | null;

  @ApiPropertyOptional({
    type: String,
    nullable: true,
    pattern: TOKEN.source,
    description: 'For private and gated repositories. It is kept, sealed, until the work is done, a day at most.',
  })
  @IsOptional()
  @IsString()
  @Matches(TOKEN, { message: TOKEN_REFUSED })
  hf_token?: string | null;
}

export class PullBody extends HubRowsBody {
  @ApiProperty({ pattern: DATASET_NAME.source, description: 'An existing name gets a new version.' })
  @IsString()
  @Matches(DATASET_NAME, { message: '$property must be 1 to 128 letters, digits, spaces or any of . _ -' })
  dataset_name!: string;

  @ApiProperty({ enum: UPLOADED_TYPES })
  @IsIn(UPLOADED_TYPES, { message: `$property must be one of ${UPLOADED_TYPES.join(', ')}` })
  dataset_type!: DatasetType;

  @ApiPropertyOptional({
    type: 'object',
    additionalProperties: { type: 'string' },
    example: { text: 'sentence', label: 'intent' },
    description: 'Our column -> the column of the file.',
  })
  @IsOptional()
  @IsColumnMapping()
  column_mapping?: Record<string, string> | null;

  @ApiPropertyOptional({ type: String, nullable: true })
  @IsOptional()
  @IsString()
  @IsNotEmpty()
  project_id?: string | null;
}

export class HubPreviewBody extends HubRowsBody {
  @ApiPropertyOptional({ type: 'integer', minimum: 1, maximum: 100, default: 10, nullable: true })
  @IsOptional()
  @IsInt()
  @Min(1)
  @Max(100)
  limit?: number | null;
}

export class HubPreview {
  @ApiProperty({ type: 'array', items: { type: 'object', additionalProperties: true } }) rows!: object[];
  @ApiProperty({ type: Number, nullable: true, description: 'Null where there are more than were read.' })
  total_rows!: number | null;
  @ApiProperty({ type: [String], description: 'Of the rows shown.' }) columns!: string[];
}
