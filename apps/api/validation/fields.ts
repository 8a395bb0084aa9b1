import { applyDecorators, type Type } from '@nestjs/common';
import { getMetadataStorage, ValidateNested } from 'class-validator';

/** A field as its DTO class describes it. */
export interface Field {
  /** The class of a list's items. */
  readonly item?: () => Type<object>;
  readonly convert?: (value: unknown) => unknown;
  /** From `@ArrayMaxSize`. */
  readonly maxItems?: number;
  /** From `@MaxLength` or `@Length`; for a list of texts, the limit of each. */
  readonly maxLength?: number;
}

/** A list of objects, each checked against a class. @param message for an item that is not an object */
export const ItemsOf = (item: () => Type<object>, message?: string): PropertyDecorator =>
  applyDecorators(
    ValidateNested({ each: true, ...(message !== undefined && { message }) }),
    describing((field) => ({ ...field, item })),
  );

/** The value is converted before it is checked. */
export const Converted = (convert: (value: unknown) => unknown): PropertyDecorator =>
  describing((field) => ({ ...field, convert }));

const DESCRIBED = Symbol('described fields');
type Described = Readonly<Record<string | symbol, Field>>;

const describing =
  (change: (field: Field) => Field): PropertyDecorator =>
  (prototype, name) => {
    const fields = (Reflect.getMetadata(DESCRIBED, prototype) ?? {}) as Described;
    Reflect.defineMetadata(DESCRIBED, { ...fields, [name]: change(fields[name] ?? {}) }, prototype);
  };

const known = new Map<Type<object>, ReadonlyMap<string, Field>>();

/** The fields of a DTO class by name: those with a decorator of class-validator, inherited ones included. */
export function fieldsOf(dto: Type<object>): ReadonlyMap<string, Field> {
  let fields = known.get(dto);
  if (!fields) known.set(dto, (fields = readFields(dto)));
  return fields;
}

function readFields(dto: Type<object>): ReadonlyMap<string, Field> {
  const described = (Reflect.getMetadata(DESCRIBED, dto.prototype as object) ?? {}) as Described;
  const fields = new Map<string, Field>();
  for (const rule of getMetadataStorage().getTargetValidationMetadatas(dto, '', false, false)) {
    const field = fields.get(rule.propertyName) ?? described[rule.propertyName] ?? {};
    fields.set(rule.propertyName, { ...field, ...bounds(rule.name, rule.constraints as readonly number[]) });
  }
  return fields;
}

function bounds(rule: string | undefined, constraints: readonly number[]): Field {
  if (rule === 'arrayMaxSize') return { maxItems: constraints[0]! };
  if (rule === 'maxLength') return { maxLength: constraints[0]! };
  return rule === 'isLength' && constraints[1] !== undefined ? { maxLength: constraints[1] } : {};
}
