import type { OpenAPIObject } from '@nestjs/swagger';
import { schema31, withParts, type Documented, type DocumentedSchema } from '../validation/schema-31.js';

type Schemas = NonNullable<NonNullable<OpenAPIObject['components']>['schemas']>;

/**
 * The schemas of the document in OpenAPI 3.1, in forms that generators of clients understand. Each schema accepts the same values
 * as it did before.
 */
export const schemasForGenerators = (schemas: Schemas): Schemas =>
  Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, forGenerators(schema31(schema))]));

export function forGenerators(schema: Documented): Documented {
  if ('$ref' in schema) return schema;
  const { not } = schema;
  return [withHiddenChoice, withPlainBranches, withNullAsText, withDefaultInWords].reduce(
    (changed, change) => change(changed),
    { ...withParts(schema, forGenerators), ...(not && { not }) },
  );
}

/**
 * Wraps a choice of required fields in a double negation. Generators interpret such a union, and drop the properties
 * beside it; they skip whatever is under `not`.
 */
function withHiddenChoice(schema: DocumentedSchema): DocumentedSchema {
  const key = (['anyOf', 'oneOf'] as const).find((union) => schema[union]?.every(isOfFieldsOnly));
  if (key === undefined || schema.not) return schema;
  const { [key]: choice, ...rest } = schema;
  return { ...rest, not: { not: { [key]: choice } } };
}

const isOfFieldsOnly = (branch: Documented): boolean => 'required' in branch && branch.type === undefined;

/**
 * Puts there too what generators cannot name in a union: the values of maps that may be null (Go: `map[string]*string`), and maps in
 * lists (Java: `List<Map<String, Object>>`).
 */
function withPlainBranches(schema: DocumentedSchema): DocumentedSchema {
  const { oneOf } = schema;
  return oneOf ? { ...schema, oneOf: oneOf.map((branch) => ('$ref' in branch ? branch : plain(branch))) } : schema;
}

function plain(branch: DocumentedSchema): DocumentedSchema {
  const { additionalProperties, items, not } = branch;
  if (not) return branch;
  if (isOf(additionalProperties, 'null'))
    return { ...branch, additionalProperties: true, not: { not: { additionalProperties } } };
  const isMap = isOf(items, 'object') && !('properties' in items);
  return isMap ? { ...branch, items: {}, not: { not: { items } } } : branch;
}

const isOf = (schema: Documented | boolean | undefined, type: string): schema is DocumentedSchema =>
  typeof schema === 'object' && 'type' in schema && [schema.type].flat().includes(type);

/** Fields that can only be null are texts that must not be texts: Go and Java have no type of null alone. */
function withNullAsText(schema: DocumentedSchema): DocumentedSchema {
  if (schema.type !== 'null' || !schema.enum) return schema;
  const { enum: _, ...rest } = schema;
  return { ...rest, type: ['string', 'null'], not: { type: 'string' } };
}

/** States the default of a nullable choice in words: Go's generator refers to a constant that it does not generate. */
function withDefaultInWords(schema: DocumentedSchema): DocumentedSchema {
  const initial = schema.default as unknown;
  const isChoice = schema.enum ?? schema.oneOf ?? schema.anyOf;
  if (typeof initial !== 'string' || !isChoice) return schema;
  return { ...schema, default: undefined, description: `${schema.description ?? ''} Default: \`${initial}\`.`.trim() };
}
