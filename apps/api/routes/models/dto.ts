import { ApiExtraModels, ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsInt, Max, Min, ValidateIf } from 'class-validator';
import { MODEL_NAME, MODEL_NAME_IN_WORDS } from '#domain/model/index.js';
import { ConfidenceFigures } from '../training-jobs/reading/responses.js';
import { PolicyRecord } from '../improvements/dto.js';
import {
  bodyField,
  BodyInteger,
  BodyText,
  BodyTextLike,
  NotBlank,
  QueryInteger,
  QueryNumber,
} from '../../edge/validation/index.js';
import { Closed } from '../../edge/validation/closed.js';

export const MAX_VERSION = 999_999;
const optional = true;
const Version = (description: string): PropertyDecorator => BodyInteger({ min: 1, max: MAX_VERSION, description });
/** Present, and a number or null. */
const VersionOrNull = (description: string): PropertyDecorator =>
  bodyField(
    { type: 'integer', nullable: true, minimum: 1, maximum: MAX_VERSION, description },
    ...[ValidateIf((_, value) => value !== null), Max(MAX_VERSION), Min(1), IsInt()],
  );
const Reason = (about: { readonly optional?: boolean } = {}): PropertyDecorator =>
  BodyText(
    { ...about, max: 500, description: 'The reason; stored with the event', example: 'better on held-out rows' },
    NotBlank(),
  );

@Closed()
export class CreateNamedModelBody {
  @BodyTextLike(MODEL_NAME, MODEL_NAME_IN_WORDS, {
    example: 'tickets',
    description: 'Name for calls; must not be the id of a catalog model or a job',
  })
  name!: string;

  @BodyText({ optional, min: 0, max: 2000 }) description?: string | null;
}

export class AddModelVersionBody {
  @BodyText({ optional, max: 200, description: 'Id of a completed training job. Or `model_id`' })
  training_job_id?: string | null;

  @BodyText({ optional, max: 200, description: 'Id of a model of the catalog. Or `training_job_id`' })
  model_id?: string | null;
}

export class PromoteBody {
  @Reason() reason!: string;
}

export class RollbackBody {
  @BodyInteger({ optional, min: 1, max: MAX_VERSION, description: 'Default: the version that was in use before' })
  version?: number | null;

  @Reason() reason!: string;
}

export class SetLabelBody {
  @Version('The version that `name@label` resolves to from now on') version!: number;
  @Reason({ optional }) reason?: string | null;
}

export class SetTrafficBody {
  @VersionOrNull('The version that gets a share of the calls; null: none') version!: number | null;

  @BodyInteger({
    ...{ optional, min: 0, max: 100, default: 0 },
    description: 'Percentage of callers whose calls go to this version; each caller stays with one version. 0: none',
  })
  percent?: number | null;

  @Reason({ optional }) reason?: string | null;
}

export class SetShadowBody {
  @VersionOrNull('The version that answers each call as a shadow; null: none') version!: number | null;
  @Reason({ optional }) reason?: string | null;
}

export class NamedModelsQuery {
  @QueryInteger({ min: 1, max: 200, default: 100 }) limit = 100;
  @QueryInteger({ min: 0, default: 0 }) offset = 0;
}

export class NamedModelQuery {
  @QueryNumber({ min: 0, max: 1 }, 'Wanted precision: `confidence` then has the threshold for it, by head')
  precision?: number;
}

const TEXT_OR_NULL = { type: String, nullable: true } as const;
const INTEGER = { type: 'integer' } as const;
const INTEGER_OR_NULL = { type: 'integer', nullable: true } as const;

class ModelVersionRecord {
  @ApiProperty(INTEGER) version!: number;
  @ApiProperty({ description: 'Id of the model that it runs: a job or a catalog model' }) model_id!: string;
  @ApiProperty({ ...TEXT_OR_NULL, description: 'null for a catalog model' }) training_job_id!: string | null;
  @ApiProperty() base_model!: string;
  @ApiProperty({ type: [String] }) labels!: string[];
  @ApiProperty({ description: '`key:` or `user:` and an id, or a process' }) added_by!: string;
  @ApiProperty({ format: 'date-time' }) added_at!: string;
}

