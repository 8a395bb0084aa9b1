import { NumberText, type SourcedJson } from './json-text.js';
import type { Absent } from './mapping.js';
import { mostOf } from './labels.js';

/** A value of some answers at one place; undefined where the key is missing. */
export interface PlacedValue {
  readonly value: SourcedJson | undefined;
  readonly text: string;
  readonly year: number;
  /** Which call it is of. */
  readonly call: number;
}

export const isAbsent = (value: SourcedJson | undefined): boolean =>
  value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0);

export type Scalar = string | boolean | null | NumberText;
export const isScalar = (value: SourcedJson | undefined): value is Scalar =>
  value !== undefined && (typeof value !== 'object' || value === null || value instanceof NumberText);

/** The text of a scalar, as stretches of a text are compared with it. */
export const textOfScalar = (value: Scalar): string => (value instanceof NumberText ? value.source : String(value));

/** A scalar as JSON. */
export const sourceOf = (value: Scalar): string => (value instanceof NumberText ? value.source : JSON.stringify(value));

export const absentForm = (values: readonly PlacedValue[]): Absent => {
  const forms = values.flatMap(({ value }) =>
    isAbsent(value) ? [value === undefined ? 'omitted' : JSON.stringify(value)] : [],
  );
  return (mostOf(forms) || 'null') as Absent;
};

/** The value that an absent one is written as; undefined: none. */
export const absentValue = (absent: Absent): SourcedJson | undefined =>
  absent === 'omitted' ? undefined : (JSON.parse(absent) as SourcedJson);
