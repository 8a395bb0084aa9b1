import { applyDecorators } from '@nestjs/common';
import { ApiPropertyOptional } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { IsBoolean, IsIn, IsInt, IsNumber, IsOptional, IsString, Max, Min } from 'class-validator';
import { IsTimestamp } from './timestamp.js';

/**
 * Fields of query DTOs. Each is optional; a value of the wrong type is 400, one out of range 422. A repeated parameter
 * has the wrong type.
 */
export const QueryInteger = (range: Range, description?: string): PropertyDecorator =>
  query(
    description,
    { type: 'integer', ...documented(range) },
    ToNumber(),
    IsInt(),
    ...bounds({ max: Number.MAX_SAFE_INTEGER, ...range }),
  );

export const QueryNumber = (range: Range, description?: string): PropertyDecorator =>
  query(description, { type: 'number', ...documented(range) }, ToNumber(), IsNumber(), ...bounds(range));

export const QueryBoolean = (description?: string): PropertyDecorator =>
  query(
    description,
    { type: 'boolean' },
    Transform(({ value }) => toBoolean(value)),
    IsBoolean({ message: '$property must be true or false' }),
  );

export const QueryText = (description?: string): PropertyDecorator =>
  query(description, { type: 'string' }, IsString());

/** ISO 8601: `2030-01-02`, `2030-01-02T03:04:05Z`. Given to the handler in UTC with milliseconds. */
export const QueryTime = (description?: string): PropertyDecorator =>
  query(description, { type: 'string', format: 'date-time' }, IsTimestamp());

export const QueryOneOf = (values: readonly string[], description?: string): PropertyDecorator =>
  query(description, { type: 'string', enum: [...values] }, IsIn(values));

interface Range {
  readonly min?: number;
  readonly max?: number;
  /** Default for the documentation; the field's initial value must equal it. */
  readonly default?: number;
}

function query(description: string | undefined, schema: object, ...rules: PropertyDecorator[]): PropertyDecorator {
  return applyDecorators(
    ApiPropertyOptional({ ...schema, ...(description !== undefined && { description }) }),
    IsOptional(),
    ...rules,
  );
}

const documented = ({ min, max, default: byDefault }: Range): object => ({
  ...(min !== undefined && { minimum: min }),
  ...(max !== undefined && { maximum: max }),
  ...(byDefault !== undefined && { default: byDefault }),
});

const bounds = ({ min, max }: Range): PropertyDecorator[] => [
  ...(min === undefined ? [] : [Min(min)]),
  ...(max === undefined ? [] : [Max(max)]),
];

const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i;

/** `@Type(() => Number)` would take an empty text for 0, and `0x10` for 16. */
const ToNumber = (): PropertyDecorator =>
  Transform(({ value }: { value: unknown }) =>
    typeof value === 'string' && NUMBER.test(value) ? Number(value) : value,
  );

/**
 * As `QueryBoolean` reads a value; one that is not a boolean is unchanged. (`@Type(() => Boolean)` would take `false` for
 * true.)
 */
export const toBoolean = (value: unknown): unknown => {
  const words: Readonly<Record<string, boolean>> = { true: true, false: false, '1': true, '0': false };
  return typeof value === 'string' ? (words[value.toLowerCase()] ?? value) : value;
};
