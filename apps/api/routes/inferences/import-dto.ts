import { ApiProperty } from '@nestjs/swagger';
import { CALL_STATUSES, type CallStatus } from '#domain/inference/index.js';
import { IsObject } from 'class-validator';
import { VERDICTS, type Verdict } from '#domain/feedback/index.js';
import type { InferenceErrorType, InferenceTask } from '#domain/inference/index.js';
import type { Json, JsonObject } from '#domain/json.js';
import { FORMAT_NAMES, type FormatName } from '#use-cases/inferences/formats/index.js';
import { PerTokenKind } from '../../edge/openapi/per-token-kind.js';
import {
  BodyAny,
  bodyField,
  BodyInteger,
  BodyNumber,
  BodyOneOf,
  BodyText,
  BodyTime,
  QueryOneOf,
} from '../../edge/validation/index.js';
import { INFERENCE_TASKS } from './filters-dto.js';
import { Closed } from '../../edge/validation/closed.js';

export class ImportInferencesQuery {
  @QueryOneOf(FORMAT_NAMES, 'The system whose export the lines are. Default: anneal, the lines described below.')
  format?: FormatName;
}

const ERROR_TYPES = ['timeout', 'model_not_ready', 'capacity_exhausted', 'cancelled', 'internal'] as const;
const FORMATS = ['native', 'openai', 'anthropic'] as const;
const DAY_MS = 86_400_000;
const MAX_TOKENS = 1_000_000_000;
const optional = true;

const Milliseconds = () => BodyNumber({ min: 0, max: DAY_MS, optional });
/** A field of an exported call that is kept unchanged in `imported.origin`. */
const Origin = () => BodyAny('Kept in `imported.origin`.');

/** A line of an import: a call that another system made. Lines of `GET /inferences/export` are such lines. */
@Closed()
export class ImportedLine {
  @BodyText({
    optional,
    max: 200,
    description: 'Id of the call in its own system. Repeating a line with the same id imports it only once.',
  })
  id?: string | null;
  @BodyText({ optional, max: 256, description: 'Required, unless there is `model_name`.' }) model_id?: string | null;
  @BodyText({ optional, max: 256 }) model_name?: string | null;
  @BodyInteger({ min: 1, max: 999_999, optional, description: 'Version of the named model that answered.' })
  model_version?: number | null;
  @BodyText({ optional, max: 256 }) base_model?: string | null;
  @BodyAny(
    'Required: a text, a list of texts, a list of messages, or an object as calls record it, such as `{text, schema}`.',
  )
  input?: Json;
  @BodyAny('The answer; required unless the call failed.') output?: Json;
  @BodyTime({ description: 'When the call was made.' }) created_at!: string;
  @BodyOneOf(INFERENCE_TASKS, { optional, description: 'Default: `generate` for a text, else `schema`.' })
  task?: InferenceTask | null;
  @BodyOneOf(FORMATS, { optional, default: 'native' }) format?: (typeof FORMATS)[number] | null;
  @BodyOneOf(CALL_STATUSES, { optional, default: 'success' }) status?: CallStatus | null;
  @BodyOneOf(ERROR_TYPES, { optional, description: 'For a failed call; default: `internal`.' })
  error_type?: InferenceErrorType | null;
  @BodyText({ optional, min: 0, max: 10_000 }) error_message?: string | null;
  @Milliseconds() latency_ms?: number | null;
  @Milliseconds() ttft_ms?: number | null;
  @PerTokenKind('countField', () => BodyInteger({ min: 0, max: MAX_TOKENS, optional, default: 0 })) input_tokens?:
    number | null;
  @BodyText({ optional, max: 200, description: 'Whose call it was.' }) user?: string | null;
  @bodyField({ type: 'object', additionalProperties: true, optional }, IsObject()) metadata?: JsonObject | null;
  @BodyOneOf(VERDICTS, { optional }) human_verdict?: Verdict | null;
  @BodyAny('What the output should have been; required with the verdict incorrect.') human_corrected_output?: Json;
  @BodyText({ optional, min: 0, max: 5000 }) human_feedback_notes?: string | null;
  @BodyTime({ optional, description: 'Default: now.' }) human_feedback_at?: string | null;
  @BodyText({ optional, max: 200, description: 'Who gave the verdict; default: the API key or user of the request.' })
  reviewer?: string | null;
  @Origin() user_id?: Json;
  @Origin() tokens?: Json;
  @Origin() cost?: Json;
  @Origin() source?: Json;
  @Origin() project_id?: Json;
  @Origin() training_job_id?: Json;
  @BodyText({ optional, max: 200, description: 'For a shadow call: the `id` of the call that it repeats.' })
  shadow_of?: string | null;
  @Origin() dropped_fields?: Json;
  @Origin() imported?: Json;
  @Origin() key_id?: Json;
  @Origin() erased_at?: Json;
  @Origin() human_feedback_by?: Json;
  @Origin() verdicts?: Json;
  @Origin() provider?: Json;
  @BodyAny('Fields that an export cut. Such a line is refused because its content is incomplete.')
  truncated_fields?: Json;
}

class RefusedLine {
  @ApiProperty({ type: 'integer', description: 'From 1.' }) line!: number;
  @ApiProperty({ type: String, nullable: true }) id!: string | null;
  @ApiProperty({ type: String, nullable: true }) field!: string | null;
  @ApiProperty() reason!: string;
}

export class ImportReport {
  @ApiProperty({ type: 'integer', description: 'Lines that are not blank.' }) lines!: number;
  @ApiProperty({ type: 'integer', description: 'Calls that this request added.' }) imported!: number;
  @ApiProperty({ type: 'integer', description: 'Calls that existed already.' }) unchanged!: number;
  @ApiProperty({ type: 'integer', description: 'Lines that were not imported.' }) refused!: number;
  @ApiProperty({ type: [RefusedLine], description: 'The first 1,000 of them.' }) errors!: RefusedLine[];
}
