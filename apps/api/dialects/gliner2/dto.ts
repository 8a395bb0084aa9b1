import { ApiExtraModels, ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import type { SchemaBody } from '#calls/schema/definition.js';
import { optionalFlag, optionalShare, THRESHOLD } from '../../edge/validation/optional-fields.js';
import { SCHEMA_TASKS, type SchemaTask } from '#calls/schema/client-schema.js';
import { SCHEMA, SchemaDefinition } from '../../edge/encoder-schema/dto.js';
import { TEXT } from '../native/dto.js';
import { InferenceWarning } from '../shared/extensions-dto.js';

/** The body of the GLiNER2 API client (`gliner2.api_client` of the Python package gliner2), with `model` and `store`. */
export class Gliner2Body {
  @ApiPropertyOptional({ type: String, enum: [...SCHEMA_TASKS, null], nullable: true, default: 'schema' })
  task?: SchemaTask | null;

  @ApiPropertyOptional({
    ...{ type: String, minLength: 1, nullable: true, example: 'anneal/encoder-base-v1' },
    'x-expected': 'the id of an encoder from /base-models or of a training job',
    description:
      'An encoder of the catalog, a training job or a name. Default: the model that the workspace has named `gliner-2`; else ' +
      '`fastino/gliner2-base-v1` of the catalog, which is `anneal/encoder-base-v1` unless another one was imported under that id.',
  })
  model?: string | null;

  @ApiProperty(TEXT) text!: string | string[];

  @ApiProperty({
    description:
      'By task: labels (`extract_entities`), `{categories}` (`classify_text`), a map from structure to fields (`extract_json`), ' +
      'or heads as in `/inference`, with `flat_ner`, `entity_dtype`, `entity_threshold`, `relation_threshold` and, in a classification, `cls_threshold`.',
    oneOf: [
      { type: 'array', items: {}, minItems: 1 },
      { type: 'object', additionalProperties: true },
    ],
    example: { entities: ['person', 'city', 'date'] },
  })
  schema!: unknown;

  @optionalShare(THRESHOLD) threshold?: number | null;
  @optionalFlag({ default: false }) include_confidence?: boolean | null;
  @optionalFlag({ default: false }) include_spans?: boolean | null;

  @optionalFlag({ default: true, description: "`false`: the model's output before formatting." })
  format_results?: boolean | null;

  @optionalFlag({ default: true, description: '`false`: no content is stored.' }) store?: boolean | null;
}

/** The native schema that `schema` translates to. */
@ApiExtraModels(SchemaDefinition)
export class Gliner2Schema {
  @ApiPropertyOptional(SCHEMA) schema?: SchemaBody | null;
}

export class Gliner2Response {
  @ApiProperty({
    oneOf: [
      { type: 'object', additionalProperties: true },
      { type: 'array', items: { type: 'object', additionalProperties: true } },
    ],
    description: 'Results by head; a list if `text` is a list. Offsets are Unicode code points, end exclusive.',
    example: { entities: { person: ['Maria Rossi'], city: ['Lisbon'], date: ['3 May'] } },
  })
  result!: unknown;

  @ApiProperty({ type: 'integer', description: 'Input tokens.' }) token_usage!: number;

  @ApiPropertyOptional({ type: [InferenceWarning] }) warnings?: InferenceWarning[];
  @ApiPropertyOptional({ description: 'Present and true if part of a text was not read.' }) truncated?: boolean;
}
