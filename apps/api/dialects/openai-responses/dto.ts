import { ApiExtraModels, ApiProperty, ApiPropertyOptional, getSchemaPath } from '@nestjs/swagger';
import type { JsonObject } from '#domain/json.js';
import { EFFORTS, type Effort } from '#calls/hosted/port.js';
import { SchemaDefinition } from '../../edge/encoder-schema/dto.js';
import { EncoderExtensions, MODEL } from '../shared/extensions-dto.js';
import { REQUEST_HEADS } from '#calls/encoder-request.js';
import { INPUT_ITEMS, type ResponsesItem } from './dto-input.js';
import {
  ResponsesAllowedTools,
  ResponsesFunctionChoice,
  type ResponsesTool,
  TOOL_CLASSES,
  TOOLS,
} from './dto-tools.js';

/** Limit in UTF-16 units, because answers and several events of a stream repeat them. */
const MAX_INSTRUCTIONS = 1024 * 1024;
const MAX_TOKENS = 10_000_000;

const OPENAI = 'For providers of style `openai`; others refuse it.';
const SUMMARIES = ['auto', 'concise', 'detailed', null];
const refTo = (one: new () => unknown) => ({ $ref: getSchemaPath(one) });
const JSON_OBJECT = { type: 'object', additionalProperties: true } as const;

/** Distinguishes an encoder's schema from a JSON schema. */
const ENCODER_SCHEMA = {
  anyOf: REQUEST_HEADS.map((head) => ({ required: [head] })),
  not: { anyOf: ['type', 'properties', '$ref'].map((key) => ({ required: [key] })) },
};
const not = (schema: object) => ({ not: schema });

class ResponsesPlainFormat {
  @ApiProperty({ enum: ['text', 'json_object'], 'x-expected': 'one of text, json_object, json_schema' }) type!: string;
}

class ResponsesSchemaFormat {
  @ApiProperty({ enum: ['json_schema'] }) type!: string;
  @ApiProperty({ minLength: 1 }) name!: string;
  @ApiPropertyOptional({ type: String, nullable: true }) description?: string | null;
  @ApiProperty({ ...JSON_OBJECT, ...not(ENCODER_SCHEMA), description: 'A JSON schema, for decoders.' }) schema!: object;
  @ApiPropertyOptional({ type: Boolean, nullable: true }) strict?: boolean | null;
}

@ApiExtraModels(SchemaDefinition)
class ResponsesEncoderFormat {
  @ApiProperty({
    description:
      'For encoders, like `schema`: a list of labels, or an object with at least one of the heads and without `type`, `properties` and `$ref`.',
    anyOf: [
      { type: 'array', items: { type: 'string', minLength: 1 }, minItems: 1, maxItems: 1000 },
      { allOf: [refTo(SchemaDefinition), ENCODER_SCHEMA] },
    ],
  })
  schema!: unknown;
}

const FORMATS = [ResponsesPlainFormat, ResponsesSchemaFormat, ResponsesEncoderFormat];

/** A format that passed the schema: the fields that its type needs are present. */
export interface ResponsesFormat {
  readonly type?: string | null;
  readonly name?: string;
  readonly description?: string | null;
  readonly schema?: JsonObject;
  readonly strict?: boolean | null;
}

@ApiExtraModels(...FORMATS)
export class ResponsesText {
  @ApiPropertyOptional({ anyOf: FORMATS.map(refTo), nullable: true }) format?: ResponsesFormat | null;

  @ApiPropertyOptional({ type: String, enum: ['low', 'medium', 'high', null], nullable: true })
  verbosity?: string | null;
}

class ResponsesReasoningOptions {
  @ApiPropertyOptional({ type: String, enum: [...EFFORTS, null], nullable: true }) effort?: Effort | null;

  @ApiPropertyOptional({
    ...{ type: String, enum: SUMMARIES, nullable: true },
    description: 'Reasoning is always returned if the model shows it.',
  })
  summary?: string | null;

  @ApiPropertyOptional({ type: String, enum: SUMMARIES, nullable: true, deprecated: true })
  generate_summary?: string | null;

  /** Fields for providers of the same style. */
  readonly context?: unknown;
  readonly mode?: unknown;
}

@ApiExtraModels(...INPUT_ITEMS, ...TOOL_CLASSES, ResponsesFunctionChoice, ResponsesAllowedTools)
export class ResponsesBody extends EncoderExtensions {
  @ApiProperty({ ...MODEL, description: 'A model of `/v1/models`.' }) model!: string;

