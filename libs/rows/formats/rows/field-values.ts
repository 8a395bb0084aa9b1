import type { Json } from '#domain/json.js';
import { isObject } from './kinds.js';

/** A value of a field of a structure. A choice is one of several, and need not stand in the row's text. */
export interface FieldValue {
  /** The stretch of the text that says it; null for a choice of which the row does not tell that. */
  readonly text: string | null;
  /** Null: the value is the stretch itself. */
  readonly choice: string | null;
}

/** Keys of a choice: `{"value": "intravenous", "choices": ["oral", "intravenous"], "text": "IV"}`; the last two are optional. */
export const CHOICE_KEYS = ['value', 'choices', 'text'];

/** @param value as validated: a text, or a choice */
export const fieldValueOf = (value: Json): FieldValue =>
  isObject(value)
    ? { text: (value.text as string | undefined) ?? null, choice: value.value as string }
    : { text: value as string, choice: null };

/** What a value says, however the text does: the choice, or the stretch. */
export function plainValueOf(value: Json): string {
  const { choice, text } = fieldValueOf(value);
  return (choice ?? text)!;
}
