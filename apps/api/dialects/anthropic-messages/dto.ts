import type { Type } from '@nestjs/common';
import { ApiExtraModels, ApiProperty, ApiPropertyOptional, getSchemaPath } from '@nestjs/swagger';
import type { JsonObject } from '#domain/json.js';
import { EncoderExtensions, InferenceWarning, MODEL } from '../shared/extensions-dto.js';
import type { Block } from './block-fields.js';
import { ANSWERED_BLOCK, CONTENT, MARKER, type OneOf, type SchemaObject } from './block-schemas.js';

/** Far above any model's limit; keeps numbers in range. */
const MAX_TOKENS = 10_000_000;
const MAX_STOPS = 8_191;
const MAX_MESSAGES = 100_000;
const MAX_TOOLS = 10_000;
/** Smallest thinking budget of this style, in tokens (https://platform.claude.com/docs/en/build-with-claude/thinking). */
const LEAST_BUDGET = 1_024;

const NULL: SchemaObject = { type: 'string', nullable: true, enum: [null] };
const orNull = ({ oneOf }: OneOf): OneOf => ({ oneOf: [...oneOf, NULL] });
const refOrNull = (dto: Type) => ({ oneOf: [{ $ref: getSchemaPath(dto) }, NULL] });

const WORD = { type: 'string', minLength: 1 } as const;
const JSON_SCHEMA = { type: 'object', additionalProperties: true, description: 'A JSON schema.' } as const;

export class AnthropicMessage {
  @ApiProperty({ enum: ['user', 'assistant', 'system'] }) role!: 'user' | 'assistant' | 'system';

  @ApiPropertyOptional({
    ...orNull(CONTENT),
    description: 'A text, or content blocks. Only the assistant may say nothing.',
  })
  content?: string | Block[] | null;
}

export class AnthropicTool {
  @ApiPropertyOptional({ type: String, enum: ['custom', null], nullable: true }) type?: 'custom' | null;
  @ApiProperty(WORD) name!: string;
  @ApiPropertyOptional({ type: String, nullable: true }) description?: string | null;
  @ApiProperty(JSON_SCHEMA) input_schema!: JsonObject;
  @ApiPropertyOptional({ type: Boolean, nullable: true }) strict?: boolean | null;
  @ApiPropertyOptional(MARKER) cache_control?: JsonObject | null;

  readonly [other: string]: unknown;
}

export class AnthropicServerTool {
  @ApiProperty({
    ...WORD,
    not: { enum: ['custom'] },
    description: 'A server tool that providers of this style support.',
  })
  type!: string;
}

const type = (...values: string[]): SchemaObject => ({ type: 'string', enum: values });
const THINKING: OneOf = {
  oneOf: [
    {
      type: 'object',
      properties: {
        type: type('enabled'),
        budget_tokens: { type: 'integer', minimum: LEAST_BUDGET, maximum: MAX_TOKENS },
      },
      required: ['type', 'budget_tokens'],
    },
    { type: 'object', properties: { type: { ...WORD, not: { enum: ['enabled'] } } }, required: ['type'] },
  ],
};
const SERIAL = { disable_parallel_tool_use: { type: 'boolean', nullable: true } } as const;
const TOOL_CHOICE: OneOf = {
  oneOf: [
    { type: 'object', properties: { type: type('auto', 'any', 'none'), ...SERIAL }, required: ['type'] },
    { type: 'object', properties: { type: type('tool'), name: WORD, ...SERIAL }, required: ['type', 'name'] },
  ],
};
const FORMAT: OneOf = {
  oneOf: [
    {
      type: 'object',
      properties: { type: type('json_schema'), schema: JSON_SCHEMA },
      required: ['type', 'schema'],
    },
    { type: 'object', properties: { type: { ...WORD, not: { enum: ['json_schema'] } } }, required: ['type'] },
  ],
};

export interface AnthropicFormat {
  readonly type: string;
  readonly schema?: JsonObject;
}

class AnthropicOutputConfig {
  @ApiPropertyOptional({ ...WORD, nullable: true, description: '`low`, `medium`, `high`, `xhigh` or `max`.' })
  effort?: string | null;

  @ApiPropertyOptional({ ...orNull(FORMAT), description: 'The JSON schema of the answer.' })
  format?: AnthropicFormat | null;
}

class AnthropicMetadata {
  @ApiPropertyOptional({ ...WORD, nullable: true, description: 'Id of your own user.' }) user_id?: string | null;
}

@ApiExtraModels(AnthropicTool, AnthropicServerTool, AnthropicOutputConfig, AnthropicMetadata)
class AnthropicInput extends EncoderExtensions {
  @ApiProperty({ ...WORD, ...MODEL, description: 'A model id from /v1/models, or the id of a training job.' })
  model!: string;

  @ApiProperty({ type: [AnthropicMessage], minItems: 1, maxItems: MAX_MESSAGES, 'x-item': 'message' })
  messages!: AnthropicMessage[];

  @ApiPropertyOptional({ ...orNull(CONTENT), description: 'The system prompt.' })
  system?: string | Block[] | null;

  @ApiPropertyOptional({
    type: 'array',
    nullable: true,
    maxItems: MAX_TOOLS,
    'x-item': 'tool',
    items: { oneOf: [{ $ref: getSchemaPath(AnthropicTool) }, { $ref: getSchemaPath(AnthropicServerTool) }] },
  })
  tools?: (AnthropicTool | AnthropicServerTool)[] | null;

