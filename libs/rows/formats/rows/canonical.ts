import type { DatasetType } from '#domain/dataset/index.js';
import type { Json, JsonObject } from '#domain/json.js';
import { saidTasks, withTasks } from './class-tasks.js';
import { HEAD_KEYS, ownColumn } from './columns.js';
import { asDecoderRow } from './decoder-rows.js';
import { isObject } from './kinds.js';
import { withLabelValue } from './label-cells.js';

/** Our column -> the file's. */
export type ColumnMapping = Readonly<Record<string, string>>;

/** Turns a file's rows into the stored form. */
export type Canonicalize = (row: JsonObject) => JsonObject;

/**
 * A row in the stored form: native column names, no empty head columns, entities as pairs (as objects if they have
 * offsets), every shape of a chat as `messages`, and pairs of answers as `prompt` (messages), `chosen` and `rejected`
 * (texts). Other shapes are left unchanged for validation to report.
 * @returns the row itself if nothing changes
 */
export const canonicalRow = (row: JsonObject, datasetType: DatasetType, mapping: ColumnMapping): JsonObject =>
  shaper(datasetType)(namer(datasetType, mapping)(row));

/** Gives the columns of a file's rows our names. */
export function namer(datasetType: DatasetType, mapping: ColumnMapping): Canonicalize {
  const theirs = new Map(Object.entries(mapping).map(([ours, column]) => [column, ours]));
  const mapped: Canonicalize = theirs.size === 0 ? (row) => row : (row) => rename(row, theirs, mapping);
  if (datasetType === 'records' || datasetType === 'fields') return mapped;
  if (datasetType === 'decoder') return (row) => inOurCase(mapped(row), datasetType, mapping);
  return (row) => withLabelValue(withTasks(inOurCase(mapped(row), datasetType, mapping)));
}

/** A row with the native column names in their own case, if it has them in another case only. */
function inOurCase(row: JsonObject, datasetType: DatasetType, mapping: ColumnMapping): JsonObject {
  let ours: Map<string, string> | null = null;
  for (const column in row) {
    const own = ownColumn(datasetType, column);
    // The first of several columns that mean the same field counts.
    if (own === null || Object.hasOwn(row, own) || Object.hasOwn(mapping, own)) continue;
    ours ??= new Map();
    if (![...ours.values()].includes(own)) ours.set(column, own);
  }
  return ours === null
    ? row
    : Object.fromEntries(Object.entries(row).map(([column, value]) => [ours.get(column) ?? column, value]));
}

/** `canonicalRow` for rows whose columns have our names. */
export function shaper(datasetType: DatasetType): Canonicalize {
  if (datasetType === 'records' || datasetType === 'fields') return (row) => row;
  const shaped: Canonicalize = datasetType === 'decoder' ? asDecoderRow : (row) => withPairs(withoutEmptyTasks(row));
  return (row) => shaped(withoutEmptyHeads(row));
}

function rename(row: JsonObject, theirs: ReadonlyMap<string, string>, mapping: ColumnMapping): JsonObject {
  const entries = Object.entries(row).flatMap(([column, value]): [string, Json | undefined][] => {
    const ours = theirs.get(column);
    if (ours !== undefined) return [[ours, value]];
    // A column that has one of our names while another is mapped to it gives way.
    return Object.hasOwn(mapping, column) ? [] : [[column, value]];
  });
  return Object.fromEntries(entries);
}

function withoutEmptyHeads(row: JsonObject): JsonObject {
  if (!HEAD_KEYS.some((column) => row[column] === null)) return row;
  return Object.fromEntries(
    Object.entries(row).filter(([column, value]) => value !== null || !HEAD_KEYS.includes(column)),
  );
}

function withoutEmptyTasks(row: JsonObject): JsonObject {
  if (!isObject(row.labels)) return row;
  const said = saidTasks(row.labels);
  if (said === row.labels) return row;
  const { labels: _, ...others } = row;
  return said === undefined ? others : { ...others, labels: said };
}

function withPairs(row: JsonObject): JsonObject {
  const { entities } = row;
  if (!Array.isArray(entities) || entities.every(Array.isArray)) return row;
  const pairs = (entities as readonly Json[]).map(canonicalEntity);
  return Object.fromEntries(
    Object.entries(row).map(([column, value]) => [column, column === 'entities' ? pairs : value]),
  );
}

function canonicalEntity(entity: Json): Json {
  if (typeof entity !== 'object' || entity === null || Array.isArray(entity)) return entity;
  const { text, span, label, start, end, ...others } = entity as JsonObject;
  if (Object.keys(others).length > 0 || (text !== undefined && span !== undefined)) return entity;
  const stretch = text ?? span;
  if (typeof stretch !== 'string' || typeof label !== 'string') return entity;
  if (start === undefined || start === null) return end === undefined || end === null ? [stretch, label] : entity;
  return { text: stretch, label, start, ...(end === undefined || end === null ? {} : { end }) };
}
