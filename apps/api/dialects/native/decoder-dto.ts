import { ApiExtraModels, ApiProperty, ApiPropertyOptional, getSchemaPath } from '@nestjs/swagger';
import { DEFAULT_MAX_TOKENS } from '#calls/index.js';

/** These classes describe a decoder request in OpenAPI; `native/decode.ts` checks it, by hand. */

export class TextPart {
  @ApiProperty({ enum: ['text'] })
  type!: string;

  @ApiProperty({ minLength: 1 })
  text!: string;
}

@ApiExtraModels(TextPart)
export class ChatMessage {
  @ApiProperty({ enum: ['system', 'user', 'assistant'] })
  role!: string;

  @ApiProperty({
    oneOf: [
      { type: 'string', minLength: 1 },
      { type: 'array', items: { $ref: getSchemaPath(TextPart) }, minItems: 1, maxItems: 10_000 },
    ],
  })
  content!: unknown;
}

export class DecoderInferenceBody {
  @ApiProperty({ minLength: 1, description: 'A decoder of the catalog.' })
  model_id!: string;

  @ApiPropertyOptional({ enum: ['generate'] })
  task?: string;

  @ApiProperty({ type: [ChatMessage], minItems: 1, maxItems: 10_000 })
  messages!: ChatMessage[];

  @ApiPropertyOptional({
    type: 'integer',
    minimum: 1,
    maximum: 10_000_000,
    default: DEFAULT_MAX_TOKENS,
    description: "The most output tokens; at most the model's context window.",
  })
  max_tokens?: number;

  @ApiPropertyOptional({ minimum: 0, maximum: 2 })
  temperature?: number;

  @ApiPropertyOptional({ minimum: 0, maximum: 1 })
  top_p?: number;

  @ApiPropertyOptional({
    oneOf: [
      { type: 'string', minLength: 1 },
      { type: 'array', items: { type: 'string', minLength: 1 }, maxItems: 16 },
    ],
    description: 'Texts before which it stops.',
  })
  stop?: string | string[];

  @ApiPropertyOptional({ default: true, description: '`false`: nothing of the content is kept.' })
  store?: boolean;

  @ApiPropertyOptional({ minLength: 1 })
  project_id?: string;

  @ApiPropertyOptional({ default: false, description: 'Runs nothing.' })
  is_warmup?: boolean;
}

export class DecoderInferenceResponse {
  @ApiProperty({ enum: ['decoder'] })
  type!: string;

  @ApiProperty({ type: String, format: 'uuid', nullable: true, description: 'null where nothing was stored.' })
  inference_id!: string | null;

  @ApiProperty()
  completion!: string;

  @ApiProperty()
  model_id!: string;

  @ApiProperty({ description: "What really ran: an alias's target." })
  model_used!: string;

  @ApiProperty()
  latency_ms!: number;

  @ApiProperty({ type: 'integer', description: 'Input and output tokens.' })
  token_usage!: number;
}
