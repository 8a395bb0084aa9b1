import type { Json, JsonObject } from '#domain/json.js';
import { isRecord } from '#primitives/values.js';

/** Fields that later pieces repeat rather than extend. */
const SAID_AGAIN: ReadonlySet<string> = new Set(['id', 'index', 'type', 'name']);

/**
 * Merges pieces of unknown fields as clients of the OpenAI API do: texts are concatenated; list items with an `index`
 * are merged, others appended; objects are merged; other values are replaced.
 */
export function mergedDeltas(deltas: readonly JsonObject[]): JsonObject {
  return deltas.reduce<JsonObject>((whole, delta) => mergedObjects(whole, delta), {});
}

function mergedObjects(whole: JsonObject, delta: JsonObject): JsonObject {
  const merged: Record<string, Json | undefined> = { ...whole };
  for (const [name, piece] of Object.entries(delta)) {
    const before = Object.hasOwn(whole, name) ? whole[name] : undefined;
    merged[name] = piece === undefined || piece === null ? (before ?? piece) : grown(name, before, piece);
  }
  return merged;
}

function grown(name: string, before: Json | undefined, piece: Json): Json {
  if (typeof before === 'string' && typeof piece === 'string' && !SAID_AGAIN.has(name)) return before + piece;
  if (isList(before) && isList(piece)) return piece.reduce<readonly Json[]>(withItem, before);
  return isRecord(before) && isRecord(piece) ? mergedObjects(before, piece) : piece;
}

function withItem(items: readonly Json[], item: Json): readonly Json[] {
  const index = isRecord(item) ? item['index'] : undefined;
  const place = index === undefined ? -1 : items.findIndex((each) => isRecord(each) && each['index'] === index);
  return place < 0
    ? [...items, item]
    : items.with(place, mergedObjects(items[place] as JsonObject, item as JsonObject));
}

const isList = (value: Json | undefined): value is readonly Json[] => Array.isArray(value);