  @ApiPropertyOptional(orNull(TOOL_CHOICE))
  tool_choice?: {
    readonly type: 'auto' | 'any' | 'none' | 'tool';
    readonly name?: string;
    readonly disable_parallel_tool_use?: boolean | null;
  } | null;

  @ApiPropertyOptional({
    ...orNull(THINKING),
    description: '`enabled`, `adaptive`, `disabled`, or a value of the provider.',
  })
  thinking?: { readonly type: string; readonly budget_tokens?: unknown } | null;

  @ApiPropertyOptional(refOrNull(AnthropicOutputConfig)) output_config?: AnthropicOutputConfig | null;

  @ApiPropertyOptional({ ...orNull(FORMAT), description: 'Predecessor of `output_config.format`.' })
  output_format?: AnthropicFormat | null;

  @ApiPropertyOptional(refOrNull(AnthropicMetadata)) metadata?: AnthropicMetadata | null;

  @ApiPropertyOptional({ type: 'array', maxItems: MAX_STOPS, items: WORD, nullable: true })
  stop_sequences?: string[] | null;

  @ApiPropertyOptional({
    type: Number,
    minimum: 0,
    maximum: 1,
    nullable: true,
    description: 'Refused with `anthropic-version` 2026-10-21.',
  })
  temperature?: number | null;

  @ApiPropertyOptional({
    type: Number,
    minimum: 0,
    maximum: 1,
    nullable: true,
    description: 'Refused with `anthropic-version` 2026-10-21.',
  })
  top_p?: number | null;

  @ApiPropertyOptional({
    ...{
      type: 'integer',
      minimum: 0,
      maximum: MAX_TOKENS,
      nullable: true,
      description: 'Refused with `anthropic-version` 2026-10-21.',
    },
  })
  top_k?: number | null;

  @ApiPropertyOptional({ type: Boolean, nullable: true, default: false }) stream?: boolean | null;
}

export class AnthropicMessagesBody extends AnthropicInput {
  @ApiProperty({ type: 'integer', minimum: 0, maximum: MAX_TOKENS, description: 'Maximum number of output tokens.' })
  max_tokens!: number;
}

export class AnthropicCountTokensBody extends AnthropicInput {
  @ApiPropertyOptional({ type: 'integer', minimum: 0, maximum: MAX_TOKENS, nullable: true }) max_tokens?: number | null;
}

export class AnthropicTokenCount {
  @ApiProperty({ type: 'integer' }) input_tokens!: number;
}

const COUNTED = { type: 'integer' } as const;
const OF_THE_PROVIDER = { type: 'object', nullable: true, additionalProperties: true } as const;

class AnthropicUsage {
  @ApiProperty({ ...COUNTED, description: 'Input tokens without cache reads and writes.' }) input_tokens!: number;
  @ApiProperty(COUNTED) output_tokens!: number;
  @ApiProperty(COUNTED) cache_creation_input_tokens!: number;
  @ApiProperty(COUNTED) cache_read_input_tokens!: number;

  @ApiProperty({ ...OF_THE_PROVIDER, description: 'Tokens written to a cache, by lifetime.' })
  cache_creation!: object | null;

  @ApiProperty({ ...OF_THE_PROVIDER, description: '`thinking_tokens`, if the provider counts them.' })
  output_tokens_details!: object | null;

  @ApiProperty(OF_THE_PROVIDER) server_tool_use!: object | null;
  @ApiProperty({ type: String, nullable: true }) service_tier!: string | null;
  @ApiProperty({ type: String, nullable: true }) inference_geo!: string | null;
  @ApiProperty({ type: String, nullable: true }) speed!: string | null;
}

@ApiExtraModels(AnthropicUsage)
export class AnthropicMessageAnswer {
  @ApiProperty({ example: 'msg_0199a7c2-6f1e-7c4e-9d0a-2b6c1e5f7a90' }) id!: string;
  @ApiProperty({ enum: ['message'] }) type!: string;
  @ApiProperty({ enum: ['assistant'] }) role!: string;
  @ApiProperty({ description: 'As named in the request.' }) model!: string;
  @ApiProperty({ type: 'array', items: ANSWERED_BLOCK }) content!: unknown[];

  @ApiProperty({
    type: String,
    nullable: true,
    description:
      '`end_turn`, `max_tokens`, `stop_sequence`, `tool_use`, `pause_turn`, `refusal`, or a value of the provider.',
  })
  stop_reason!: string | null;

  @ApiProperty({ type: String, nullable: true }) stop_sequence!: string | null;
  @ApiProperty({ ...OF_THE_PROVIDER, description: 'Reason for the refusal.' }) stop_details!: object | null;
  @ApiProperty(OF_THE_PROVIDER) container!: object | null;
  @ApiProperty(OF_THE_PROVIDER) diagnostics!: object | null;
  @ApiProperty({ type: AnthropicUsage }) usage!: AnthropicUsage;

  @ApiProperty({ type: String, format: 'uuid', nullable: true, description: 'null if the call was not stored.' })
  pioneer_inference_id!: string | null;

  @ApiPropertyOptional({ type: [InferenceWarning], description: 'Encoders only; absent if there are none.' })
  pioneer_warnings?: InferenceWarning[];
  @ApiPropertyOptional({ description: 'Encoders only; present and true if part of the text was not read.' })
  pioneer_truncated?: boolean;
}
