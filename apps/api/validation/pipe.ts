import type { ArgumentMetadata, PipeTransform, Type } from '@nestjs/common';
import { validateSync } from 'class-validator';
import { HttpError, type FieldError } from '../errors/http-error.js';
import { fieldsOf, type Field } from './fields.js';
import { bodyError, MAX_PROBLEMS, queryError } from './problems.js';
import type { Path } from './reader.js';
import { isRecord } from '#primitives/values.js';

/**
 * Validates bodies and queries against their DTO classes and returns instances of them. Fields that a class does not
 * declare, in items of lists too, are 422 by name, and no check sees them. (Unknown parameters of a query are refused
 * before: `KnownQuery`.)
 */
export class RequestValidationPipe implements PipeTransform {
  transform(value: unknown, { metatype, type }: ArgumentMetadata): unknown {
    if (type === 'custom' || !isDto(metatype)) return value;
    if (!isRecord(value)) {
      if (type !== 'body') return value;
      throw new HttpError(422, 'the body must be a JSON object', {
        errors: [
          value === undefined
            ? { loc: ['body'], msg: 'is required; send a JSON object', type: 'missing' }
            : { loc: ['body'], msg: 'must be a JSON object', type: 'wrong_type' },
        ],
      });
    }
    const unknown: FieldError[] = [];
    const instance = instanceOf(metatype, value, [type], unknown);
    const problems = validateSync(instance, OPTIONS);
    if (type === 'query' && problems.length > 0) throw queryError(problems);
    if (type === 'body' && problems.length + unknown.length > 0) throw bodyError(problems, unknown);
    return instance;
  }
}

const OPTIONS = { forbidUnknownValues: false, validationError: { target: false, value: true } };

const PLAIN = new Set<unknown>([String, Number, Boolean, Array, Object, undefined, null]);
const isDto = (metatype: unknown): metatype is Type<object> => typeof metatype === 'function' && !PLAIN.has(metatype);

function instanceOf(
  dto: Type<object>,
  given: Readonly<Record<string, unknown>>,
  path: Path,
  unknown: FieldError[],
): object {
  const instance = new dto() as Record<string, unknown>;
  const fields = fieldsOf(dto);
  for (const name of Object.keys(given)) {
    const field = fields.get(name);
    if (field) instance[name] = valueOf(field, given[name], [...path, name], unknown);
    else if (unknown.length < MAX_PROBLEMS)
      unknown.push({ loc: [...path, name], msg: 'is not a field of this request', type: 'unknown_field' });
  }
  return instance;
}

function valueOf(field: Field, given: unknown, path: Path, unknown: FieldError[]): unknown {
  const { item, convert, maxItems } = field;
  if (!Array.isArray(given)) return convert ? convert(cut(field, given)) : cut(field, given);
  // A list that is too long is refused as a whole, without checking each item.
  const list: readonly unknown[] = maxItems === undefined ? given : given.slice(0, maxItems + 1);
  return list.map((one, index) =>
    item && isRecord(one) ? instanceOf(item(), one, [...path, index], unknown) : cut(field, one),
  );
}

/**
 * A text beyond its limit is still beyond it when cut after twice the limit, since a character has at most two units.
 */
const cut = ({ maxLength }: Field, value: unknown): unknown =>
  typeof value === 'string' && maxLength !== undefined ? value.slice(0, 2 * maxLength + 2) : value;
