import { ApiExtraModels, ApiProperty, ApiPropertyOptional, getSchemaPath } from '@nestjs/swagger';
import { EntityDefinition, SchemaDefinition } from '../native/dto.js';

/** What the bodies of all compatible routes have besides the fields of their API. */
export class StoringExtensions {
  @ApiPropertyOptional({
    type: Boolean,
    nullable: true,
    default: true,
    description: '`false`: nothing of the content is kept.',
  })
  store?: boolean | null;

  @ApiPropertyOptional({ type: String, minLength: 1, nullable: true })
  project_id?: string | null;
}

/** What chat-shaped bodies have besides, for encoders. Given to a decoder, each is refused. */
@ApiExtraModels(SchemaDefinition, EntityDefinition)
export class EncoderExtensions extends StoringExtensions {
  @ApiPropertyOptional({
    description: "For encoders: entity labels, or an object of heads. Absent: a trained model's own labels.",
    oneOf: [
      {
        type: 'array',
        nullable: true,
        minItems: 1,
        maxItems: 1000,
        items: { oneOf: [{ type: 'string', minLength: 1 }, { $ref: getSchemaPath(EntityDefinition) }] },
      },
      { $ref: getSchemaPath(SchemaDefinition) },
    ],
    example: ['person', 'city', 'date'],
  })
  schema?: unknown;

  @ApiPropertyOptional({
    type: Number,
    minimum: 0,
    maximum: 1,
    nullable: true,
    default: 0.5,
    description: 'For encoders.',
  })
  threshold?: number | null;

  @ApiPropertyOptional({ type: Boolean, nullable: true, default: true, description: 'For encoders.' })
  include_confidence?: boolean | null;

  @ApiPropertyOptional({ type: Boolean, nullable: true, default: true, description: 'For encoders.' })
  include_spans?: boolean | null;
}

/** Where the history has the call. */
export class PioneerIds {
  @ApiProperty({ type: String, format: 'uuid', nullable: true, description: 'null where nothing was stored.' })
  inference_id!: string | null;
}
