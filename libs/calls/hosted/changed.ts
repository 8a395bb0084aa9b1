import type { Json, JsonObject } from '#domain/json.js';
import { isRecord } from '#primitives/values.js';

/** A change of a value in a caller's body; a value of another kind than expected stays as it is. */
export type Change = (value: Json) => Json;

/** Changes fields of an object; the same object if none of them is changed. */
export const fields =
  (changes: Readonly<Record<string, Change>>): Change =>
  (value) => {
    if (!isRecord(value)) return value;
    let changed: Record<string, Json | undefined> | null = null;
    for (const name in changes) {
      const own = value[name];
      if (own === undefined) continue;
      const other = changes[name]!(own);
      if (other !== own) (changed ??= { ...value })[name] = other;
    }
    return changed ?? value;
  };

/** Changes the items of a list; the same list if none of them is changed. */
export const items =
  (change: Change): Change =>
  (value) => {
    if (!Array.isArray(value)) return value;
    const own = value as readonly Json[];
    const changed = own.map(change);
    return changed.some((each, index) => each !== own[index]) ? changed : own;
  };

export const text =
  (change: (text: string) => string): Change =>
  (value) =>
    typeof value === 'string' ? change(value) : value;

/** A value that should be a text, as its JSON; null stays. */
export const asText: Change = (value) => (value === null || typeof value === 'string' ? value : JSON.stringify(value));

/** An object without some of its fields; the same object if it has none of them. */
export function without(object: JsonObject, isLeftOut: (name: string, value: Json | undefined) => boolean): JsonObject {
  for (const name in object)
    if (isLeftOut(name, object[name]))
      return Object.fromEntries(Object.entries(object).filter(([each, value]) => !isLeftOut(each, value)));
  return object;
}