class ModelPromotionRecord {
  @ApiProperty(INTEGER) version!: number;
  @ApiProperty({ ...INTEGER_OR_NULL, description: 'The version in use before' }) previous!: number | null;
  @ApiProperty() rollback!: boolean;
  @ApiProperty() reason!: string;
  @ApiProperty() actor!: string;
  @ApiProperty({ format: 'date-time' }) at!: string;
}

class ModelTrafficRecord {
  @ApiProperty(INTEGER) version!: number;
  @ApiProperty({ ...INTEGER, description: 'Of callers' }) percent!: number;
}

export class ShadowAgreement {
  @ApiProperty({ ...INTEGER, description: 'Calls that both versions have answered' }) compared!: number;
  @ApiProperty({ ...INTEGER, description: 'Of these, with the same answer' }) equal!: number;
  @ApiProperty({ type: Number, nullable: true, description: 'Share of equal answers among compared calls' }) share!:
    number | null;
}

class ModelConfidence extends ConfidenceFigures {
  @ApiPropertyOptional({
    ...{ type: Number, nullable: true },
    description:
      'The lowest threshold with the wanted `precision` on the held-out rows; null: none has it. A single class is answered whatever its confidence: compare it yourself',
  })
  threshold_for_precision?: number | null;
}

@ApiExtraModels(ModelConfidence)
export class NamedModelRecord {
  @ApiProperty() name!: string;
  @ApiProperty(TEXT_OR_NULL) description!: string | null;
  @ApiProperty({ ...INTEGER_OR_NULL, description: 'The version in use, to which the name resolves' })
  version!: number | null;

  @ApiProperty({ ...TEXT_OR_NULL, description: 'Id of the model that the version in use runs' }) model_id!:
    string | null;

  @ApiProperty({ type: 'object', additionalProperties: { type: 'integer' }, description: 'Version by label' })
  labels!: Readonly<Record<string, number>>;

  @ApiProperty({ type: ModelTrafficRecord, nullable: true }) traffic!: ModelTrafficRecord | null;
  @ApiProperty(INTEGER_OR_NULL) shadow_version!: number | null;

  @ApiPropertyOptional({
    type: ShadowAgreement,
    description: 'Agreement of the version in use and the shadow, if both exist. Only in `GET /models/{name}`',
  })
  shadow_agreement?: ShadowAgreement;

  @ApiProperty({ type: PolicyRecord, nullable: true, description: 'null: the defaults apply' })
  policy!: PolicyRecord | null;

  @ApiPropertyOptional({ type: [ModelVersionRecord], description: 'Newest first. Not in lists' })
  versions?: ModelVersionRecord[];

  @ApiPropertyOptional({ type: [ModelPromotionRecord], description: 'Newest first, the last 100. Not in lists' })
  promotions?: ModelPromotionRecord[];

  @ApiPropertyOptional({
    type: 'object',
    additionalProperties: { $ref: '#/components/schemas/ModelConfidence' },
    description: 'Confidences of the version in use by head, as its job measured them. Only in `GET /models/{name}`',
  })
  confidence?: Record<string, ModelConfidence>;

  @ApiProperty({ description: 'Stream of its events: `GET /events?stream=`' }) stream!: string;
  @ApiProperty() created_by!: string;
  @ApiProperty({ format: 'date-time' }) created_at!: string;
  @ApiProperty({ format: 'date-time' }) updated_at!: string;
}

export class NamedModelList {
  @ApiProperty({ type: [NamedModelRecord], description: 'By name' }) models!: NamedModelRecord[];
  @ApiProperty({ type: 'integer', description: 'On this page.' }) count!: number;
  @ApiProperty({ type: 'integer', description: 'Of all pages.' }) total!: number;
}
