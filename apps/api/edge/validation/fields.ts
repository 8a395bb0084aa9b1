import { applyDecorators, type Type } from '@nestjs/common';
import { getMetadataStorage, ValidateNested } from 'class-validator';

/** A field as its DTO class describes it. */
export interface BodyField {
  readonly object?: () => Type<object>;
  /** The class of a list's items. */
  readonly item?: () => Type<object>;
  /** From `@ArrayMaxSize`. */
  readonly maxItems?: number;
  /** From `@MaxLength` or `@Length`; for a list of texts, the limit of each. */
  readonly maxLength?: number;
}

/** A list of objects, each checked against a class. @param message for an item that is not an object */
export const ItemsOf = (item: () => Type<object>, message?: string): PropertyDecorator =>
  applyDecorators(
    ValidateNested({ each: true, ...(message !== undefined && { message }) }),
    Reflect.metadata(ITEM, item),
  );

/** An object, checked against a class. */
export const ObjectOf = (object: () => Type<object>): PropertyDecorator =>
  applyDecorators(ValidateNested(), Reflect.metadata(OBJECT, object));

const ITEM = Symbol('class of items');
const OBJECT = Symbol('class of an object');

const known = new Map<Type<object>, ReadonlyMap<string, BodyField>>();

/** The fields of a DTO class by name: those with a decorator of class-validator, inherited ones included. */
export function fieldsOf(dto: Type<object>): ReadonlyMap<string, BodyField> {
  let fields = known.get(dto);
  if (!fields) known.set(dto, (fields = readFields(dto)));
  return fields;
}

function readFields(dto: Type<object>): ReadonlyMap<string, BodyField> {
  const fields = new Map<string, BodyField>();
  for (const rule of getMetadataStorage().getTargetValidationMetadatas(dto, '', false, false)) {
    const { propertyName: name, constraints } = rule;
    const item = Reflect.getMetadata(ITEM, dto.prototype as object, name) as BodyField['item'];
    const object = Reflect.getMetadata(OBJECT, dto.prototype as object, name) as BodyField['object'];
    fields.set(name, {
      ...(object && { object }),
      ...(item && { item }),
      ...fields.get(name),
      ...bounds(rule.name, constraints as number[]),
    });
  }
  return fields;
}

function bounds(rule: string | undefined, constraints: readonly number[]): BodyField {
  if (rule === 'arrayMaxSize') return { maxItems: constraints[0]! };
  if (rule === 'maxLength') return { maxLength: constraints[0]! };
  return rule === 'isLength' && constraints[1] !== undefined ? { maxLength: constraints[1] } : {};
}
