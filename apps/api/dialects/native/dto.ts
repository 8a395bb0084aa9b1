import { ApiExtraModels, ApiProperty, ApiPropertyOptional, getSchemaPath } from '@nestjs/swagger';
import { EXCERPT_CHARACTERS } from '#calls/training-rows.js';
import { Closed } from '../../validation/closed.js';

const MAX_ENTRIES = 1_000;
const LABEL = { type: 'string', minLength: 1, 'x-expected': 'a label' } as const;
const labels = () => list(LABEL, 'label');
const optionalText = (description?: string) =>
  ApiPropertyOptional({
    type: String,
    minLength: 1,
    nullable: true,
    ...(description !== undefined && { description }),
  });
const optionalShare = (more: object = {}) =>
  ApiPropertyOptional({ type: Number, minimum: 0, maximum: 1, nullable: true, ...more });
const optionalFlag = (more: object = {}) => ApiPropertyOptional({ type: Boolean, nullable: true, ...more });
const optionalDtype = (more: object) =>
  ApiPropertyOptional({ type: String, enum: ['str', 'list', null], nullable: true, ...more });
/** The name of a described item, which in a map is the key. */
const keyed = (name: string) => optionalText(`In a map the key is the ${name}.`);

/** @param item name of one item in messages */
const list = (items: object, item: string) =>
  ({ type: 'array', minItems: 1, maxItems: MAX_ENTRIES, items, 'x-item': item }) as const;
/** @param nameless the message for an empty key */
const mapTo = (values: object, item: string, nameless = `must not have a ${item} without a name`) => {
  const bounds = { minProperties: 1, maxProperties: MAX_ENTRIES } as const;
  const map = { type: 'object', ...bounds, additionalProperties: values, 'x-item': item } as const;
  // JSON schema has it, and the types of the OpenAPI library do not.
  return Object.assign(map, { propertyNames: { minLength: 1, 'x-refusal': nameless } });
};

const DESCRIPTION = { ...LABEL, nullable: true, 'x-expected': 'a description' } as const;

class EntityOptions {
  @optionalText() description?: string | null;
  @optionalShare({ description: "Overrides the call's threshold for this label." }) threshold?: number | null;
  @optionalDtype({ description: '`str`: at most one hit, the most confident.' }) dtype?: 'str' | 'list' | null;
}

@Closed()
export class EntityDetails extends EntityOptions {
  @keyed('label') name?: string | null;
}

@Closed()
export class EntityDefinition extends EntityOptions {
  @ApiProperty({ minLength: 1, description: 'The label.' }) name!: string;
}

class ClassificationOptions {
  @ApiProperty({
    description: 'Labels, or a map from label to description.',
    oneOf: [labels(), mapTo(DESCRIPTION, 'label', 'must not have an empty label')],
  })
  labels!: string[] | Record<string, string | null>;

  @optionalFlag({ default: false, description: 'Every label above the threshold instead of the best one.' })
  multi_label?: boolean | null;

  @ApiPropertyOptional({
    ...{ type: 'integer', minimum: 1, maximum: MAX_ENTRIES, nullable: true },
    description: 'Always a list: the best so many labels.',
  })
  top_k?: number | null;

  @optionalShare() threshold?: number | null;
}

@Closed()
export class ClassificationDetails extends ClassificationOptions {
  @keyed('task') task?: string | null;
}

@Closed()
class ClassificationDefinition extends ClassificationOptions {
  @ApiProperty({ minLength: 1, description: 'Name of the label group: the key in the result.' }) task!: string;
}

@Closed()
export class FieldDefinition {
  @ApiProperty({ minLength: 1 }) name!: string;

  @optionalDtype({ default: 'list', description: '`str`: at most one value an instance.' })
  dtype?: 'str' | 'list' | null;

  @ApiPropertyOptional({ ...labels(), nullable: true, description: 'The only values.' }) choices?: string[] | null;
  @optionalText() description?: string | null;
  @optionalShare() threshold?: number | null;
}

const RELATION_NAMES = ['name', 'relation', 'type'] as const;

@Closed()
export class RelationDetails {
  @keyed('relation') name?: string | null;
  @optionalText('As `name`.') relation?: string | null;
  @optionalText('As `name`.') type?: string | null;
  @optionalText('Entity type of its head.') head?: string | null;
  @optionalText('Entity type of its tail.') tail?: string | null;
  @optionalText() description?: string | null;
  @optionalShare() threshold?: number | null;
}

const RELATION = {
  type: 'object',
  allOf: [{ $ref: getSchemaPath(RelationDetails) }],
  anyOf: RELATION_NAMES.map((key) => ({ properties: { [key]: LABEL }, required: [key] })),
} as const;
const FIELDS = list(
  {
    oneOf: [
      {
        ...{ type: 'string', pattern: '^(?:[^:]|:[^:]|:$)', 'x-refusal': 'must begin with the name of the field' },
        description: 'name::str|list::[a|b]::description',
      },
      { $ref: getSchemaPath(FieldDefinition) },
    ],
  },
  'field',
);
const ENTITIES = list({ oneOf: [LABEL, { $ref: getSchemaPath(EntityDefinition) }] }, 'label');

type Fields = (string | FieldDefinition)[];

