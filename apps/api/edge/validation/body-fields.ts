import { applyDecorators, type Type } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import {
  Allow,
  ArrayMaxSize,
  ArrayMinSize,
  IsArray,
  IsBoolean,
  IsIn,
  IsInt,
  IsNumber,
  IsObject,
  IsOptional,
  IsPositive,
  IsString,
  Length,
  Matches,
  Max,
  Min,
} from 'class-validator';
import { ANY_JSON } from './any-json.js';
import { ItemsOf, ObjectOf } from './fields.js';
import { IsTimestamp } from './timestamp.js';

// Fields of body DTOs: each declares once what the OpenAPI document describes and class-validator checks. A field with rules of
// its own is a `bodyField`.

interface About {
  /** null is as good as none. */
  readonly optional?: boolean;
  readonly description?: string;
  readonly example?: unknown;
  readonly default?: unknown;
}

/** In characters; default: at least 1, no maximum. */
interface TextBounds {
  readonly min?: number;
  readonly max?: number;
  readonly format?: string;
}

/** @param checks further rules, reported before the bounds */
export const BodyText = (
  { min = 1, max, ...about }: TextBounds & About = {},
  ...checks: PropertyDecorator[]
): PropertyDecorator =>
  bodyField(
    { ...about, type: String, ...(min > 0 && { minLength: min }), ...(max !== undefined && { maxLength: max }) },
    ...[...checks, Length(min, max, { message: `$property ${lengthOf(min, max)}` }), IsString()],
  );

function lengthOf(min: number, max: number | undefined): string {
  if (max === undefined) return 'must not be empty';
  return min === 0 ? `must have at most ${max} characters` : `must have ${min} to ${max} characters`;
}

/** A text of a pattern. @param expected the pattern in words, for messages */
export const BodyTextLike = (pattern: RegExp, expected: string, about: About = {}): PropertyDecorator =>
  bodyField(
    { ...about, type: String, pattern: pattern.source },
    Matches(pattern, { message: `$property must be ${expected}` }),
  );

interface Range {
  readonly min: number;
  readonly max: number;
}

export const BodyInteger = ({ min, max, ...about }: Range & About): PropertyDecorator =>
  bodyField({ ...about, type: 'integer', minimum: min, maximum: max }, Max(max), Min(min), IsInt());

/** @param refusal message for a number out of range */
export const BodyNumber = ({ min, max, ...about }: Range & About, refusal?: string): PropertyDecorator => {
  const options = refusal === undefined ? {} : { message: `$property ${refusal}` };
  return bodyField(
    { ...about, type: Number, minimum: min, maximum: max },
    ...[Max(max, options), Min(min, options), IsNumber()],
  );
};

/** A number above 0. */
export const BodyPositive = ({ max, ...about }: { readonly max: number } & About): PropertyDecorator =>
  bodyField(
    { ...about, type: Number, minimum: 0, exclusiveMinimum: true, maximum: max },
    ...[Max(max), IsPositive({ message: '$property must be above 0' }), IsNumber()],
  );

export const BodyFlag = (about: About = {}): PropertyDecorator => bodyField({ ...about, type: Boolean }, IsBoolean());

/** @param remark follows the choices in the message */
export const BodyOneOf = (choices: readonly string[], about: About = {}, remark = ''): PropertyDecorator =>
  bodyField(
    { ...about, type: String, enum: about.optional ? [...choices, null] : [...choices] },
    IsIn(choices, { message: `$property must be one of ${choices.join(', ')}${remark}` }),
  );

export const BodyTime = (about: About = {}): PropertyDecorator =>
  bodyField({ type: String, format: 'date-time', ...about }, IsTimestamp());

/** Any JSON value, and none. */
export const BodyAny = (description: string): PropertyDecorator =>
  applyDecorators(Allow(), ApiPropertyOptional({ ...ANY_JSON, description }));

/** A list of texts of 1 to 1,000 characters, or null. @param each what a text is, in messages */
export const BodyTexts = (each: string, { max, ...about }: { readonly max: number } & About): PropertyDecorator =>
  bodyField(
    { ...about, type: [String], maxItems: max },
    ArrayMaxSize(max),
    Length(1, 1000, { each: true, message: `each ${each} must have 1 to 1000 characters` }),
    IsString({ each: true, message: '$property must be a list of strings' }),
    IsArray(),
  );

interface ListBounds extends Range {
  /** The shape of an item, in words. */
  readonly item?: string;
  /** Message for a list of fewer than `min` items. */
  readonly tooFew?: string;
}

/** A list of objects, each checked against a class. @param checks further rules of the list */
export const BodyItems = (
  item: Type<object>,
  { min, max, item: shape = '', tooFew, ...about }: ListBounds & About,
  ...checks: PropertyDecorator[]
): PropertyDecorator =>
  bodyField(
    { ...about, type: [item], ...(min > 0 && { minItems: min }), maxItems: max },
    ...checks,
    ItemsOf(() => item, `must be an object ${shape}`.trimEnd()),
    IsObject({ each: true, message: `$property must be a list of objects ${shape}`.trimEnd() }),
    ArrayMaxSize(max),
    ArrayMinSize(min, tooFew === undefined ? {} : { message: `$property ${tooFew}` }),
    IsArray(),
  );

/** An object, checked against a class. */
export const BodyObject = (of: Type<object>, about: About = {}): PropertyDecorator =>
  bodyField(
    { ...about, type: of },
    ObjectOf(() => of),
    IsObject({ message: '$property must be an object' }),
  );

/** @param schema of the field in the OpenAPI document */
export const bodyField = (
  { optional = false, ...schema }: { readonly optional?: boolean } & Readonly<Record<string, unknown>>,
  ...checks: PropertyDecorator[]
): PropertyDecorator =>
  optional
    ? applyDecorators(...checks, IsOptional(), ApiPropertyOptional({ ...schema, nullable: true }))
    : applyDecorators(...checks, ApiProperty(schema));
