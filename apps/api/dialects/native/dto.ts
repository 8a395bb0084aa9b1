import { ApiExtraModels, ApiProperty, ApiPropertyOptional, getSchemaPath } from '@nestjs/swagger';

const LABEL = { type: 'string', minLength: 1 } as const;

/** These classes describe the native request in OpenAPI; `native/decode.ts` checks it, by hand, on the hot path. */

export class EntityDetails {
  @ApiPropertyOptional({ minLength: 1 })
  description?: string;

  @ApiPropertyOptional({ minimum: 0, maximum: 1, description: "Overrides the call's threshold for this label." })
  threshold?: number;

  @ApiPropertyOptional({ enum: ['str', 'list'], description: '`str`: at most one hit, the most confident.' })
  dtype?: 'str' | 'list';
}

export class EntityDefinition extends EntityDetails {
  @ApiProperty({ minLength: 1, description: 'The label.' })
  name!: string;
}

export class ClassificationDetails {
  @ApiProperty({ type: 'array', items: LABEL, minItems: 1, maxItems: 1000 })
  labels!: string[];

  @ApiPropertyOptional({ default: false, description: 'Every label above the threshold instead of the best one.' })
  multi_label?: boolean;

  @ApiPropertyOptional({
    type: 'integer',
    minimum: 1,
    maximum: 1000,
    description: 'Always a list: the best so many labels.',
  })
  top_k?: number;

  @ApiPropertyOptional({ minimum: 0, maximum: 1 })
  threshold?: number;
}

export class ClassificationDefinition extends ClassificationDetails {
  @ApiProperty({ minLength: 1, description: 'Name of the label group: the key in the result.' })
  task!: string;
}

export class FieldDefinition {
  @ApiProperty({ minLength: 1 })
  name!: string;

  @ApiPropertyOptional({ enum: ['str', 'list'], default: 'list', description: '`str`: at most one value an instance.' })
  dtype?: 'str' | 'list';

  @ApiPropertyOptional({ type: 'array', items: LABEL, minItems: 1, maxItems: 1000, description: 'The only values.' })
  choices?: string[];

  @ApiPropertyOptional({ minLength: 1 })
  description?: string;

  @ApiPropertyOptional({ minimum: 0, maximum: 1 })
  threshold?: number;
}

export class RelationDetails {
  @ApiPropertyOptional({ minLength: 1, description: 'Entity type of its head.' })
  head?: string;

  @ApiPropertyOptional({ minLength: 1, description: 'Entity type of its tail.' })
  tail?: string;

  @ApiPropertyOptional({ minLength: 1 })
  description?: string;

  @ApiPropertyOptional({ minimum: 0, maximum: 1 })
  threshold?: number;
}

const list = (items: object) => ({ type: 'array', minItems: 1, maxItems: 1000, items }) as const;
const mapTo = (values: object) => {
  const map = { type: 'object', minProperties: 1, maxProperties: 1000, additionalProperties: values } as const;
  // JSON schema has it, and the types of the OpenAPI library do not.
  return Object.assign(map, { propertyNames: { minLength: 1 } });
};
const RELATION = {
  type: 'object',
  allOf: [{ $ref: getSchemaPath(RelationDetails) }],
  anyOf: ['name', 'relation', 'type'].map((key) => ({ properties: { [key]: LABEL }, required: [key] })),
} as const;
const FIELDS = list({
  oneOf: [
    { type: 'string', pattern: '^(?!::).+', description: 'name::str|list::[a|b]::description' },
    { $ref: getSchemaPath(FieldDefinition) },
  ],
});

@ApiExtraModels(
  EntityDefinition,
  EntityDetails,
  ClassificationDefinition,
  ClassificationDetails,
  FieldDefinition,
  RelationDetails,
)
export class SchemaDefinition {
  @ApiPropertyOptional({
    description: 'Labels, definitions, or a map from label to description or definition.',
    oneOf: [
      list({ oneOf: [LABEL, { $ref: getSchemaPath(EntityDefinition) }] }),
      mapTo({ oneOf: [LABEL, { $ref: getSchemaPath(EntityDetails) }] }),
    ],
  })
  entities?: unknown;

