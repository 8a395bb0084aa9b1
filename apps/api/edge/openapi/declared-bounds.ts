import type { Type } from '@nestjs/common';
import type { OpenAPIObject } from '@nestjs/swagger';
import { getMetadataStorage } from 'class-validator';
import { fieldsOf } from '../validation/fields.js';
import { knownBodies } from '../validation/known.js';

type Schemas = NonNullable<NonNullable<OpenAPIObject['components']>['schemas']>;
type Documented = Schemas[string];
type Bounds = Readonly<Record<string, unknown>>;

/** Adds the bounds that class-validator checks and the schemas lack, so that a DTO class declares each of them once. */
export function withDeclaredBounds(schemas: Schemas): Schemas {
  const bounded = { ...schemas };
  for (const dto of [...knownBodies].flatMap(withItems)) {
    const schema = bounded[dto.name];
    if (schema && 'properties' in schema) bounded[dto.name] = { ...schema, properties: propertiesOf(dto, schema) };
  }
  return bounded;
}

/** The class, and those of the items of its lists. */
const withItems = (dto: Type<object>): readonly Type<object>[] => [
  dto,
  ...[...fieldsOf(dto).values()].flatMap(({ item }) => (item ? withItems(item()) : [])),
];

function propertiesOf(dto: Type<object>, { properties = {} }: { properties?: Schemas }): Schemas {
  const bounded = { ...properties };
  for (const rule of getMetadataStorage().getTargetValidationMetadatas(dto, '', false, false)) {
    const { propertyName: name, each } = rule;
    const property = bounded[name];
    const bounds = boundsOf(rule.name, (rule.constraints ?? []) as readonly unknown[]);
    if (!property || !bounds) continue;
    const { items } = property as { readonly items?: Documented };
    if (!each) bounded[name] = { ...bounds, ...property };
    else if (items) bounded[name] = { ...property, items: { ...bounds, ...items } };
  }
  return bounded;
}

function boundsOf(rule: string | undefined, [first, second]: readonly unknown[]): Bounds | null {
  switch (rule) {
    case 'min':
      return { minimum: first };
    case 'max':
      return { maximum: first };
    case 'isLength':
      return { ...(first !== 0 && { minLength: first }), ...(second !== undefined && { maxLength: second }) };
    case 'maxLength':
      return { maxLength: first };
    case 'isNotEmpty':
      return { minLength: 1 };
    case 'arrayMinSize':
      return first === 0 ? null : { minItems: first };
    case 'arrayMaxSize':
      return { maxItems: first };
    case 'arrayUnique':
      return { uniqueItems: true };
    case 'matches':
      return first instanceof RegExp && first.flags === '' && !LOOK_AROUND.test(first.source)
        ? { pattern: first.source }
        : null;
    default:
      return null;
  }
}

/** The regular expressions of Go and Rust, which generated clients use, have none. */
const LOOK_AROUND = /\(\?<?[=!]/;
