import { applyDecorators } from '@nestjs/common';
import { Transform } from 'class-transformer';
import { ValidateBy } from 'class-validator';

/**
 * A time in ISO 8601; without an offset it is UTC. The handler gets it in UTC with milliseconds: `2030-01-02T03:04:05.000Z`.
 */
export const IsTimestamp = (): PropertyDecorator =>
  applyDecorators(
    Transform(({ value }) => canonicalTime(value)),
    ValidateBy({
      name: 'isTimestamp',
      validator: {
        validate: (value: unknown) => typeof value === 'string' && CANONICAL.test(value),
        defaultMessage: () => '$property must be an ISO 8601 time such as 2030-01-02T03:04:05Z',
      },
    }),
  );

/** UTC with milliseconds. */
export const CANONICAL = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const ACCEPTED = /^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(Z|[+-]\d\d:?\d\d)?)?$/i;

/** The canonical form, or the unchanged value if it is not a time. */
export function canonicalTime(value: unknown): unknown {
  const match = typeof value === 'string' ? ACCEPTED.exec(value) : null;
  if (!match) return value;
  const [text, offset] = match;
  const time = new Date(text.length > 10 && offset === undefined ? `${text.replace(' ', 'T')}Z` : text);
  if (Number.isNaN(time.getTime())) return value;
  // 30 February would roll over into March.
  const day = text.slice(0, 10);
  if (!new Date(day).toJSON()?.startsWith(day)) return value;
  return CANONICAL.test(time.toISOString()) ? time.toISOString() : value;
}
