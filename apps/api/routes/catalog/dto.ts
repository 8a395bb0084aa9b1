import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { TASK_TYPES, type TaskType } from '#models/catalog/entry.js';
import { PerTokenKind } from '../../edge/openapi/per-token-kind.js';
import { QueryBoolean, QueryInteger, QueryOneOf, QueryText } from '../../edge/validation/index.js';

export class BaseModelsQuery {
  @QueryBoolean('Only models that can (or cannot) be called.') supports_inference?: boolean;
  @QueryBoolean('Only models that can (or cannot) be trained.') supports_training?: boolean;
  @QueryOneOf(TASK_TYPES) task_type?: TaskType;
}

const PRICE = { type: 'number', nullable: true } as const;
const FIRST_PRICE = {
  ...PRICE,
  description: 'US dollars, like all prices here; null if the workspace lacks the rollout of the model.',
};

export class BaseModel {
  @ApiProperty() id!: string;
  @ApiProperty() label!: string;
  @ApiProperty({ description: 'What the model does and does not do.' }) description!: string;
  @ApiProperty({ enum: [...TASK_TYPES] }) task_type!: TaskType;
  @ApiProperty({ description: 'Models of one make.', example: 'anneal-encoder' }) family!: string;
  @ApiProperty({ description: 'Whether the model is made for languages other than English too.' })
  multilingual!: boolean;
  @ApiProperty({ type: 'integer', description: 'Tokens.' }) context_window!: number;
  @ApiProperty({ nullable: true, type: String, example: '2026-11' }) release_month!: string | null;

  @PerTokenKind('price', ({ kind }) => ApiProperty(kind === 'input' ? FIRST_PRICE : PRICE))
  input_price_per_million!: number | null;

  @ApiProperty() supports_inference!: boolean;
  @ApiProperty() supports_training!: boolean;
  @ApiProperty() supports_on_demand_inference!: boolean;
  @ApiProperty() deprecated!: boolean;
  @ApiPropertyOptional() tier?: string;
}

export class BaseModelList {
  @ApiProperty({ type: [BaseModel] }) models!: BaseModel[];
}

export class ModelsQuery {
  @QueryInteger({ min: 1, max: 1000, default: 1000 }) limit = 1000;
  @QueryText('Id of a model. Returns the page that ends right before it.') before_id?: string;
  @QueryText('Id of a model. Returns the page that begins right after it.') after_id?: string;
}

/** A model in the union of both SDKs' shapes. */
export class Model {
  @ApiProperty() id!: string;
  @ApiProperty({ enum: ['model'] }) object!: 'model';
  @ApiProperty({ enum: ['model'] }) type!: 'model';
  @ApiProperty({ description: 'Unix seconds.' }) created!: number;
  @ApiProperty({ format: 'date-time' }) created_at!: string;
  @ApiProperty() owned_by!: string;
  @ApiProperty() display_name!: string;
  @ApiProperty({ enum: ['active', 'deprecated'] }) lifecycle!: 'active' | 'deprecated';

  @ApiProperty({
    nullable: true,
    type: Number,
    description: 'Context window in tokens; for a trained model, that of its base model.',
  })
  max_input_tokens!: number | null;

  @ApiProperty({ nullable: true, type: Number, description: 'null if unknown.' })
  max_tokens!: number | null;

  @ApiProperty({ nullable: true, type: Object, description: 'null: the catalog does not specify it.' })
  capabilities!: null;
  @ApiProperty({ nullable: true, type: String, description: 'null: the catalog does not specify it.' }) line!: null;
  @ApiProperty({ nullable: true, type: String, description: 'null: the catalog does not specify it.' })
  deprecated_at!: null;
  @ApiProperty({ nullable: true, type: String, description: 'null: the catalog does not specify it.' })
  retires_at!: null;
}

export class ModelList {
  @ApiProperty({ enum: ['list'] }) object!: 'list';
  @ApiProperty({ type: [Model] }) data!: Model[];
  @ApiProperty() has_more!: boolean;
  @ApiProperty({ nullable: true, type: String }) first_id!: string | null;
  @ApiProperty({ nullable: true, type: String }) last_id!: string | null;
}
