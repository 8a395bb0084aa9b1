import { ApiExtraModels, ApiProperty, ApiPropertyOptional, getSchemaPath } from '@nestjs/swagger';
import { PioneerIds, StoringExtensions } from '../shared/extensions-dto.js';

const ENCODING_FORMATS = ['float', 'base64'] as const;
/** OpenAI's own limit. */
const MAX_INPUTS = 2_048;
/** More than any embedder has. */
const MAX_DIMENSIONS = 65_536;

/** Token ids of one text; those of all texts are limited as the values of any body are. */
const TOKEN_IDS = { type: 'array', items: { type: 'integer', minimum: 0, maximum: 2 ** 31 - 1 }, minItems: 1 } as const;

export class EmbeddingsBody extends StoringExtensions {
  @ApiProperty({
    ...{ minLength: 1, 'x-expected': 'the id of an embedder, from /base-models?task_type=embedding' },
    description: 'An embedder: `GET /base-models?task_type=embedding`.',
  })
  model!: string;

  @ApiProperty({
    oneOf: [
      { type: 'string', minLength: 1 },
      { type: 'array', items: { type: 'string', minLength: 1 }, minItems: 1, maxItems: MAX_INPUTS },
      TOKEN_IDS,
      { type: 'array', items: TOKEN_IDS, minItems: 1, maxItems: MAX_INPUTS },
    ],
    description:
      'One text or several, each as a string or as its token ids. Models whose provider does not read ids read them as cl100k_base.',
  })
  input!: string | string[] | number[] | number[][];

  @ApiPropertyOptional({
    type: String,
    enum: [...ENCODING_FORMATS, null],
    nullable: true,
    default: 'float',
    description: '`base64`: 32-bit floats, little-endian, which is what the SDK of OpenAI asks for.',
  })
  encoding_format?: (typeof ENCODING_FORMATS)[number] | null;

  @ApiPropertyOptional({
    type: 'integer',
    minimum: 1,
    maximum: MAX_DIMENSIONS,
    nullable: true,
    description: 'Number of leading dimensions to keep, scaled to length 1; only for models that support it.',
  })
  dimensions?: number | null;

  @ApiPropertyOptional({
    type: String,
    minLength: 1,
    nullable: true,
    description: "Id of your own user, for the provider's abuse checks.",
  })
  user?: string | null;
}

class Embedding {
  @ApiProperty({ enum: ['embedding'] }) object!: string;
  @ApiProperty({ type: 'integer', minimum: 0, description: 'Index of the text in `input`.' }) index!: number;

  @ApiProperty({
    oneOf: [
      { type: 'array', items: { type: 'number' } },
      { type: 'string', format: 'byte' },
    ],
    description: 'Numbers or base64, depending on `encoding_format`.',
  })
  embedding!: number[] | string;
}

class EmbeddingsUsage {
  @ApiProperty({ type: 'integer', minimum: 0 }) prompt_tokens!: number;
  @ApiProperty({ type: 'integer', minimum: 0 }) total_tokens!: number;
}

@ApiExtraModels(Embedding)
export class EmbeddingsResponse {
  @ApiProperty({ enum: ['list'] }) object!: string;
  @ApiProperty({ type: 'array', items: { $ref: getSchemaPath(Embedding) } }) data!: Embedding[];
  @ApiProperty({ description: 'As named in the request.' }) model!: string;
  @ApiProperty({ type: EmbeddingsUsage }) usage!: EmbeddingsUsage;
  @ApiProperty({ type: PioneerIds }) x_pioneer!: PioneerIds;
}
