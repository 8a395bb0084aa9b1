import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { STRATEGIES, type Strategy } from '#use-cases/review/queries.js';
import { InferenceRecord } from '../inferences/dto.js';
import { ANY_JSON } from '../../edge/validation/any-json.js';
import {
  BodyText,
  QueryBoolean,
  QueryInteger,
  QueryNumber,
  QueryOneOf,
  QueryText,
} from '../../edge/validation/index.js';

const STATES = ['open', 'assigned', 'reserved', 'skipped', 'done'] as const;

const MAX_NAME = 200;
const WHO = 'Name of the reviewer; default: the API key or user of the request.';
const TEXT_OR_NULL = { type: String, nullable: true } as const;

export class ReviewQuery {
  @QueryOneOf(STRATEGIES, 'Default: uncertain.') strategy: Strategy = 'uncertain';
  @QueryInteger({ min: 1, max: 100, default: 20 }) limit: number = 20;
  @QueryText('The model id, as calls name it. `novel` requires this or `model_name`.') model_id?: string;
  @QueryText('A named model, in any version or label; not with `model_id`. `novel` compares with the version in use.')
  model_name?: string;
  @QueryText(
    'The label of the least certain answer; with `random` and `novel`, of any answer. Requires `model_id` or `model_name`.',
  )
  label?: string;
  @QueryText(WHO) reviewer?: string;
  @QueryBoolean('Returns only calls assigned to the reviewer.') assigned?: boolean;
  @QueryText('Seed of the random order, in which `novel` takes calls too.') seed?: string;
  @QueryNumber(
    { min: 0, max: 1 },
    'Share of the calls with a single verdict, by another reviewer, that are offered again.',
  )
  second_review_share?: number;
}

export class ReviewerBody {
  @BodyText({ optional: true, max: MAX_NAME, description: WHO }) reviewer?: string | null;
}

export class SkipBody extends ReviewerBody {
  @BodyText({ optional: true, max: 1000 }) reason?: string | null;
}

export class AssignBody {
  @BodyText({ max: MAX_NAME, description: 'The name of a reviewer.' }) reviewer!: string;
}

export class ReviewState {
  @ApiProperty({ format: 'uuid' }) inference_id!: string;
  @ApiProperty({ enum: STATES }) state!: string;
  @ApiProperty(TEXT_OR_NULL) assigned_to!: string | null;
  @ApiProperty(TEXT_OR_NULL) reserved_by!: string | null;
  @ApiProperty({ ...TEXT_OR_NULL, format: 'date-time' }) reserved_until!: string | null;
}

export class ShadowAnswer {
  @ApiProperty({ format: 'uuid' }) inference_id!: string;
  @ApiProperty({ type: 'integer' }) model_version!: number;
  @ApiProperty({ ...ANY_JSON, description: 'As in the record of a call.' }) output!: unknown;
}

class ReviewReason {
  @ApiProperty({ enum: STRATEGIES }) strategy!: Strategy;
  @ApiProperty({
    type: Number,
    nullable: true,
    description: 'Confidence, number of reviewers who differ, or distance to the nearest training row.',
  })
  value!: number | null;

  @ApiProperty({ description: 'The reason in words.' }) text!: string;
  @ApiPropertyOptional({ type: ShadowAnswer, description: "Answer of a shadow that differs from the call's." })
  shadow?: ShadowAnswer;
}

export class ReviewItem extends ReviewState {
  @ApiProperty({ type: ReviewReason }) reason!: ReviewReason;
  @ApiProperty({
    type: Number,
    nullable: true,
    description: 'Confidence of the least certain answer, if that is doubtful or the caller requested confidences.',
  })
  confidence!: number | null;

  @ApiProperty({ ...TEXT_OR_NULL, description: 'Label of the least certain answer, if that is doubtful.' }) label!:
    string | null;
  @ApiProperty({ type: InferenceRecord, description: 'The call, without verdicts.' }) inference!: object;
}

export class ReviewPage {
  @ApiProperty({ type: [ReviewItem] }) items!: ReviewItem[];
}
