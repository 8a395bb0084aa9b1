import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { CALL_FORMATS, CALL_SOURCES, CALL_STATUSES, CASCADE_REASONS } from '#domain/inference/index.js';
import { VERDICTS, type Verdict } from '#domain/feedback/index.js';
import { PerTokenKind } from '../../edge/openapi/per-token-kind.js';
import { ANY_JSON } from '../../edge/validation/any-json.js';
import { BodyAny, BodyOneOf, BodyText, BodyTexts, QueryInteger, QueryText } from '../../edge/validation/index.js';
import { INFERENCE_TASKS, InferenceFilters } from './filters-dto.js';

export class ListInferencesQuery extends InferenceFilters {
  @QueryInteger({ min: 1, max: 500, default: 100 }) limit: number = 100;
  @QueryInteger({ min: 0, default: 0 }) offset: number = 0;
  @QueryText('`next_cursor` of the previous page, instead of `offset`. New calls do not shift the pages.')
  cursor?: string;
}

export class FeedbackBody {
  @BodyOneOf(VERDICTS, {
    optional: true,
    description:
      'Required, unless the older `correction` is sent. null without a corrected output removes the reviewer’s verdict.',
  })
  verdict?: Verdict | null;

  @BodyAny(
    'What the output should have been, at most 64 KiB of JSON; required when incorrect. null without a verdict removes the reviewer’s verdict.',
  )
  corrected_output?: unknown;

  @BodyAny('The older form of an incorrect verdict with its corrected output.') correction?: unknown;

  @BodyText({ optional: true, min: 0, max: 5000 }) notes?: string | null;

  @BodyText({
    optional: true,
    max: 200,
    description: 'Name of the reviewer; default: the API key or user of the request.',
  })
  reviewer?: string | null;

  @BodyTexts('label', {
    ...{ optional: true, max: 100 },
    description:
      'Labels, classes or relations of the corrected output that the call did not request. Others are refused.',
  })
  new_labels?: string[] | null;
}

export class FeedbackAccepted {
  @ApiProperty({ format: 'uuid' }) inference_id!: string;
  @ApiProperty({
    enum: [...VERDICTS, null],
    nullable: true,
    description: 'The latest; null if the last one was removed.',
  })
  human_verdict!: string | null;
  @ApiProperty({ type: String, format: 'date-time', nullable: true }) human_feedback_at!: string | null;
  @ApiPropertyOptional({ type: [String], description: 'Labels that the call did not request, if any.' })
  new_labels?: readonly string[];
}

class ReviewersVerdict {
  @ApiProperty() reviewer!: string;
  @ApiProperty() user_id!: string;
  @ApiProperty({ enum: VERDICTS }) verdict!: string;
  @ApiProperty({ ...ANY_JSON, description: 'null for none.' }) corrected_output!: unknown;
  @ApiProperty({ type: String, nullable: true }) notes!: string | null;
  @ApiProperty({ format: 'date-time' }) at!: string;
  @ApiPropertyOptional({ type: [String], description: 'Labels that the call did not request, if any.' })
  new_labels?: readonly string[];
}

export class FeedbackRecord {
  @ApiProperty({ format: 'uuid' }) inference_id!: string;
  @ApiProperty({ enum: VERDICTS, description: 'The latest verdict, like the fields after it.' })
  human_verdict!: string;
  @ApiProperty({ format: 'date-time' }) human_feedback_at!: string;
  @ApiProperty({ ...ANY_JSON, description: 'null when correct or unsure.' }) human_corrected_output!: unknown;
  @ApiProperty({ type: String, nullable: true }) human_feedback_notes!: string | null;
  @ApiProperty({ type: [ReviewersVerdict], description: 'The latest verdict of each reviewer, the newest last.' })
  verdicts!: readonly ReviewersVerdict[];
}

export class AgreementQuery {
  @QueryText('The id by which calls named the model. Default: any.') model_id?: string;
}

class ReviewersAgreement {
  @ApiProperty({ type: [String], description: 'Two names.' }) reviewers!: string[];
  @ApiProperty({ type: 'integer', description: 'Calls that both judged.' }) calls!: number;
  @ApiProperty({ type: 'integer', description: 'Of these, with the same verdict.' }) agreed!: number;
  @ApiProperty({
    type: Number,
    nullable: true,
    description: 'Cohen’s kappa of the verdicts; null where both gave one and the same throughout.',
  })
  kappa!: number | null;
  @ApiProperty({ type: 'integer', description: 'Calls with entities on which neither reviewer was unsure.' })
  entity_calls!: number;
  @ApiProperty({
    type: Number,
    nullable: true,
    description: 'F1 between the entities that each of the two considers right.',
  })
  entity_f1!: number | null;
}

export class Agreement {
  @ApiProperty({ type: 'integer', description: 'Calls with verdicts of several reviewers.' }) calls!: number;
  @ApiProperty({ type: 'integer', description: 'Calls with older verdicts, which are not compared.' })
  calls_left_out!: number;
  @ApiProperty({ type: [ReviewersAgreement] }) pairs!: ReviewersAgreement[];
  @ApiProperty({
    type: [String],
    description: 'Ids of calls on which verdicts or corrections differ, the newest first.',
  })
  disagreements!: string[];
}