  @ApiPropertyOptional({
    oneOf: [
      { type: 'string', nullable: true },
      { type: 'array', items: { anyOf: INPUT_ITEMS.map(refTo) }, maxItems: 10_000, 'x-item': 'item' },
    ],
    description:
      'Required and non-empty, unless `previous_response_id` is set. An encoder reads the last user message.',
    example: 'Say hello',
  })
  input?: string | ResponsesItem[] | null;

  @ApiPropertyOptional({
    ...{ type: String, nullable: true, maxLength: MAX_INSTRUCTIONS },
    description: 'Sent first, as a system message.',
  })
  instructions?: string | null;

  @ApiPropertyOptional({
    ...{ type: String, minLength: 1, nullable: true },
    description: 'The turn to continue. It and the turns before it are replayed, without their instructions.',
  })
  previous_response_id?: string | null;

  @ApiPropertyOptional({ ...TOOLS, nullable: true }) tools?: ResponsesTool[] | null;

  @ApiPropertyOptional({
    anyOf: [
      { type: 'string', enum: ['none', 'auto', 'required', null], nullable: true },
      refTo(ResponsesFunctionChoice),
      refTo(ResponsesAllowedTools),
    ],
  })
  tool_choice?: 'none' | 'auto' | 'required' | ResponsesFunctionChoice | ResponsesAllowedTools | null;

  @ApiPropertyOptional({ type: Boolean, nullable: true }) parallel_tool_calls?: boolean | null;
  @ApiPropertyOptional({ type: () => ResponsesText, nullable: true }) text?: ResponsesText | null;

  @ApiPropertyOptional({ type: () => ResponsesReasoningOptions, nullable: true })
  reasoning?: ResponsesReasoningOptions | null;

  @ApiPropertyOptional({ type: 'integer', minimum: 1, maximum: MAX_TOKENS, nullable: true })
  max_output_tokens?: number | null;

  @ApiPropertyOptional({ type: Number, minimum: 0, maximum: 2, nullable: true }) temperature?: number | null;
  @ApiPropertyOptional({ type: Number, minimum: 0, maximum: 1, nullable: true }) top_p?: number | null;
  @ApiPropertyOptional({ type: Number, minimum: -2, maximum: 2, nullable: true }) presence_penalty?: number | null;
  @ApiPropertyOptional({ type: Number, minimum: -2, maximum: 2, nullable: true }) frequency_penalty?: number | null;
  @ApiPropertyOptional({ type: 'integer', minimum: 0, maximum: 20, nullable: true }) top_logprobs?: number | null;

  @ApiPropertyOptional({
    ...{ type: 'array', maxItems: 100, nullable: true },
    items: { type: 'string', minLength: 1, maxLength: 100 },
    description:
      'Log probabilities are returned only on request; signatures of reasoning always are. Unknown names are dropped.',
  })
  include?: string[] | null;

  @ApiPropertyOptional({
    ...{ type: 'object', nullable: true, maxProperties: 16 },
    additionalProperties: { type: 'string', maxLength: 512 },
    description: 'Labels of the stored response: names of at most 64 characters.',
  })
  metadata?: Record<string, string> | null;

  @ApiPropertyOptional({ type: Boolean, nullable: true, default: false }) stream?: boolean | null;
  @ApiPropertyOptional({ type: String, minLength: 1, nullable: true }) user?: string | null;
  @ApiPropertyOptional({ type: String, minLength: 1, nullable: true }) safety_identifier?: string | null;

  @ApiPropertyOptional({ type: String, minLength: 1, nullable: true, description: OPENAI })
  prompt_cache_key?: string | null;

  @ApiPropertyOptional({ type: String, minLength: 1, nullable: true, description: OPENAI })
  prompt_cache_retention?: string | null;

  @ApiPropertyOptional({ type: String, minLength: 1, nullable: true, description: OPENAI })
  service_tier?: string | null;

  @ApiPropertyOptional({ type: 'integer', minimum: 1, maximum: MAX_TOKENS, nullable: true })
  max_tool_calls?: number | null;

  @ApiPropertyOptional({
    ...{ type: String, enum: ['auto', 'disabled', null], nullable: true },
    description: 'Input is never truncated: `auto` is a hint, and dropped.',
  })
  truncation?: string | null;

  @ApiPropertyOptional({
    ...{ type: Boolean, not: { enum: [true] }, nullable: true },
    'x-refusal': 'cannot be true: answers are given at once, or as a stream',
  })
  background?: boolean | null;

  @ApiPropertyOptional({ type: 'object', additionalProperties: true, nullable: true, description: OPENAI })
  stream_options?: Readonly<Record<string, unknown>> | null;
}