  @ApiPropertyOptional({
    description: 'Tasks, or a map from task to labels or definition.',
    oneOf: [
      list({ $ref: getSchemaPath(ClassificationDefinition) }),
      mapTo({ oneOf: [list(LABEL), { $ref: getSchemaPath(ClassificationDetails) }] }),
    ],
  })
  classifications?: unknown;

  @ApiPropertyOptional({
    description:
      'A map from structure name to its fields: definitions, or `name::str|list::[a|b]::description`. Only models with such a head.',
    ...mapTo({ oneOf: [FIELDS, { type: 'object', properties: { fields: FIELDS }, required: ['fields'] }] }),
  })
  structures?: unknown;

  @ApiPropertyOptional({
    description: 'Names, definitions, or a map from name to description or definition. Only models with such a head.',
    oneOf: [list({ oneOf: [LABEL, RELATION] }), mapTo({ oneOf: [LABEL, { $ref: getSchemaPath(RelationDetails) }] })],
  })
  relations?: unknown;
}

@ApiExtraModels(SchemaDefinition)
export class EncoderInferenceBody {
  @ApiProperty({ minLength: 1, example: 'anneal/encoder-base-v1', description: 'A catalog model or a training job.' })
  model_id!: string;

  @ApiPropertyOptional({
    description: 'One text, or a batch of at most 1,000.',
    oneOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' }, minItems: 1, maxItems: 1000 }],
    example: 'Maria Rossi flew to Lisbon on 3 May.',
  })
  text?: string | string[];

  @ApiPropertyOptional({
    description: "Entity labels, or an object of heads. Absent: a trained model's own labels.",
    oneOf: [
      {
        type: 'array',
        minItems: 1,
        maxItems: 1000,
        items: { oneOf: [LABEL, { $ref: getSchemaPath(EntityDefinition) }] },
      },
      { $ref: getSchemaPath(SchemaDefinition) },
    ],
    example: ['person', 'city', 'date'],
  })
  schema?: unknown;

  @ApiPropertyOptional({ minimum: 0, maximum: 1, default: 0.5 })
  threshold?: number;

  @ApiPropertyOptional({ default: true, description: '`false`: nothing of the content is kept.' })
  store?: boolean;

  @ApiPropertyOptional({ minLength: 1 })
  project_id?: string;

  @ApiPropertyOptional({ default: true })
  include_confidence?: boolean;

  @ApiPropertyOptional({ default: true })
  include_spans?: boolean;

  @ApiPropertyOptional({ default: false, description: 'Loads the model and runs nothing.' })
  is_warmup?: boolean;
}

export class InferenceWarning {
  @ApiProperty({ enum: ['unresolved_label', 'zero_shot_classification'] })
  code!: string;

  @ApiProperty()
  message!: string;

  @ApiPropertyOptional()
  label?: string;
}

export class EncoderInferenceResponse {
  @ApiProperty({ enum: ['encoder'] })
  type!: string;

  @ApiProperty({ type: String, format: 'uuid', nullable: true, description: 'null where nothing was stored.' })
  inference_id!: string | null;

  @ApiProperty({
    oneOf: [
      { type: 'object', additionalProperties: true },
      { type: 'array', items: { type: 'object', additionalProperties: true } },
    ],
    description: 'By head; a list when `text` was one. Offsets are Unicode code points, end exclusive.',
    example: { entities: { person: [{ text: 'Maria Rossi', confidence: 0.98, start: 0, end: 11 }] } },
  })
  result!: unknown;

  @ApiProperty()
  model_id!: string;

  @ApiProperty({ description: 'What really ran.' })
  model_used!: string;

  @ApiProperty()
  latency_ms!: number;

  @ApiProperty({ type: 'integer' })
  token_usage!: number;

  @ApiPropertyOptional({ type: [InferenceWarning] })
  warnings?: InferenceWarning[];

  @ApiPropertyOptional()
  truncated?: boolean;
}
