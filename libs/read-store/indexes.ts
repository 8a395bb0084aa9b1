import { QueryNotIndexedError, type Index, type Query } from './port.js';

/** The documents themselves, by id: what serves a query that asks for nothing in particular. */
export const BY_ID: Index = { fields: [] };

/**
 * The declared index that serves a query: its equality fields come first, in any order, then its range or order field.
 * @throws QueryNotIndexedError when none does
 */
export function indexFor(
  collection: string,
  indexes: readonly Index[],
  query: Pick<Query, 'where' | 'range' | 'order'>,
): Index {
  const equal = Object.keys(query.where);
  // An order on a field that equality has fixed to one value orders nothing.
  const ordered = query.order && !isFixed(query, query.order.field) ? query.order.field : undefined;
  const next = query.range?.field ?? ordered;
  if (equal.length === 0 && next === undefined) return BY_ID;
  const serves = (index: Index) => {
    const first = index.fields.slice(0, equal.length);
    return (
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

const isFixed = (query: Pick<Query, 'where'>, field: string): boolean =>
  field in query.where && !Array.isArray(query.where[field]);
