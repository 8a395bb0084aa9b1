import type { JsonValue } from '../head.js';

/** A field by the names of its structure and its own. */
export interface FieldName {
  readonly structure: string;
  readonly field: string;
}

/**
 * The tagger's label for the value of these fields. One stretch may fill several ("Ada" as traveller and as guest), and
 * a tagger gives it one label: so the label names all of them.
 */
export const labelOf = (fields: readonly FieldName[]): string =>
  JSON.stringify(
    [...new Set(fields.map(({ structure, field }) => JSON.stringify([structure, field])))]
      .sort()
      .map((each) => JSON.parse(each) as JsonValue),
  );

/** The fields that a label of `labelOf` names. */
export const fieldsOf = (label: string): readonly FieldName[] =>
  (JSON.parse(label) as readonly (readonly [string, string])[]).map(([structure, field]) => ({ structure, field }));
