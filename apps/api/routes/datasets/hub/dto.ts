import { ApiProperty } from '@nestjs/swagger';
import { Matches } from 'class-validator';
import type { DatasetType, OnError } from '#domain/dataset/index.js';
import { OWNED_REPO_ID, PART_NAME, REPO_ID, REVISION, TOKEN } from '#models/hub/index.js';
import { bodyField, BodyFlag, BodyInteger, BodyOneOf, BodyText, BodyTextLike } from '../../../edge/validation/index.js';
import { ColumnMapping, DatasetName, LabelNamesField, OnErrorField } from '../versions/body-fields.js';
import { FormatField, UPLOADED_TYPES } from '../versions/dto.js';

const HUB_TOKEN = 'a token of the hub, which begins with hf_';

/** The document describes it in words: the patterns of the hub are long. */
const HubName = (pattern: RegExp, expected: string, about: Parameters<typeof bodyField>[0] = {}): PropertyDecorator =>
  bodyField({ ...about, type: String }, Matches(pattern, { message: `$property must be ${expected}` }));

export class PushBody {
  @HubName(OWNED_REPO_ID, 'owner/name', { example: 'owner/name', description: 'Created if it does not exist.' })
  repo_id!: string;

  @BodyTextLike(TOKEN, HUB_TOKEN, { description: 'A token with write access. It is not stored.' }) hf_token!: string;
  @BodyFlag({ optional: true, default: true, description: 'Visibility of a newly created repository.' }) private?:
    boolean | null;
  @BodyText({ optional: true, max: 200 }) commit_message?: string | null;
}

export class PushedRecord {
  @ApiProperty() success!: boolean;
  @ApiProperty() url!: string;
  @ApiProperty() repo_id!: string;
  @ApiProperty() message!: string;
}

/** Selects rows of a hub dataset. */
export class HubRowsBody {
  @HubName(REPO_ID, 'the id of a dataset repository, like owner/name', { example: 'owner/name' })
  repo_id!: string;

  @HubName(PART_NAME, 'the name of a configuration', {
    optional: true,
    description: 'Default: the default configuration of the repository.',
  })
  config?: string | null;

  @HubName(PART_NAME, 'the name of a split', {
    optional: true,
    description: 'Default: `train`, or the only split.',
  })
  split?: string | null;

  @HubName(REVISION, 'a branch, a tag or a commit', {
    optional: true,
    default: 'main',
    description: 'A branch, tag or commit.',
  })
  revision?: string | null;

  @BodyTextLike(TOKEN, HUB_TOKEN, {
    optional: true,
    description:
      'For private and gated repositories. The token is stored, sealed, until the work is done, for a day at most.',
  })
  hf_token?: string | null;
}

export class PullBody extends HubRowsBody {
  @DatasetName({ description: 'An existing dataset gets a new version.' }) dataset_name!: string;
  @BodyOneOf(UPLOADED_TYPES) dataset_type!: DatasetType;
  @FormatField() format?: string | null;
  @ColumnMapping() column_mapping?: Record<string, string> | null;
  @LabelNamesField() label_names?: Record<string, string[]> | null;
  @OnErrorField() on_error?: OnError | null;
  @BodyText({ optional: true }) project_id?: string | null;
}

export class HubPreviewBody extends HubRowsBody {
  @BodyInteger({ optional: true, min: 1, max: 100, default: 10 }) limit?: number | null;
}

export class HubPreview {
  @ApiProperty({ type: 'array', items: { type: 'object', additionalProperties: true } }) rows!: readonly object[];
  @ApiProperty({ type: Number, nullable: true, description: 'null if there are more rows than were read.' })
  total_rows!: number | null;
  @ApiProperty({ type: [String], description: 'Columns of the rows shown.' }) columns!: readonly string[];
}
