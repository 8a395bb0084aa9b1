import type { Json, JsonObject } from '#domain/json.js';
import type { BlockForm } from '../blocks.js';
import type { FileLimits } from '../limits.js';
import { looksLikeJson, parseCell, type SourceRow } from './json-values.js';

/**
 * The row of a typed table. A null there becomes a missing key; in columns that native rows use, also in nested values,
 * where a table cannot omit a field. Those columns may hold JSON as text.
 * @param row all columns, named as in the table
 * @returns the row itself if nothing changes
 */
export function tableRow(
  row: JsonObject,
  { jsonColumns, listColumns }: Extract<BlockForm, { kind: 'table' }>,
  limits: FileLimits,
): SourceRow {
  if (isPlain(row, jsonColumns, listColumns)) return { value: row };
  const entries: [string, Json][] = [];
  for (const [column, value] of Object.entries(row)) {
    if (value === null || value === undefined) continue;
    const isJson = jsonColumns.includes(column);
    const isList = listColumns.includes(column);
    if (typeof value !== 'string' || !(isJson || (isList && looksLikeJson(value)))) {
      entries.push([column, isList ? withoutNulls(value) : value]);
      continue;
    }
    const parsed = parseCell(value, limits);
    if (parsed === undefined)
      return { error: { field: column, reason: `nests deeper than ${limits.nesting} levels` }, raw: row };
    entries.push([column, parsed]);
  }
  return { value: Object.fromEntries(entries) };
}

function isPlain(row: JsonObject, jsonColumns: readonly string[], listColumns: readonly string[]): boolean {
  if (jsonColumns.length > 0) return false;
  for (const column in row) if (row[column] === null) return false;
  for (const column of listColumns) {
    const value = row[column];
    if (value !== undefined && (typeof value === 'string' || hasNulls(value))) return false;
  }
  return true;
}

function hasNulls(value: Json | undefined): boolean {
  if (value === null) return true;
  if (typeof value !== 'object') return false;
  if (Array.isArray(value)) {
    for (const entry of value as readonly Json[]) if (typeof entry === 'object' && hasNulls(entry)) return true;
    return false;
  }
  return Object.values(value as JsonObject).some(hasNulls);
}

/** Objects without the keys that have no value; null entries of lists stay, for validation to name. */
function withoutNulls(value: Json): Json {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return (value as readonly Json[]).map(withoutNulls);
  return Object.fromEntries(
    Object.entries(value as JsonObject).flatMap(([key, field]): [string, Json][] =>
      field === null || field === undefined ? [] : [[key, withoutNulls(field)]],
    ),
  );
}
