import type { JsonObject } from '#domain/json.js';
import type { DialectReader } from '../shared/dialect-reader.js';

export type Path = readonly (string | number)[];
export type Fields = Readonly<Record<string, unknown>>;

/** The fields of a type of block that are understood here: its own, and those that all have. */
export const fieldsOfBlock = (...own: readonly string[]): ReadonlySet<string> =>
  new Set(['type', 'cache_control', ...own]);

/** A marker as it is: what may stand in it is for the provider to say. */
export function readCacheControl(reader: DialectReader, value: unknown, path: Path): { cacheControl?: JsonObject } {
  if (value === undefined || value === null) return {};
  const cacheControl = reader.record(value, [...path, 'cache_control'], 'an object with type') as JsonObject;
  return { cacheControl };
}

/** A text that may be empty, or not there. */
export const optionalText = (reader: DialectReader, value: unknown, path: Path): string | undefined =>
  value === undefined || value === null ? undefined : reader.text(value, path);
