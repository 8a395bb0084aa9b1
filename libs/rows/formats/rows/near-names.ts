import type { Json, JsonObject } from '#domain/json.js';
import { HEAD_KEYS } from './columns.js';
import { isObject } from './kinds.js';

/** Other names that mean a head's key. */
const MEANT: Readonly<Record<string, string>> = {
  structures: 'json_structures',
  structure: 'json_structures',
  json_structure: 'json_structures',
  entity: 'entities',
};
/** Longer names may differ in two letters. */
const LONG = 7;

/** The key of a head that a name was most likely meant to be; null: none. */
export function nearHead(name: string): string | null {
  const plain = name.trim().toLowerCase().replaceAll(/[\s-]/g, '_');
  if (HEAD_KEYS.includes(name)) return null;
  const near = (key: string) => distance(plain, key, key.length >= LONG ? 2 : 1) !== null;
  return MEANT[plain] ?? HEAD_KEYS.find((key) => key === plain || near(key)) ?? null;
}

/** A key of a text without heads that is nearly the key of one, and has what that would have. */
export function mistakenHead(row: JsonObject): { readonly key: string; readonly head: string } | null {
  if (typeof row.text !== 'string') return null;
  for (const key of Object.keys(row)) {
    const head = nearHead(key);
    if (head !== null && couldBe(head, row[key])) return { key, head };
  }
  return null;
}

function couldBe(head: string, value: Json | undefined): boolean {
  if (head === 'label') return typeof value === 'string';
  const list = Array.isArray(value) ? (value as readonly Json[]) : [];
  if (list.length === 0) return false;
  if (head === 'labels') return list.every((each) => typeof each === 'string');
  return list.every((each) => isObject(each) || (head === 'entities' && Array.isArray(each)));
}

/**
 * The least number of letters to insert, leave out, replace or swap with the next one; null beyond the most.
 * @see https://en.wikipedia.org/wiki/Damerau%E2%80%93Levenshtein_distance (optimal string alignment)
 */
function distance(a: string, b: string, most: number): number | null {
  if (Math.abs(a.length - b.length) > most) return null;
  const rows = [Array.from({ length: b.length + 1 }, (_, at) => at)];
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const replaced = rows[i - 1]![j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      const isSwapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const swapped = isSwapped ? rows[i - 2]![j - 2]! + 1 : Infinity;
      row.push(Math.min(replaced, rows[i - 1]![j]! + 1, row[j - 1]! + 1, swapped));
    }
    rows.push(row);
  }
  const least = rows[a.length]![b.length]!;
  return least <= most ? least : null;
}
