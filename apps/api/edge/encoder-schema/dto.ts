import { ApiExtraModels, ApiProperty, ApiPropertyOptional, getSchemaPath } from '@nestjs/swagger';
import type * as definition from '#calls/schema/definition.js';
import { Closed } from '../validation/closed.js';
import { optionalFlag, optionalShare, optionalText } from '../validation/optional-fields.js';

const MAX_ENTRIES = 1_000;
const LABEL = { type: 'string', minLength: 1, 'x-expected': 'a label' } as const;
const labels = () => list(LABEL, 'label');
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

  @optionalFlag({ default: false, description: 'Returns every label above the threshold instead of the best one.' })
  multi_label?: boolean | null;

  @ApiPropertyOptional({
    ...{ type: 'integer', minimum: 1, maximum: MAX_ENTRIES, nullable: true },
    description: 'Number of best labels to return, always as a list.',
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
  @optionalText('Alias of `name`.') relation?: string | null;
  @optionalText('Alias of `name`.') type?: string | null;
  @optionalText('Entity type of the head.') head?: string | null;
  @optionalText('Entity type of the tail.') tail?: string | null;
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
  entities?: definition.SchemaDefinition['entities'];

  @ApiPropertyOptional({
    description: 'Tasks, or a map from task to labels or definition.',
    oneOf: [
      { ...list({ $ref: getSchemaPath(ClassificationDefinition) }, 'task'), nullable: true },
      mapTo({ oneOf: [labels(), { $ref: getSchemaPath(ClassificationDetails) }] }, 'task'),
    ],
  })
  classifications?: definition.SchemaDefinition['classifications'];

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
  structures?: definition.SchemaDefinition['structures'];

  @ApiPropertyOptional({
    'x-expected': 'a list or a map of relations',
    description:
      'Names, definitions, or a map from name to description or definition. Only models that were trained on them.',
    oneOf: [
      { ...list({ oneOf: [LABEL, RELATION] }, 'relation'), nullable: true },
      mapTo({ oneOf: [DESCRIPTION, { $ref: getSchemaPath(RelationDetails) }] }, 'relation'),
    ],
  })
  relations?: definition.SchemaDefinition['relations'];

  @optionalFlag({
    default: true,
    description:
      '`false`: entities may overlap, as in a name in a longer name. Only models that were trained on such spans find them; others ' +
      'answer with the warning `nested_spans`.',
  })
  flat_ner?: boolean | null;
}

/** The schema of an encoder's call. */
export const SCHEMA = {
  description: "Entity labels, or an object of heads. Default: a trained model's own labels.",
  oneOf: [{ ...ENTITIES, nullable: true }, { $ref: getSchemaPath(SchemaDefinition) }],
  example: ['person', 'city', 'date'],
};
