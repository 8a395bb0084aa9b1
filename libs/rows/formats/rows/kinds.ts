import type { Json, JsonObject } from '#domain/json.js';

export interface FieldProblem {
  /** `entities[2].start`; empty when it is the row as a whole. */
  readonly field: string;
  readonly reason: string;
}

/** The labels of a head in a row, and their problems. */
export interface Labels {
  readonly labels: readonly string[];
  readonly problems: readonly FieldProblem[];
}

export const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The entries of a list; of any other value none. */
export const listOf = (value: Json | undefined): readonly Json[] =>
  Array.isArray(value) ? (value as readonly Json[]) : [];

/** The kind of a value, for a message: `a list`. */
export function kind(value: Json | undefined): string {
  if (value === undefined) return 'missing';
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

/** No tokenizer takes such texts: they have no UTF-8. */
export const HALF_A_CHARACTER = 'has half of a surrogate pair; send valid Unicode';

const EXAMPLES: Readonly<Record<string, string>> = {
  entities: '[["Ada","person"]]',
  labels: '["red","fast"]',
  json_structures: '[{"trip":{"to":"Paris"}}]',
  relations: '[{"met":{"head":"Ada","tail":"Bob"}}]',
  messages: '[{"role":"user","content":"hi"}]',
  tools: '[{"type":"function","function":{"name":"weather"}}]',
};

export function notList(field: string, value: Json): FieldProblem[] {
  const inCsv = typeof value === 'string' ? `; in CSV a list is written as JSON: ${EXAMPLES[field]}` : '';
  return [{ field, reason: `must be a list, is ${kind(value)}${inCsv}` }];
}