@Closed()
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
      { ...ENTITIES, nullable: true },
      mapTo({ oneOf: [DESCRIPTION, { $ref: getSchemaPath(EntityDetails) }] }, 'label', 'must not have an empty label'),
    ],
  })
  entities?: (string | EntityDefinition)[] | Record<string, string | EntityDetails | null> | null;

  @ApiPropertyOptional({
    description: 'Tasks, or a map from task to labels or definition.',
    oneOf: [
      { ...list({ $ref: getSchemaPath(ClassificationDefinition) }, 'task'), nullable: true },
      mapTo({ oneOf: [labels(), { $ref: getSchemaPath(ClassificationDetails) }] }, 'task'),
    ],
  })
  classifications?: ClassificationDefinition[] | Record<string, string[] | ClassificationDetails> | null;

  @ApiPropertyOptional({
    description:
      'A map from structure name to its fields: definitions, or `name::str|list::[a|b]::description`. Only models that were trained on them.',
    ...mapTo(
      {
        oneOf: [
          FIELDS,
          { type: 'object', properties: { fields: FIELDS }, required: ['fields'], additionalProperties: false },
        ],
      },
      'structure',
    ),
    nullable: true,
  })
  structures?: Record<string, Fields | { fields: Fields }> | null;

  @ApiPropertyOptional({
    'x-expected': 'a list or a map of relations',
    description:
      'Names, definitions, or a map from name to description or definition. Only models that were trained on them.',
    oneOf: [
      { ...list({ oneOf: [LABEL, RELATION] }, 'relation'), nullable: true },
      mapTo({ oneOf: [DESCRIPTION, { $ref: getSchemaPath(RelationDetails) }] }, 'relation'),
    ],
  })
  relations?: (string | RelationDetails)[] | Record<string, string | RelationDetails | null> | null;

  @optionalFlag({
    default: true,
    description:
      '`false`: entities may overlap, as in a name in a longer name. Only models that were trained on such spans find them; others ' +
      'answer with the warning `nested_spans`.',
  })
  flat_ner?: boolean | null;
}

export type SchemaBody = (string | EntityDefinition)[] | SchemaDefinition;

/** The schema of an encoder's call. */
export const SCHEMA = {
  description: "Entity labels, or an object of heads. Absent: a trained model's own labels.",
  oneOf: [{ ...ENTITIES, nullable: true }, { $ref: getSchemaPath(SchemaDefinition) }],
  example: ['person', 'city', 'date'],
};

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

  @optionalFlag({ default: true, description: '`false`: nothing of the content is kept.' }) store?: boolean | null;
  @optionalText() project_id?: string | null;
  @optionalFlag({ default: true, description: 'For encoders.' }) include_confidence?: boolean | null;
  @optionalFlag({ default: true, description: 'For encoders.' }) include_spans?: boolean | null;

  @optionalFlag({ default: false, description: 'Loads the model of an encoder, and runs nothing.' })
  is_warmup?: boolean | null;

  @optionalFlag({
    ...{ not: { enum: [true] }, description: 'Not here.' },
    'x-refusal': 'is not supported here; use /v1/chat/completions, /v1/responses or /v1/messages to stream',
  })
  stream?: boolean | null;
}

const FOR_DECODERS = 'is for decoder models, which take `messages`';

@Closed()
@ApiExtraModels(SchemaDefinition)
export class EncoderInferenceBody extends InferenceBody {
  @ApiPropertyOptional({ type: String, nullable: true, description: 'Any but `generate`; it says nothing.' })
  task?: string | null;

  @ApiPropertyOptional({ ...TEXT, oneOf: [{ type: 'string', nullable: true }, TEXTS] }) text?: string | string[] | null;
  @ApiPropertyOptional(SCHEMA) schema?: SchemaBody | null;
  @optionalShare({ default: 0.5 }) threshold?: number | null;

  @optionalFlag({
    default: false,
    description:
      'Of a trained model with classes: names the three training rows that are nearest to each text. Of at most 100 texts.',
  })
  explain?: boolean | null;

  @notHere('is for decoders') messages?: null;
  @notHere(FOR_DECODERS) max_tokens?: null;
  @notHere(FOR_DECODERS) temperature?: null;
  @notHere(FOR_DECODERS) top_p?: null;
  @notHere(FOR_DECODERS) stop?: null;
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

class NearestRow {
  @ApiProperty({ description: `Its first ${EXCERPT_CHARACTERS} characters.` }) text!: string;
  @ApiPropertyOptional({ description: 'Only where it is true: the text goes on.' }) is_excerpt?: boolean;
  @ApiProperty({ type: [String] }) labels!: string[];
  @ApiProperty({ minimum: 0, maximum: 1, description: 'Cosine of the vectors of the two texts.' }) similarity!: number;
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

  @ApiProperty() model_id!: string;
  @ApiProperty({ description: 'What really ran.' }) model_used!: string;
  @ApiProperty() latency_ms!: number;
  @ApiProperty({ type: 'integer' }) token_usage!: number;

  @ApiPropertyOptional({
    oneOf: [{ $ref: getSchemaPath(Explanation) }, { type: 'array', items: { $ref: getSchemaPath(Explanation) } }],
    description: 'With `explain`, where classes can be explained; a list when `text` was one. Not kept with the call.',
  })
  explanation?: Explanation | Explanation[];

  @ApiPropertyOptional({ type: [InferenceWarning] }) warnings?: InferenceWarning[];
  @ApiPropertyOptional({
    description:
      'Only where it is true: of a text part was not read (by some head of the schema), or it holds more than 50,000 values or relations.',
  })
  truncated?: boolean;
}
