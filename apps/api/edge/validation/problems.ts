import type { ValidationError } from '@nestjs/common';
import { HttpError, summaryOf, type FieldError } from '../errors/http-error.js';
import type { Path } from '#primitives/reader.js';

/** A client with ten thousand bad items needs only the first hundred of them. */
export const MAX_PROBLEMS = 100;

/** A 422 with the refused fields, unknown ones first. */
export function bodyError(problems: readonly ValidationError[], unknown: readonly FieldError[]): HttpError {
  const errors = [...unknown, ...flatten(problems, ['body'])].slice(0, MAX_PROBLEMS);
  return new HttpError(422, summaryOf(errors), { errors, code: 'invalid' });
}

/** A query value of the wrong type or outside an enumeration is 400; one out of range is 422. */
export function queryError(problems: readonly ValidationError[]): HttpError {
  const errors = flatten(problems, ['query']).slice(0, MAX_PROBLEMS);
  const wrong = errors.some(({ type }) => type === 'wrong_type' || type === 'not_allowed');
  return new HttpError(wrong ? 400 : 422, summaryOf(errors), { errors, code: 'invalid' });
}

function flatten(problems: readonly ValidationError[], path: Path): FieldError[] {
  return problems.flatMap((problem) => {
    const loc = [...path, /^\d+$/.test(problem.property) ? Number(problem.property) : problem.property];
    const own = worst(problem.constraints).map(([constraint, message]) =>
      fieldError(loc, constraint, message, problem),
    );
    return [...own, ...flatten(problem.children ?? [], loc)];
  });
}

/** A value of the wrong type breaks every other rule too; one problem per field is enough. */
function worst(constraints: ValidationError['constraints'] = {}): readonly [string, string][] {
  const broken = Object.entries(constraints);
  const [first] = [...broken.filter(([constraint]) => kindOf(constraint) === 'wrong_type'), ...broken];
  return first ? [first] : [];
}

function fieldError(loc: Path, constraint: string, message: string, problem: ValidationError): FieldError {
  if (problem.value === undefined)
    return { loc, msg: `is required${alsoSaid(withoutName(message, problem))}`, type: 'missing' };
  return { loc, msg: withoutName(message, problem), type: kindOf(constraint) };
}

const alsoSaid = (rule: string): string => (rule.startsWith('must ') ? ` and ${rule}` : `; ${rule}`);

/** class-validator starts its messages with the field's name, which `loc` has already. */
const withoutName = (message: string, { property }: ValidationError): string =>
  (message.startsWith(`${property} `) ? message.slice(property.length + 1) : message).replace(VAGUE, '');

/** The words of class-validator for anything but a finite number. */
const VAGUE = ' conforming to the specified constraints';

const KINDS: Readonly<Record<string, string>> = {
  isIn: 'not_allowed',
  min: 'out_of_range',
  max: 'out_of_range',
  minLength: 'out_of_range',
  maxLength: 'out_of_range',
  isLength: 'out_of_range',
  isNotEmpty: 'out_of_range',
  notBlank: 'out_of_range',
  arrayMinSize: 'out_of_range',
  arrayMaxSize: 'out_of_range',
  isPositive: 'out_of_range',
  arrayUnique: 'not_unique',
  matches: 'wrong_type',
};
const kindOf = (constraint: string): string =>
  KINDS[constraint] ?? (/^is[A-Z]|^nestedValidation/.test(constraint) ? 'wrong_type' : 'invalid');
