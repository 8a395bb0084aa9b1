import type { Span } from '../spans.js';

/** A stretch of a text in UTF-16 code units; the end is exclusive. */
export interface Stretch {
  readonly start: number;
  readonly end: number;
}

/** Labels that a person or a model gives to a text. */
export interface Annotation {
  /** Entities, in the order of the text. They may overlap. */
  readonly spans: readonly Span[];
  /** The labels of each task. */
  readonly classes: Readonly<Record<string, readonly string[]>>;
  readonly records: readonly Entry[];
  readonly relations: readonly Relation[];
}

/** A record of a structure. */
export interface Entry {
  readonly structure: string;
  readonly fields: Readonly<Record<string, readonly Value[]>>;
}

/** A value of a field: a stretch of the text, or without one a choice. */
export interface Value {
  readonly text: string;
  readonly at?: Stretch;
}

export interface Relation {
  readonly type: string;
  readonly head: Stretch;
  readonly tail: Stretch;
}

export const BLANK: Annotation = { spans: [], classes: {}, records: [], relations: [] };

export const isSame = (a: Stretch, b: Stretch): boolean => a.start === b.start && a.end === b.end;

/** In the order of the text; of those that begin together the longer one first. */
export const inOrder = (spans: readonly Span[]): readonly Span[] =>
  [...spans].sort((a, b) => a.start - b.start || b.end - a.end);

/** A copy of a list with another value at an index, or without one there. */
export const replaced = <T>(list: readonly T[], index: number, ...values: readonly T[]): readonly T[] => [
  ...list.slice(0, index),
  ...values,
  ...list.slice(index + 1),
];

/** Everything placed in the text, with its kind: entities, values of fields, ends of relations. */
export const placedIn = ({ spans, records, relations }: Annotation): readonly Span[] => [
  ...spans,
  ...records.flatMap(({ structure, fields }) =>
    Object.entries(fields).flatMap(([field, values]) =>
      values.flatMap(({ at }) => (at ? [{ ...at, label: `${structure}.${field}` }] : [])),
    ),
  ),
  ...relations.flatMap(({ type, head, tail }) => [
    { ...head, label: `${type} head` },
    { ...tail, label: `${type} tail` },
  ]),
];
