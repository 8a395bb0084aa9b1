import { ApiExtraModels, ApiProperty, ApiPropertyOptional, getSchemaPath } from '@nestjs/swagger';
import { PioneerNotes } from '../shared/extensions-dto.js';

const REASONS = ['stop', 'length', 'tool_calls', 'content_filter', 'function_call'];
const text = { type: 'string' } as const;
const count = { type: 'integer', minimum: 0 } as const;
const CALLED = { type: 'object', properties: { name: text, arguments: text } } as const;
const call = (more: object) =>
  ({
    type: 'object',
    properties: {
      ...{ id: text, type: { type: 'string', enum: ['function', 'custom'] }, function: CALLED },
      custom: { type: 'object', properties: { name: text, input: text } },
      ...more,
    },
  }) as const;
const THINKING_BLOCKS = {
  type: 'array',
  items: {
    type: 'object',
    properties: {
      type: { type: 'string', enum: ['thinking', 'redacted_thinking'] },
      ...{ thinking: text, signature: text, data: text },
    },
    required: ['type'],
  },
  description: 'Reasoning with the signatures of its provider; send the blocks back unchanged.',
} as const;
const nullableTexts = { type: String, nullable: true } as const;

/** The content of a choice, whole or as a delta, without tool calls. */
class Said {
  @ApiPropertyOptional({ type: String, description: 'Reasoning, from models that show it.' })
  reasoning_content?: string;
  @ApiPropertyOptional(THINKING_BLOCKS as object) thinking_blocks?: object[];

  @ApiPropertyOptional({
    ...CALLED,
    type: 'object',
    deprecated: true,
    description: 'Present if the request has `functions`.',
  })
  function_call?: object;

  @ApiPropertyOptional({
    type: 'array',
    items: { type: 'object', additionalProperties: true },
    description: 'As returned by the provider; of a model of style `anthropic`, its citations of pages.',
  })
  annotations?: object[];

  @ApiPropertyOptional({ type: 'object', additionalProperties: true, description: 'As returned by the provider.' })
  audio?: object;
}

class ChatCompletionMessage extends Said {
  @ApiProperty({ enum: ['assistant'] }) role!: string;

  @ApiProperty({ ...nullableTexts, description: 'For an encoder, the result as JSON. null if there is no text.' })
  content!: string | null;

  @ApiProperty(nullableTexts) refusal!: string | null;
  @ApiPropertyOptional({ type: 'array', items: call({}) as object }) tool_calls?: object[];
}

class ChatCompletionDelta extends Said {
  @ApiPropertyOptional({ enum: ['assistant'] }) role?: string;
  @ApiPropertyOptional(nullableTexts) content?: string | null;
  @ApiPropertyOptional(nullableTexts) refusal?: string | null;
  @ApiPropertyOptional({ type: 'array', items: call({ index: count }) as object }) tool_calls?: object[];
}

const TOKEN = {
  type: 'object',
  properties: {
    token: text,
    logprob: { type: 'number' },
    bytes: { type: 'array', nullable: true, items: count },
    top_logprobs: { type: 'array', items: { type: 'object', additionalProperties: true } },
  },
  required: ['token', 'logprob'],
} as const;

class ChatLogprobs {
  @ApiProperty({ type: 'array', items: TOKEN as object, nullable: true }) content!: object[] | null;
  @ApiProperty({ type: 'array', items: TOKEN as object, nullable: true }) refusal!: object[] | null;
}

class ChatCompletionChoice {
  @ApiProperty({ type: 'integer', minimum: 0 }) index!: number;
  @ApiProperty({ type: ChatCompletionMessage }) message!: ChatCompletionMessage;
  @ApiProperty({ type: ChatLogprobs, nullable: true }) logprobs!: ChatLogprobs | null;
  @ApiProperty({ enum: REASONS }) finish_reason!: string;
}

class ChatCompletionChunkChoice {
  @ApiProperty({ type: 'integer', minimum: 0 }) index!: number;
  @ApiProperty({ type: ChatCompletionDelta }) delta!: ChatCompletionDelta;
  @ApiProperty({ type: ChatLogprobs, nullable: true }) logprobs!: ChatLogprobs | null;
  @ApiProperty({ type: String, enum: [...REASONS, null], nullable: true }) finish_reason!: string | null;
}

export class CompletionUsage {
  @ApiProperty({ type: 'integer', minimum: 0, description: 'All input tokens, including cache reads and writes.' })
  prompt_tokens!: number;

  @ApiProperty({ type: 'integer', minimum: 0 }) completion_tokens!: number;
  @ApiProperty({ type: 'integer', minimum: 0 }) total_tokens!: number;

  @ApiProperty({
    type: 'object',
    properties: { cached_tokens: count, cache_write_tokens: count },
    required: ['cached_tokens', 'cache_write_tokens'],
  })
  prompt_tokens_details!: object;

  @ApiPropertyOptional({ type: 'object', properties: { reasoning_tokens: count }, required: ['reasoning_tokens'] })
  completion_tokens_details?: object;
}

/** Fields common to the answers and chunks of both routes. */
@ApiExtraModels(CompletionUsage)
export class CompletionHead {
  @ApiProperty() id!: string;
  @ApiProperty({ type: 'integer', description: 'In seconds since 1970.' }) created!: number;
  @ApiProperty({ description: 'As named in the request.' }) model!: string;
  @ApiPropertyOptional({ description: 'As returned by the provider.' }) system_fingerprint?: string;
  @ApiPropertyOptional({ description: 'As returned by the provider.' }) service_tier?: string;
  @ApiProperty({ type: PioneerNotes }) x_pioneer!: PioneerNotes;
}

export class ChatCompletion extends CompletionHead {
  @ApiProperty({ enum: ['chat.completion'] }) object!: string;
  @ApiProperty({ type: [ChatCompletionChoice] }) choices!: ChatCompletionChoice[];
  @ApiProperty({ type: CompletionUsage }) usage!: CompletionUsage;
}

/** `usage` of all chunks but the last is null; without `include_usage` none has it. */
export const USAGE_OF_CHUNK = { nullable: true, allOf: [{ $ref: getSchemaPath(CompletionUsage) }] };

export class ChatCompletionChunk extends CompletionHead {
  @ApiProperty({ enum: ['chat.completion.chunk'] }) object!: string;

  @ApiProperty({ type: [ChatCompletionChunkChoice], description: 'Empty in the chunk with the usage.' })
  choices!: ChatCompletionChunkChoice[];

  @ApiPropertyOptional({ ...USAGE_OF_CHUNK, description: 'With `include_usage`; null except in the last chunk.' })
  usage?: CompletionUsage | null;
}
