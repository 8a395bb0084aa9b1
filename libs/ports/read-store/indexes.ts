import type { Json, JsonObject } from '#domain/json.js';
import { DocumentRefusedError, QueryNotIndexedError, type Index, type Query, type Scalar } from './port.js';
import { wordIndexOf } from './words.js';

/** The documents themselves, by id: serves a query without conditions. */
const BY_ID: Index = { fields: [] };

/** Field names that an index or a filter may use. */
export const INDEXABLE_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;
export const isIndexableName = (field: string): boolean => INDEXABLE_NAME.test(field);

/** Every field that some index names, once, in a stable order. */
export const fieldsOf = (indexes: readonly Index[]): readonly string[] =>
  [...new Set(indexes.flatMap((index) => index.fields))].sort();

/** @throws DocumentRefusedError when an indexed field holds a list or an object */
export function assertIndexable(collection: string, fields: readonly string[], id: string, document: JsonObject): void {
  for (const field of fields) indexed(collection, field, id, document[field]);
}

/** The value of an indexed field. @throws DocumentRefusedError a list or an object, or what is no text in one that is shared */
export function indexed(
  collection: string,
  field: string,
  id: string,
  value: Json | undefined = null,
  isShared = false,
): Scalar {
  if (typeof value === 'object' && value !== null)
    throw new DocumentRefusedError(collection, id, `${field} is indexed, so it must hold a scalar`);
  if (isShared && value !== null && typeof value !== 'string')
    throw new DocumentRefusedError(collection, id, `${field} is shared and indexed, so it must hold a text`);
  return value;
}

/** @throws RangeError when a name can name no collection */
export function assertCollectionName(name: string): void {
  if (!/^[a-z][a-z0-9-]*$/.test(name)) throw new RangeError(`${JSON.stringify(name)} cannot name a collection`);
}

/**
 * The declared index that serves a query: its equality fields come first, in any order, then its range or order field.
 * @throws QueryNotIndexedError when none does
 */
export function indexFor(
  collection: string,
  indexes: readonly Index[],
  query: Pick<Query, 'where' | 'range' | 'order' | 'filter'>,
): Index {
  if (query.filter?.words !== undefined && !isFixed(query, wordIndexOf(indexes)?.fields[0] ?? ''))
    throw new QueryNotIndexedError(`no index of ${collection} serves a query by words; declare one in its projection`);
  const equal = Object.keys(query.where);
  // An order on a field that equality has fixed to one value orders nothing.
  const ordered = query.order && !isFixed(query, query.order.field) ? query.order.field : undefined;
  const next = query.range?.field ?? ordered;
  if (equal.length === 0 && next === undefined) return BY_ID;
  const serves = (index: Index) => {
    const first = index.fields.slice(0, equal.length);
    return (
      !index.words &&
      (index.sparse === undefined || isGiven(query, index.sparse)) &&
      first.length === equal.length &&
      equal.every((field) => first.includes(field)) &&
      (next === undefined || index.fields[equal.length] === next) &&
      (ordered === undefined || ordered === next)
    );
  };
  const index = indexes.find(serves);
  if (index) return index;
  const wanted = [...equal, ...new Set([query.range?.field, ordered].filter((field) => field !== undefined))];
  throw new QueryNotIndexedError(
    `no index of ${collection} serves a query on (${wanted.join(', ')}); declare one in its projection`,
  );
}

/** @throws QueryNotIndexedError when a field is in no declared index */
export function assertSummable(collection: string, indexes: readonly Index[], fields: readonly string[]): void {
  const known = fieldsOf(indexes);
  const unknown = fields.find((field) => !known.includes(field));
  if (unknown === undefined) return;
  throw new QueryNotIndexedError(`no index of ${collection} holds ${unknown}, which is to be summed; declare one`);
}

/** Whether the query asks for values of this field, and not for null. */
const isGiven = ({ where }: Pick<Query, 'where'>, field: string): boolean =>
  field in where && ![where[field]].flat().includes(null);

/** Whether the query allows a single value of this field. */
export const isFixed = (query: Pick<Query, 'where'>, field: string): boolean =>
  field in query.where && !Array.isArray(query.where[field]);
