import type { OpenAPIObject } from '@nestjs/swagger';
import { schema31, type Documented } from './schema-31.js';

declare module '@nestjs/swagger' {
  interface SchemaObject {
    /** Describes the expected value in errors: "a model id from /v1/models". */
    'x-expected'?: string;
    /** Replaces the error for a rejected value: "must not have a label without a name". */
    'x-refusal'?: string;
    /** Name of a list's item or a map's entry in errors: "label". */
    'x-item'?: string;
  }
}

type Schemas = NonNullable<NonNullable<OpenAPIObject['components']>['schemas']>;

/** The part of JSON Schema that bodies are checked by. */
export interface JsonSchema {
  readonly $ref?: string;
  readonly $defs?: Readonly<Record<string, JsonSchema>>;
  readonly type?: string | readonly string[];
  readonly enum?: readonly (string | number | boolean | null)[];
  readonly anyOf?: readonly JsonSchema[];
  /**
   * A choice of fields, one of which must be present. Other unions have exclusive branches and use the faster `anyOf`.
   */
  readonly oneOf?: readonly JsonSchema[];
  readonly allOf?: readonly JsonSchema[];
  readonly not?: JsonSchema;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | JsonSchema;
  readonly propertyNames?: JsonSchema;
  readonly items?: JsonSchema;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minProperties?: number;
  readonly maxProperties?: number;
  readonly pattern?: string;
  readonly 'x-expected'?: string;
  readonly 'x-refusal'?: string;
  readonly 'x-item'?: string;
}

/** Keywords with the same meaning in both. */
const SAME = [
  ...['type', 'enum', 'required', 'minimum', 'maximum', 'minLength', 'maxLength', 'minItems', 'maxItems'],
  ...['minProperties', 'maxProperties', 'pattern', 'propertyNames', 'x-expected', 'x-refusal', 'x-item'],
] as const;

const COMPONENT = '#/components/schemas/';

/**
 * The JSON Schema of a class in the OpenAPI document.
 * @param closes whether objects of a class may have only declared fields
 */
export function jsonSchema(name: string, schemas: Schemas, closes: (name: string) => boolean): JsonSchema {
  const $defs = Object.fromEntries(
    Object.entries(schemas).map(([key, schema]) => [
      key,
      { ...converted(schema31(schema), closes(key)), ...(closes(key) && { additionalProperties: false }) },
    ]),
  );
  return { ...$defs[name], $defs };
}

/** @param isClosed whether objects within a class that has only declared fields may be so too */
function converted(documented: Documented, isClosed: boolean): JsonSchema {
  if ('$ref' in documented) return { $ref: documented.$ref.replace(COMPONENT, '#/$defs/') };
  const { properties, additionalProperties, items, not, allOf } = documented;
  const union = documented.oneOf ?? documented.anyOf;
  const each = (list: readonly Documented[]) => list.map((schema) => converted(schema, isClosed));
  return {
    ...Object.fromEntries(SAME.flatMap((key) => (key in documented ? [[key, documented[key as 'type']]] : []))),
    ...(properties && {
      properties: Object.fromEntries(Object.entries(properties).map(([key, one]) => [key, converted(one, isClosed)])),
    }),
    ...(additionalProperties !== undefined && {
      additionalProperties:
        typeof additionalProperties === 'boolean'
          ? additionalProperties || !isClosed
          : converted(additionalProperties, isClosed),
    }),
    ...(items && { items: converted(items, isClosed) }),
    ...(not && { not: converted(not, isClosed) }),
    ...(allOf && { allOf: each(allOf) }),
    ...(union && { [isChoiceOfFields(documented) ? 'oneOf' : 'anyOf']: each(union) }),
  };
}

const isChoiceOfFields = ({ oneOf = [] }: Exclude<Documented, { $ref: string }>): boolean =>
  oneOf.length > 0 && oneOf.every((branch) => 'required' in branch && branch.type === undefined);
