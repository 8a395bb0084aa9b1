import type { OpenAPIObject } from '@nestjs/swagger';

type Schemas = NonNullable<NonNullable<OpenAPIObject['components']>['schemas']>;
export type Documented = Schemas[string];
export type DocumentedSchema = Exclude<Documented, { $ref: string }>;

/** Keywords that describe a value and do not constrain it. */
const ANNOTATIONS = ['title', 'description', 'default', 'example', 'deprecated'] as const;
const NULL = { type: 'null' };

/**
 * Translates a schema as Nest writes it (OpenAPI 3.0) to OpenAPI 3.1, which is JSON Schema 2020-12: null is a type, and an
 * exclusive bound is a number.
 */
export function schema31(documented: Documented): Documented {
  if ('$ref' in documented) {
    const { nullable, $ref } = documented as { readonly $ref: string; readonly nullable?: boolean };
    return nullable === true ? { anyOf: [{ $ref }, NULL] } : documented;
  }
  const { nullable, exclusiveMinimum, minimum, ...rest } = documented;
  const bound = minimum !== undefined && { [exclusiveMinimum === true ? 'exclusiveMinimum' : 'minimum']: minimum };
  const schema = withParts({ ...rest, ...bound }, schema31);
  return nullable === true ? orNull(schema) : schema;
}

/**
 * The schema with each nested schema changed.
 * @param name the property that the part describes; else that of the whole
 */
export function withParts(
  schema: DocumentedSchema,
  change: (part: Documented, name?: string) => Documented,
): DocumentedSchema {
  const { properties, items, not, additionalProperties } = schema;
  const each = (key: 'allOf' | 'anyOf' | 'oneOf') =>
    schema[key] && { [key]: schema[key].map((one: Documented) => change(one)) };
  return {
    ...schema,
    ...(properties && {
      properties: Object.fromEntries(Object.entries(properties).map(([key, one]) => [key, change(one, key)])),
    }),
    ...(items && { items: change(items) }),
    ...(not && { not: change(not) }),
    ...(typeof additionalProperties === 'object' && { additionalProperties: change(additionalProperties) }),
    ...each('allOf'),
    ...each('anyOf'),
    ...each('oneOf'),
  };
}

function orNull(schema: DocumentedSchema): Documented {
  const { type, anyOf, allOf, oneOf } = schema;
  const choices = schema.enum as readonly unknown[] | undefined;
  if (choices?.every((choice) => choice === null)) return { ...schema, ...NULL };
  if (typeof type === 'string' && !anyOf && !allOf && !oneOf)
    return { ...schema, type: [type, 'null'], ...(choices && { enum: [...new Set([...choices, null])] }) };
  if (anyOf && type === undefined) return { ...schema, anyOf: [...anyOf, NULL] };
  if (type === undefined && oneOf?.every((one) => '$ref' in one || one.type !== undefined))
    return { ...schema, oneOf: [...oneOf, NULL] };
  const about = Object.fromEntries(
    ANNOTATIONS.flatMap((key) => (key in schema ? [[key, schema[key] as unknown]] : [])),
  );
  const constraints = Object.fromEntries(Object.entries(schema).filter(([key]) => !(key in about)));
  return { ...about, anyOf: [constraints, NULL] };
}
