import { ApiPropertyOptional } from '@nestjs/swagger';
import { EncoderExtensions } from '../shared/extensions-dto.js';

export const MAX_TOKENS = 10_000_000;
export const MAX_CHOICES = 128;
const MAX_BIASES = 10_000;

const optional = (type: typeof Number | typeof String | typeof Boolean, more: object = {}) =>
  ApiPropertyOptional({ type, nullable: true, ...more });
const optionalNumber = (minimum: number, maximum: number, description?: string) =>
  optional(Number, { minimum, maximum, ...(description !== undefined && { description }) });
export const optionalInteger = (minimum: number, maximum: number, description?: string) =>
  ApiPropertyOptional({
    ...{ type: 'integer', nullable: true, minimum, maximum },
    ...(description !== undefined && { description }),
  });
export const optionalBoolean = (description?: string) =>
  optional(Boolean, description === undefined ? {} : { description });
export const optionalWord = (description?: string) =>
  optional(String, { minLength: 1, ...(description !== undefined && { description }) });

const WORD = { type: 'string', minLength: 1 } as const;

/** Fields common to chat and text completions. */
export class SamplingBody extends EncoderExtensions {
  @optionalNumber(0, 2) temperature?: number | null;
  @optionalNumber(0, 1) top_p?: number | null;
  @optionalNumber(-2, 2) frequency_penalty?: number | null;
  @optionalNumber(-2, 2) presence_penalty?: number | null;

  @ApiPropertyOptional({
    oneOf: [
      { ...WORD, nullable: true },
      { type: 'array', items: WORD, maxItems: 16 },
    ],
    description: 'Texts at which generation stops.',
  })
  stop?: string | string[] | null;

  @optionalInteger(Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER) seed?: number | null;
  @optionalInteger(1, MAX_CHOICES, 'Number of answers.') n?: number | null;

  @ApiPropertyOptional({
    type: 'object',
    nullable: true,
    maxProperties: MAX_BIASES,
    additionalProperties: { type: 'number', minimum: -100, maximum: 100 },
    description: 'Bias by token id.',
  })
  logit_bias?: Readonly<Record<string, number>> | null;

  @optionalInteger(1, MAX_TOKENS, "Maximum number of output tokens, up to the model's context window.")
  max_tokens?: number | null;

  @optionalWord("Id of your own user, for the provider's abuse checks.") user?: string | null;
  @optionalBoolean('Streams chunks as server-sent events, then `[DONE]`.') stream?: boolean | null;

  @ApiPropertyOptional({
    type: 'object',
    nullable: true,
    properties: {
      include_usage: {
        type: 'boolean',
        nullable: true,
        description: 'Adds a last chunk with the usage and no choices.',
      },
      include_obfuscation: { type: 'boolean', nullable: true, description: 'Dropped: chunks are not padded here.' },
    },
  })
  stream_options?: {
    include_usage?: boolean | null;
    include_obfuscation?: boolean | null;
    readonly [other: string]: unknown;
  } | null;
}
