import type { DuckDBType } from '@duckdb/node-api';
import { UnreadableFileError } from '../limits.js';
import { text } from './confined.js';

/**
 * The SQL that converts a value to JSON: whole numbers beyond a double's precision, and decimals of more than 15
 * digits, as text; times as ISO 8601; NaN and infinities as null; maps as objects.
 * @param at path to the value, from the column's name, for messages
 * @returns null if DuckDB's own `to_json` does the same
 * @throws UnreadableFileError for binary values
 */
export function jsonExpression(type: DuckDBType, value: string, at: string, depth = 0): string | null {
  if (depth > DEEPEST)
    throw new UnreadableFileError(`the column ${at.slice(0, 80)} nests deeper than ${DEEPEST} levels`);
  const name = type.toString();
  if (type.alias === 'JSON') return `${value}::VARCHAR`;
  if ('valueType' in type && 'keyType' in type) return mapExpression(type, value, at, depth);
  if ('entryNames' in type) return structExpression(type, value, at, depth);
  if ('valueType' in type) {
    const item = `i${depth}`;
    const inside = jsonExpression(type.valueType, item, `${at}[]`, depth + 1);
    return inside === null ? null : `list_transform(${value}, lambda ${item}: ${inside})`;
  }
  if (AS_THEY_ARE.has(name)) return null;
  if (name === 'BLOB') throw new UnreadableFileError(`the column ${at.slice(0, 80)} holds binary data; leave it out`);
  if (name === 'DOUBLE' || name === 'FLOAT') return `CASE WHEN isfinite(${value}) THEN ${value} END`;
  if (WIDE.has(name))
    return `CASE WHEN ${value} BETWEEN -9007199254740991 AND 9007199254740991 THEN to_json(${value}) ELSE to_json(${value}::VARCHAR) END`;
  if ('width' in type) return type.width <= 15 ? `${value}::DOUBLE` : `${value}::VARCHAR`;
  if (name === 'TIMESTAMP WITH TIME ZONE') return `replace(replace(${value}::VARCHAR, ' ', 'T'), '+00', 'Z')`;
  if (name.startsWith('TIMESTAMP')) return `replace(${value}::VARCHAR, ' ', 'T')`;
  return `${value}::VARCHAR`;
}

const DEEPEST = 32;
const AS_THEY_ARE = new Set([
  'VARCHAR',
  'BOOLEAN',
  'TINYINT',
  'SMALLINT',
  'INTEGER',
  'UTINYINT',
  'USMALLINT',
  'UINTEGER',
]);
const WIDE = new Set(['BIGINT', 'UBIGINT', 'HUGEINT', 'UHUGEINT']);

type MapType = Extract<DuckDBType, { keyType: DuckDBType }>;
type StructType = Extract<
  DuckDBType,
  { entryNames: readonly string[]; entryTypes: readonly DuckDBType[]; indexForEntry: unknown }
>;

function mapExpression(type: MapType, value: string, at: string, depth: number): string {
  const item = `i${depth}`;
  const inside = jsonExpression(type.valueType, `${item}.value`, `${at}{}`, depth + 1) ?? `${item}.value`;
  const entries = `list_transform(map_entries(${value}), lambda ${item}: {'key': ${item}.key::VARCHAR, 'value': ${inside}})`;
  return `CASE WHEN ${value} IS NOT NULL THEN to_json(map_from_entries(${entries})) END`;
}

function structExpression(type: StructType, value: string, at: string, depth: number): string | null {
  const inside = type.entryNames.map((name, index) => {
    const field = `struct_extract(${value}, ${text(name)})`;
    const of = type.entryTypes[index];
    return { name, field, converted: of ? jsonExpression(of, field, `${at}.${name}`, depth + 1) : null };
  });
  if (inside.every(({ converted }) => converted === null)) return null;
  const fields = inside.map(({ name, field, converted }) => `${text(name)}, ${converted ?? field}`);
  return `CASE WHEN ${value} IS NOT NULL THEN json_object(${fields.join(', ')}) END`;
}
