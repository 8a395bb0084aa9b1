import type { Json, JsonObject } from '#domain/json.js';
import { placeRecords } from './placed.js';

/** Entries that equal no earlier one, in order. */
export function distinct<T>(entries: readonly T[]): readonly T[] {
  if (entries.length < 2) return entries;
  const repeated = repeatedAt(entries);
  return repeated.size === 0 ? entries : entries.filter((_, index) => !repeated.has(index));
}

/** Indices of the entries that equal an earlier one. */
export function repeatedAt(entries: readonly unknown[]): ReadonlySet<number> {
  const known = new Set<string>();
  const repeated = new Set<number>();
  for (const [index, entry] of entries.entries()) {
    const size = known.size;
    if (known.add(JSON.stringify(entry)).size === size) repeated.add(index);
  }
  return repeated;
}

/**
 * Indices among `entities` of those that repeat the span, label and `start` of an earlier one. Entries without a
 * `start` never repeat: each gets its own place.
 */
export function repeatedEntities(entities: readonly Json[]): ReadonlySet<number> {
  const known = new Set<string>();
  const repeated = new Set<number>();
  for (const [index, entity] of entities.entries()) {
    if (typeof entity !== 'object' || entity === null || Array.isArray(entity)) continue;
    const { text, span, label, start } = entity as JsonObject;
    if (start === undefined || start === null) continue;
    const size = known.size;
    if (known.add(JSON.stringify([start, text ?? span, label])).size === size) repeated.add(index);
  }
  return repeated;
}

/** The entries of `relations` or `json_structures`: name and value of each, in order. */
export const instancesOf = (instances: readonly Json[]): [name: string, value: Json][] =>
  instances.flatMap((instance) => Object.entries(instance as JsonObject) as [string, Json][]);

/**
 * Indices among the records of `json_structures` of those at the place of an earlier one: the text contains such a
 * record fewer times than the row lists it.
 * @param instances as validated
 */
export function repeatedRecords(text: string, instances: readonly Json[]): ReadonlySet<number> {
  // Only equal records can have the same place.
  const asWritten = repeatedAt(instancesOf(instances));
  return asWritten.size === 0 ? asWritten : repeatedAt(placeRecords(text, instances));
}
