import type { HeadKind } from '#domain/distillation/index.js';
import type { LabelMapping } from './labels.js';
import type { Writer } from './spans.js';
import type { JsonStyle } from './style.js';

/** How the answers of a task are learned by heads of a small model, and written again. Plain JSON: it can be stored and edited. */
export type AnswerMapping = LabelMapping | JsonMapping;

/** JSON answers, or the arguments of a tool. */
export interface JsonMapping {
  readonly kind: 'json';
  /** The tool whose arguments the answer is; null for a text. */
  readonly tool: string | null;
  readonly style: JsonStyle;
  /** What stands around the JSON. */
  readonly before: string;
  readonly after: string;
  /** Structure of the fields that belong to the answer as a whole. */
  readonly structure: string;
  readonly root: FieldNode;
}

/** What is learned of a value of the answers. A `source` is JSON as the model writes it: `12.50`, `"open"`. */
export type FieldNode =
  /** Written as it is. */
  | { readonly kind: 'constant'; readonly source: string }
  /** Optional: it is missing from some answers. */
  | {
      readonly kind: 'object';
      readonly fields: readonly ObjectField[];
      readonly isOptional: boolean;
      readonly absent: Absent;
    }
  /** A list of objects: each is a record of a structure. */
  | { readonly kind: 'records'; readonly structure: string; readonly item: FieldNode; readonly absent: Absent }
  /** A list of objects with a stretch of the text and its kind: entities. */
  | {
      readonly kind: 'entities';
      readonly span: string;
      readonly label: string;
      readonly item: FieldNode;
      readonly absent: Absent;
    }
  /** A stretch of the text, or a list of such: a field of the structure around it. */
  | SpanNode
  /** One of a few values. At the top it is a task of classification, within records a choice of their field. */
  | {
      readonly kind: 'class';
      readonly field: string;
      readonly values: Readonly<Record<string, string>>;
      readonly isList: boolean;
      readonly absent: Absent;
    }
  /** Not learned: written as a missing value is; as null where none is missing, and in mappings of earlier releases. */
  | { readonly kind: 'unmapped'; readonly reason: string; readonly absent?: Absent };

export interface SpanNode {
  readonly kind: 'span';
  readonly field: string;
  readonly isList: boolean;
  readonly isNumber: boolean;
  readonly writer: Writer;
  /** Stretches, in lower case, to values that the writer gets wrong. */
  readonly exceptions: Readonly<Record<string, string>>;
  readonly absent: Absent;
}

export interface ObjectField {
  readonly key: string;
  readonly node: FieldNode;
}

/** How a value that is not there is written; `omitted`: its key is left out. */
export type Absent = 'omitted' | 'null' | '""' | '[]';

/** An answer and the text that it is about. */
export interface TextAnswer {
  readonly text: string;
  readonly answer: { readonly tool: string | null; readonly text: string };
  /** Time of the call, ISO 8601: dates without a year are of its year. */
  readonly at: string;
}

/** A field of the answers, by its path (`customer.name`, `items[].sku`), and what is to be known of it. */
export interface FieldNote {
  readonly path: string;
  readonly reason: string;
}

export type Proposal =
  | {
      readonly kind: 'mapped';
      readonly mapping: AnswerMapping;
      /** Fields that cannot be learned: they are written as null, or the task is refused, as one chooses. */
      readonly unmapped: readonly FieldNote[];
      /** Fields whose values stand in most texts, not nearly all. */
      readonly ask: readonly FieldNote[];
      /** What each place of the answers can become, by its path. */
      readonly choices: ReadonlyMap<string, readonly HeadKind[]>;
      /** Share of the answers that are of the mapping's form, 0 to 1. */
      readonly share: number;
    }
  | {
      readonly kind: 'refused';
      readonly reason: string;
      /** More calls with other answers may help: nearly all that there are are one. */
      readonly isOneSided?: true;
    };

/** Names that answers of models have for something else. */
const TAKEN: ReadonlySet<string> = new Set(['entities', 'classification', 'relation_extraction']);
/** A name for a structure or a task. */
export const freeName = (name: string): string =>
  TAKEN.has(name) || name === '' ? `${name || 'item'} of answer` : name;

export const yearOf = (at: string): number => Number(at.slice(0, 4));
