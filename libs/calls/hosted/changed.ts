import type { Json, JsonObject } from '#domain/json.js';
import { isRecord } from '#primitives/values.js';

/** A change of a value in a caller's body; a value of another kind than expected stays as it is. */
export type Change = (value: Json) => Json;

/** Changes fields of an object; the same object if it has none of them. */
export const fields =
  (changes: Readonly<Record<string, Change>>): Change =>
  (value) => {
    if (!isRecord(value)) return value;
    const object = value;
    const present = Object.entries(changes).filter(([name]) => object[name] !== undefined);
    if (present.length === 0) return value;
    return { ...object, ...Object.fromEntries(present.map(([name, change]) => [name, change(object[name]!)])) };
  };

/** Changes the items of a list. */
export const items =
  (change: Change): Change =>
  (value) =>
    Array.isArray(value) ? (value as readonly Json[]).map(change) : value;

export const text =
  (change: (text: string) => string): Change =>
  (value) =>
    typeof value === 'string' ? change(value) : value;

/** A value that should be a text, as its JSON; null stays. */
export const asText: Change = (value) => (value === null || typeof value === 'string' ? value : JSON.stringify(value));

/** An object without some of its fields. */
export const without = (
  object: JsonObject,
  isLeftOut: (name: string, value: Json | undefined) => boolean,
): JsonObject => Object.fromEntries(Object.entries(object).filter(([name, value]) => !isLeftOut(name, value)));