class ImportedFrom {
  @ApiProperty({ description: 'Who imported the call: `key:<id>` or `user:<id>`.' }) by!: string;
  @ApiProperty({ format: 'date-time' }) at!: string;
  @ApiProperty({ type: String, nullable: true, description: 'The `id` of its line.' }) id!: string | null;
  @ApiProperty({ type: String, nullable: true, description: 'Whose call it was.' }) user!: string | null;
  @ApiProperty({ type: 'object', additionalProperties: true, nullable: true }) metadata!: object | null;
  @ApiProperty({
    ...{ type: 'object', additionalProperties: true },
    description: 'Fields of the line that concern only the other system, such as its `cost`.',
  })
  origin!: object;
}

export class AnsweringProvider {
  @ApiProperty({ description: 'Its name in the providers file.' }) name!: string;
  @ApiProperty({ description: 'The model that it was asked for, by its id there.' }) model!: string;
  @ApiPropertyOptional({ description: 'Its own id of the answer.' }) response_id?: string;
  @ApiPropertyOptional({
    description: 'The model that the answer named; absent if that is `model`, or if it named none.',
  })
  response_model?: string;
  @ApiPropertyOptional({ description: 'As returned by the provider.' }) system_fingerprint?: string;
}

class CascadeOfCall {
  @ApiProperty({ format: 'uuid' }) distillation_id!: string;
  @ApiProperty({ enum: ['student', 'teacher'] }) by!: string;
  @ApiProperty({ enum: CASCADE_REASONS }) reason!: string;
  @ApiPropertyOptional({ description: "Of the small model's answer as a whole, 0 to 1; absent if it was not asked." })
  certainty?: number;

  @ApiPropertyOptional({
    enum: ['script', 'length', 'nearness', 'several'],
    description: 'What makes the text unlike those learned.',
  })
  unlike?: string;

  @ApiPropertyOptional({ description: 'Whether both gave one answer; absent unless they were compared.' })
  agrees?: boolean;
}

export class InferenceRecord {
  @ApiProperty({ format: 'uuid' }) id!: string;
  @ApiProperty() user_id!: string;
  @ApiProperty() model_id!: string;
  @ApiProperty({ description: 'The name that was called; else that of the catalog or of the training job.' })
  model_name!: string;

  @ApiPropertyOptional({ type: 'integer', description: 'Of a call by name: the version that answered.' })
  model_version?: number;

  @ApiPropertyOptional({ description: 'true if the caller may not see the content, which is then null.' })
  content_withheld?: boolean;

  @ApiPropertyOptional({ format: 'date-time', description: 'When the content was erased; absent while it is stored.' })
  erased_at?: string;

  @ApiPropertyOptional({ description: 'For a shadow call: id of the call that it repeats on another version.' })
  shadow_of?: string;

  @ApiPropertyOptional({
    type: CascadeOfCall,
    description: 'For a call of a distilled version: who answered, and why.',
  })
  cascade?: CascadeOfCall;

  @ApiProperty() base_model!: string;
  @ApiProperty({ enum: INFERENCE_TASKS }) task!: string;
  @ApiProperty(ANY_JSON) input!: unknown;
  @ApiProperty(ANY_JSON) output!: unknown;
  @ApiProperty({ type: Number, nullable: true, description: 'null for an imported call without a latency.' })
  latency_ms!: number | null;
  @ApiProperty({ type: Number, nullable: true }) ttft_ms!: number | null;
  @ApiProperty({ type: 'integer' }) tokens!: number;
  @PerTokenKind('countField', () => ApiProperty({ type: 'integer' })) input_tokens!: number;
  @ApiProperty({ description: 'USD' }) cost!: number;
  @ApiProperty({ enum: [...CALL_SOURCES, 'imported'] }) source!: string;
  @ApiProperty({ enum: CALL_FORMATS }) format!: string;
  @ApiProperty({ enum: CALL_STATUSES }) status!: string;
  @ApiProperty({ type: String, nullable: true }) error_type!: string | null;
  @ApiProperty({ type: String, nullable: true }) error_message!: string | null;
  @ApiProperty({ format: 'date-time' }) created_at!: string;
  @ApiProperty({ type: String, nullable: true }) project_id!: string | null;
  @ApiProperty({ type: String, nullable: true }) training_job_id!: string | null;
  @ApiPropertyOptional({
    type: [String],
    description:
      'Hints in the request that the model did not receive because it or its provider does not support them.',
  })
  dropped_fields?: readonly string[];
  @ApiPropertyOptional({
    type: AnsweringProvider,
    description: 'Of a call to a hosted model: the provider that began to answer.',
  })
  provider?: AnsweringProvider;
  @ApiPropertyOptional({ type: ImportedFrom, description: 'Of a call that another system made.' })
  imported?: ImportedFrom;
  @ApiPropertyOptional({ enum: VERDICTS }) human_verdict?: string;
  @ApiPropertyOptional(ANY_JSON) human_corrected_output?: unknown;
  @ApiPropertyOptional({ type: String, nullable: true }) human_feedback_notes?: string | null;
  @ApiPropertyOptional({ format: 'date-time' }) human_feedback_at?: string;
  @ApiPropertyOptional({
    type: [String],
    description:
      'In lists: the fields that are cut because they are large. `GET /inferences/{id}` returns them in full.',
  })
  truncated_fields?: string[];
}

export class InferencePage {
  @ApiProperty({ type: [InferenceRecord] }) inferences!: readonly InferenceRecord[];
  @ApiProperty({ type: 'integer', description: 'All matches, regardless of limit and offset.' }) total!: number;
  @ApiProperty({ type: 'integer' }) limit!: number;
  @ApiProperty({ type: 'integer' }) offset!: number;
  @ApiProperty({ type: String, nullable: true, description: 'The `cursor` of the next page; null on the last one.' })
  next_cursor!: string | null;
}
