import type { ArgumentMetadata, PipeTransform, Type } from '@nestjs/common';
import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';
import { HttpError, type FieldError } from '../errors/http-error.js';
import { fieldsOf, type BodyField } from './fields.js';
import { isClosed } from './closed.js';
import { ignore } from '../ignored-fields.js';
import { bodyError, MAX_PROBLEMS, queryError } from './problems.js';
import type { Path } from '#primitives/reader.js';
import { isRecord } from '#primitives/values.js';

/**
 * Turns bodies and queries into instances of their DTO classes, and validates these. Fields that a class does not declare,
 * in items of lists too, are ignored and named in a header; of a `Closed` class they are 422 by name. Neither class-transformer
 * nor a check sees them. (Unknown parameters of a query
 * are refused before: `KnownQuery`.)
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
    const instance = instanceOf(metatype, value, [], (path) => {
      if (isClosed(metatype.name)) refuse(unknown, [type, ...path]);
      else if (type === 'body') ignore(value, path);
    });
    const problems = validateSync(instance, OPTIONS);
    if (type === 'query' && problems.length > 0) throw queryError(problems);
    if (problems.length + unknown.length > 0) throw bodyError(problems, unknown);
    return instance;
  }
}

const OPTIONS = { forbidUnknownValues: false, validationError: { target: false, value: true } };

const PLAIN = new Set<unknown>([String, Number, Boolean, Array, Object, undefined, null]);
const isDto = (metatype: unknown): metatype is Type<object> => typeof metatype === 'function' && !PLAIN.has(metatype);

/**
 * class-transformer gets texts, numbers, booleans and nulls of declared fields only: it looks each key up in a list of all,
 * and calls what an object names as its `constructor`. Initial values of the class are the defaults.
 * @param undeclared is told the paths of fields that the class does not declare
 */
function instanceOf(
  dto: Type<object>,
  given: Readonly<Record<string, unknown>>,
  path: Path,
  undeclared: (path: Path) => void,
): object {
  const scalars: Record<string, unknown> = {};
  const others: Record<string, unknown> = {};
  const fields = fieldsOf(dto);
  for (const name of Object.keys(given)) {
    const [field, value] = [fields.get(name), given[name]];
    if (!field) undeclared([...path, name]);
    else if (Array.isArray(value)) others[name] = listOf(field, value, [...path, name], undeclared);
    else if (isRecord(value))
      others[name] = field.object ? instanceOf(field.object(), value, [...path, name], undeclared) : value;
    else scalars[name] = cut(field, value);
  }
  return Object.assign(plainToInstance(dto, scalars), others);
}

function refuse(unknown: FieldError[], loc: Path): void {
  unknown.push({ loc, msg: 'is not a field of this request', type: 'unknown_field' });
  if (unknown.length === MAX_PROBLEMS) throw bodyError([], unknown);
}

function listOf(field: BodyField, given: readonly unknown[], path: Path, undeclared: (path: Path) => void): unknown[] {
  const { item, maxItems } = field;
  // A list that is too long is refused as a whole, without checking each item.
  const list = maxItems === undefined ? given : given.slice(0, maxItems + 1);
  return list.map((one, index) =>
    item && isRecord(one) ? instanceOf(item(), one, [...path, index], undeclared) : cut(field, one),
  );
}

/**
 * A text beyond its limit is still beyond it when cut after twice the limit, since a character has at most two units.
 */
const cut = ({ maxLength }: BodyField, value: unknown): unknown =>
  typeof value === 'string' && maxLength !== undefined ? value.slice(0, 2 * maxLength + 2) : value;
