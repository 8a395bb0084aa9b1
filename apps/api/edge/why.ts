import { applyDecorators } from '@nestjs/common';
import { ApiQuery } from '@nestjs/swagger';
import { isPrintable } from '#domain/printable.js';
import type { Why } from '#log/context.js';
import { HttpError, summaryOf } from './errors/http-error.js';
import { withRouteConfig } from './route-config.js';

const PARAMETERS = {
  reason: { maxLength: 500, description: 'Why; kept with the event on the log, for good. Name no person in it.' },
  ticket: { maxLength: 100, description: 'The number of a ticket or case; kept like `reason`.' },
} as const satisfies Record<keyof Why, object>;

type Parameter = keyof Why;

/** The route takes `?reason=` and `?ticket=`, which the metadata of its events have. */
export const Reasoned = (...names: readonly Parameter[]): MethodDecorator => {
  const taken = names.length === 0 ? (Object.keys(PARAMETERS) as Parameter[]) : names;
  const documented = taken.map((name) => {
    const { description, maxLength } = PARAMETERS[name];
    return ApiQuery({ name, required: false, schema: { type: 'string', maxLength }, description });
  });
  return applyDecorators(withRouteConfig({ why: taken }), ...documented);
};

/** @throws HttpError 422 */
export function whyOf(query: unknown, taken: readonly Parameter[] = []): Why {
  const given = query as Readonly<Record<string, unknown>>;
  return Object.fromEntries(
    taken.flatMap((name) => (given[name] === undefined ? [] : [[name, textOf(name, given[name])]])),
  );
}

function textOf(name: Parameter, given: unknown): string {
  const { maxLength } = PARAMETERS[name];
  if (typeof given === 'string' && given.trim() !== '' && given.length <= maxLength && isPrintable(given)) return given;
  const msg = `must be a text of 1 to ${maxLength} visible characters`;
  const errors = [{ loc: ['query', name], msg, type: 'wrong_value' }];
  throw new HttpError(422, summaryOf(errors), { errors, code: 'invalid' });
}
