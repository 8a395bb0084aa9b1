import type { Json, JsonObject } from '#domain/json.js';
import { identifier } from '../duckdb/confined.js';

/** The common type of a column's values; `json` if no table type fits them all. */
export type ColumnType =
  | 'none'
  | 'string'
  | 'boolean'
  | 'integer'
  | 'double'
  | 'json'
  | { readonly list: ColumnType }
  | { readonly fields: ReadonlyMap<string, ColumnType> };

const DEEPEST = 6;
const MAX_FIELDS = 200;

/**
 * The type that holds one more value. Reading it back gives the same value: so lists and objects have their own type
 * only while none of them lacks a value or a field that others have; else the whole is `json`.
 */
export function widened(type: ColumnType, value: Json, depth = 0): ColumnType {
  if (type === 'json' || value === null) return 'json';
  if (typeof value === 'string') return type === 'none' || type === 'string' ? 'string' : 'json';
  if (typeof value === 'boolean') return type === 'none' || type === 'boolean' ? 'boolean' : 'json';
  if (typeof value === 'number') return widenedNumber(type, value);
  if (depth === DEEPEST) return 'json';
  if (Array.isArray(value)) return widenedList(type, value as readonly Json[], depth);
  return widenedFields(type, value as JsonObject, depth);
}

/** The SQL name of a type. */
export function sqlType(type: ColumnType): string {
  if (typeof type === 'string') return SQL[type];
  if ('list' in type) return `${sqlType(type.list)}[]`;
  return `STRUCT(${[...type.fields].map(([name, field]) => `${identifier(name)} ${sqlType(field)}`).join(', ')})`;
}

/** A type as a feature of the `datasets` library. */
export function featureOf(type: ColumnType): Json {
  if (typeof type === 'string') return { dtype: DTYPES[type], _type: 'Value' };
  if ('list' in type) return [featureOf(type.list)];
  return Object.fromEntries([...type.fields].map(([name, field]) => [name, featureOf(field)]));
}

const DTYPES = {
  none: 'string',
  string: 'string',
  boolean: 'bool',
  integer: 'int64',
  double: 'float64',
  json: 'string',
} as const;

const SQL = {
  none: 'VARCHAR',
  string: 'VARCHAR',
  boolean: 'BOOLEAN',
  integer: 'BIGINT',
  double: 'DOUBLE',
  json: 'JSON',
} as const;

function widenedNumber(type: ColumnType, value: number): ColumnType {
  const own = Number.isSafeInteger(value) ? 'integer' : 'double';
  if (type === 'none' || type === own) return own;
  return type === 'integer' || type === 'double' ? 'double' : 'json';
}

function widenedList(type: ColumnType, values: readonly Json[], depth: number): ColumnType {
  if (type !== 'none' && (typeof type === 'string' || !('list' in type))) return 'json';
  const before = type === 'none' ? 'none' : type.list;
  let of = before;
  for (const value of values) of = widened(of, value, depth + 1);
  if (of === 'json') return 'json';
  return of === before && type !== 'none' ? type : { list: of };
}

function widenedFields(type: ColumnType, value: JsonObject, depth: number): ColumnType {
  if (type !== 'none' && (typeof type === 'string' || !('fields' in type))) return 'json';
  const entries = Object.entries(value);
  const known = type === 'none' ? null : type.fields;
  if (known === null ? !areNames(entries.map(([name]) => name)) : known.size !== entries.length) return 'json';
  let fields = known;
  for (const [name, field] of entries) {
    const before = known === null ? 'none' : known.get(name);
    if (before === undefined || field === undefined) return 'json';
    const after = widened(before, field, depth + 1);
    if (after === 'json') return 'json';
    if (after !== before || known === null) fields = new Map(fields).set(name, after);
  }
  return fields === null || fields === known ? type : { fields };
}

/** Whether these can be the names of a table's columns or a struct's fields, which are case-insensitive. */
export const areNames = (names: readonly string[]): boolean =>
  names.length > 0 &&
  names.length <= MAX_FIELDS &&
  names.every((name) => name !== '' && !name.includes('\u0000') && name.isWellFormed()) &&
  new Set(names.map((name) => name.toLowerCase())).size === names.length;
