import { ApiExtraModels, ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import type { SchemaBody } from '#calls/schema/definition.js';
import { EntityDefinition, SCHEMA, SchemaDefinition } from '../../edge/encoder-schema/dto.js';
import { THRESHOLD } from '../../edge/validation/optional-fields.js';

/** The model of a chat-shaped body. */
export const MODEL = { minLength: 1, 'x-expected': 'a model id from /v1/models or the id of a training job' } as const;

/** Extra fields in the bodies of all compatible routes. */
export class StoringExtensions {
  @ApiPropertyOptional({
    type: Boolean,
    nullable: true,
    default: true,
    description: '`false`: no content is stored.',
  })
  store?: boolean | null;

  @ApiPropertyOptional({ type: String, minLength: 1, nullable: true }) project_id?: string | null;
}

/** Extra fields of chat-shaped bodies, for encoders. Each is refused for a decoder. */
@ApiExtraModels(SchemaDefinition, EntityDefinition)
export class EncoderExtensions extends StoringExtensions {
  @ApiPropertyOptional({ ...SCHEMA, description: `For encoders. ${SCHEMA.description}` }) schema?: SchemaBody | null;

  @ApiPropertyOptional({
    type: Number,
    minimum: 0,
    maximum: 1,
    nullable: true,
    description: `For encoders. ${THRESHOLD.description}`,
  })
  threshold?: number | null;

  @ApiPropertyOptional({ type: Boolean, nullable: true, default: true, description: 'For encoders.' })
  include_confidence?: boolean | null;

  @ApiPropertyOptional({ type: Boolean, nullable: true, default: true, description: 'For encoders.' })
  include_spans?: boolean | null;
}

export class InferenceWarning {
  @ApiProperty({
    enum: [
      'unresolved_label',
      'zero_shot_classification',
      'unchecked_type',
      'nested_spans',
      'unused_description',
      'explanation_unavailable',
    ],
  })
  code!: string;
  @ApiProperty() message!: string;
  @ApiPropertyOptional() label?: string;
}

/** Ids of the call in the history. */
export class PioneerIds {
  @ApiProperty({ type: String, format: 'uuid', nullable: true, description: 'null if the call was not stored.' })
  inference_id!: string | null;
}

/** Extension fields that Anneal adds to an answer of a dialect. */
export class PioneerNotes extends PioneerIds {
  @ApiPropertyOptional({ type: [InferenceWarning], description: 'Encoders only; absent if there are none.' })
  warnings?: InferenceWarning[];
  @ApiPropertyOptional({ description: 'Encoders only; present and true if part of the text was not read.' })
  truncated?: boolean;
}
