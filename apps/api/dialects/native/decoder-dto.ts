import { ApiExtraModels, ApiProperty, ApiPropertyOptional, getSchemaPath } from '@nestjs/swagger';
import { DEFAULT_MAX_TOKENS } from '#calls/index.js';
import { Closed } from '../../edge/validation/closed.js';
import { InferenceBody, notHere } from './dto.js';

const MAX_MESSAGES = 10_000;
const MAX_TOKENS = 10_000_000;
const MAX_STOPS = 16;

@Closed()
class TextPart {
  @ApiProperty({ enum: ['text'], 'x-refusal': 'must be text: other parts are for the compatible routes' })
  type!: string;

  @ApiProperty({ minLength: 1 }) text!: string;
}

@Closed()
@ApiExtraModels(TextPart)
export class ChatMessage {
  @ApiProperty({ enum: ['system', 'user', 'assistant'] }) role!: 'system' | 'user' | 'assistant';

  @ApiPropertyOptional({
    oneOf: [
      { type: 'string', nullable: true },
      { type: 'array', items: { $ref: getSchemaPath(TextPart) }, maxItems: MAX_MESSAGES, 'x-item': 'part' },
    ],
    description: 'Only the assistant may say nothing.',
  })
  content?: string | TextPart[] | null;
}

const FOR_ENCODERS = 'is for encoder models; `messages` asks for a decoder';

export class DecoderInferenceBody extends InferenceBody {
  @ApiPropertyOptional({ type: String, enum: ['generate', null], nullable: true }) task?: string | null;

  @ApiProperty({ type: [ChatMessage], minItems: 1, maxItems: MAX_MESSAGES, 'x-item': 'message' })
  messages!: ChatMessage[];

  @ApiPropertyOptional({
    ...{ type: 'integer', minimum: 1, maximum: MAX_TOKENS, nullable: true, default: DEFAULT_MAX_TOKENS },
    description: "Maximum number of output tokens, up to the model's context window.",
  })
  max_tokens?: number | null;

  @ApiPropertyOptional({ type: Number, minimum: 0, maximum: 2, nullable: true }) temperature?: number | null;
  @ApiPropertyOptional({ type: Number, minimum: 0, maximum: 1, nullable: true }) top_p?: number | null;

  @ApiPropertyOptional({
    oneOf: [
      { type: 'string', minLength: 1, nullable: true },
      { type: 'array', items: { type: 'string', minLength: 1 }, maxItems: MAX_STOPS },
    ],
    description: 'Texts at which generation stops.',
  })
  stop?: string | string[] | null;

  @notHere(FOR_ENCODERS) text?: null;
  @notHere(FOR_ENCODERS) schema?: null;
  @notHere(FOR_ENCODERS) threshold?: null;
  @notHere(FOR_ENCODERS) explain?: null;
}

export class DecoderInferenceResponse {
  @ApiProperty({ enum: ['decoder'] }) type!: string;

  @ApiProperty({ type: String, format: 'uuid', nullable: true, description: 'null if the call was not stored.' })
  inference_id!: string | null;

  @ApiProperty() completion!: string;
  @ApiProperty() model_id!: string;
  @ApiProperty({ description: 'The model that ran; for an alias, its target.' }) model_used!: string;
  @ApiProperty() latency_ms!: number;
  @ApiProperty({ type: 'integer', description: 'Input and output tokens.' }) token_usage!: number;
}
