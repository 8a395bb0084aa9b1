import { ApiExtraModels, ApiProperty, ApiPropertyOptional, getSchemaPath } from '@nestjs/swagger';
import type { SchemaBody } from '#calls/schema/definition.js';
import { EXCERPT_CHARACTERS, MAX_SHOWN } from '#calls/training-rows.js';
import { SCHEMA, SchemaDefinition } from '../../edge/encoder-schema/dto.js';
import { InferenceWarning } from '../shared/extensions-dto.js';
import { optionalFlag, optionalShare, optionalText, THRESHOLD } from '../../edge/validation/optional-fields.js';

// Bounded: one call must not occupy the engine for long.
const TEXTS = { type: 'array', items: { type: 'string' }, minItems: 1, maxItems: 1000 } as const;
export const TEXT = {
  description: 'One text, or a batch of at most 1,000.',
  oneOf: [{ type: 'string' }, TEXTS],
  example: 'Maria Rossi flew to Lisbon on 3 May.',
};

/** A field that these bodies accept only without effect. */
export const notHere = (refusal: string) =>
  ApiPropertyOptional({
    ...{ type: String, nullable: true, enum: [null], 'x-refusal': refusal },
    description: refusal,
  });

/** Fields common to bodies for encoders and decoders. */
export class InferenceBody {
  @ApiProperty({
    ...{ minLength: 1, 'x-expected': 'a model id from /base-models or the id of a training job' },
    ...{ example: 'anneal/encoder-base-v1', description: 'A catalog model or a training job.' },
  })
  model_id!: string;

  @optionalFlag({ default: true, description: '`false`: no content is stored.' }) store?: boolean | null;
  @optionalText() project_id?: string | null;
  @optionalFlag({ default: true, description: 'For encoders.' }) include_confidence?: boolean | null;
  @optionalFlag({ default: true, description: 'For encoders.' }) include_spans?: boolean | null;

  @optionalFlag({ default: false, description: 'Loads the model of an encoder without running it.' })
  is_warmup?: boolean | null;

  @optionalFlag({
    ...{ not: { enum: [true] }, description: 'Not here.' },
    'x-refusal': 'is not supported here; use /v1/chat/completions, /v1/responses or /v1/messages to stream',
  })
  stream?: boolean | null;
}

const FOR_DECODERS = 'is for decoder models, which take `messages`';

@ApiExtraModels(SchemaDefinition)
export class EncoderInferenceBody extends InferenceBody {
  @ApiPropertyOptional({ type: String, nullable: true, description: 'Any but `generate`; it says nothing.' })
  task?: string | null;

  @ApiPropertyOptional({ ...TEXT, oneOf: [{ type: 'string', nullable: true }, TEXTS] }) text?: string | string[] | null;
  @ApiPropertyOptional(SCHEMA) schema?: SchemaBody | null;
  @optionalShare(THRESHOLD) threshold?: number | null;

  @optionalFlag({
    default: false,
    description: 'For trained models: returns the three training rows nearest to each text. At most 100 texts.',
  })
  explain?: boolean | null;

  @notHere('is for decoders') messages?: null;
  @notHere(FOR_DECODERS) max_tokens?: null;
  @notHere(FOR_DECODERS) temperature?: null;
  @notHere(FOR_DECODERS) top_p?: null;
  @notHere(FOR_DECODERS) stop?: null;
}

class NearestRow {
  @ApiProperty({ description: `Its first ${EXCERPT_CHARACTERS} characters.` }) text!: string;
  @ApiPropertyOptional({ description: 'Present and true if the text was cut.' }) is_excerpt?: boolean;
  @ApiProperty({
    type: [String],
    description: 'Its classes; empty if it has none. Of several tasks with the name of their task: `tone: glad`.',
  })
  labels!: string[];
  @ApiPropertyOptional({
    ...{ type: 'array', items: {}, maxItems: MAX_SHOWN, description: 'Its entities, as the dataset has them.' },
  })
  entities?: unknown[];
  @ApiPropertyOptional({
    ...{ type: 'array', items: {}, maxItems: MAX_SHOWN, description: 'Its structures, as the dataset has them.' },
  })
  json_structures?: unknown[];
  @ApiPropertyOptional({
    ...{ type: 'array', items: {}, maxItems: MAX_SHOWN, description: 'Its relations, as the dataset has them.' },
  })
  relations?: unknown[];
  @ApiProperty({ minimum: 0, maximum: 1, description: 'Cosine similarity of the vectors of the two texts.' })
  similarity!: number;
  @ApiProperty() dataset_name!: string;
  @ApiProperty() version_number!: string;
  @ApiProperty({ type: 'integer', minimum: 1, description: 'From 1.' }) row!: number;
}

class Explanation {
  @ApiProperty({ type: [NearestRow], maxItems: 3, description: 'Nearest first.' }) nearest_rows!: NearestRow[];
}

@ApiExtraModels(Explanation)
export class EncoderInferenceResponse {
  @ApiProperty({ enum: ['encoder'] }) type!: string;

  @ApiProperty({ type: String, format: 'uuid', nullable: true, description: 'null if the call was not stored.' })
  inference_id!: string | null;

  @ApiProperty({
    oneOf: [
      { type: 'object', additionalProperties: true },
      { type: 'array', items: { type: 'object', additionalProperties: true } },
    ],
    description: 'Results by head; a list if `text` is a list. Offsets are Unicode code points, end exclusive.',
    example: { entities: { person: [{ text: 'Maria Rossi', confidence: 0.98, start: 0, end: 11 }] } },
  })
  result!: unknown;

  @ApiProperty() model_id!: string;
  @ApiProperty({ description: 'The model that ran.' }) model_used!: string;
  @ApiProperty() latency_ms!: number;
  @ApiProperty({ type: 'integer' }) token_usage!: number;

  @ApiPropertyOptional({
    oneOf: [{ $ref: getSchemaPath(Explanation) }, { type: 'array', items: { $ref: getSchemaPath(Explanation) } }],
    description:
      'With `explain`, if the answer can be explained; a list if `text` is a list. Not stored with the call.',
  })
  explanation?: Explanation | Explanation[];

  @ApiPropertyOptional({ type: [InferenceWarning] }) warnings?: InferenceWarning[];
  @ApiPropertyOptional({
    description:
      'Only where it is true: of a text part was not read (by some head of the schema), or it holds more than 50,000 values or relations.',
  })
  truncated?: boolean;
}
