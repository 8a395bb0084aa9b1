import type { Document, Filter, Sort } from 'mongodb';
import { assertSummable, indexFor, isFixed, isIndexableName } from '../indexes.js';
import type { Index, Query, Range, Scalar } from '../port.js';
import { wordsOf } from '../words.js';
import { queryable, wellFormed, type StoredDocument } from './stored-document.js';

type Conditions = Pick<Query, 'where' | 'range' | 'filter'>;

/** @throws QueryNotIndexedError */
export function findCommand(
  collection: string,
  indexes: readonly Index[],
  query: Query,
): { readonly filter: Filter<StoredDocument>; readonly sort: Sort | null } {
  const { limit, offset = 0, order, range } = query;
  if (!Number.isInteger(limit) || limit < 0 || !Number.isInteger(offset) || offset < 0)
    throw new RangeError(`limit and offset must be whole numbers from 0, not ${limit} and ${offset}`);
  const filter = countFilter(collection, indexes, query);
  const direction = order?.direction === 'descending' ? -1 : 1;
  const field = order?.field ?? range?.field;
  if (field === undefined) return { filter, sort: Object.keys(query.where).length > 0 ? null : { _id: 1 } };
  if (isFixed(query, field)) return { filter, sort: { _id: direction } };
  return { filter, sort: { [path(field)]: direction, _id: direction } };
}

/** @throws QueryNotIndexedError */
export function countFilter(
  collection: string,
  indexes: readonly Index[],
  { where, range, filter, ...rest }: Conditions,
): Filter<StoredDocument> {
  indexFor(collection, indexes, { where, ...(range && { range }), ...(filter && { filter }), ...rest });
  const terms: Document[] = [
    ...Object.entries(where).map(([field, wanted]) => equality(field, wanted)),
    ...(range ? bounds(range) : []),
  ];
  // Tombstones have null in every field. If they cannot match they need not be scanned either.
  if (!terms.some(isWithoutNull)) terms.push({ gone: { $exists: false } });
  for (const [field, wanted] of Object.entries(filter?.where ?? {})) terms.push(equality(field, wanted));
  for (const each of filter?.ranges ?? []) terms.push(...bounds(each));
  if (filter?.words !== undefined) terms.push({ w: { $all: [...wordsOf(filter.words)] } });
  for (const { field, text } of filter?.contains ?? []) terms.push({ [path(field)]: { $regex: literal(text) } });
  return terms.length === 1 ? terms[0]! : { $and: terms };
}

/** @throws QueryNotIndexedError */
export function sumStages(
  collection: string,
  indexes: readonly Index[],
  query: Pick<Query, 'where'>,
  fields: readonly string[],
): Document[] {
  assertSummable(collection, indexes, fields);
  const sums = fields.map((field, place) => [`sum${place}`, { $sum: `$${path(field)}` }] as const);
  return [{ $match: countFilter(collection, indexes, query) }, { $group: { _id: null, ...Object.fromEntries(sums) } }];
}

/** An index as the server is to have it: a document's id comes last, so that equal values have an order. */
export const indexKey = (index: Index): Record<string, 1> =>
  Object.fromEntries([...index.fields.map(path), index.words ? 'w' : '_id'].map((each) => [each, 1]));

function path(field: string): string {
  if (!isIndexableName(field)) throw new RangeError(`${JSON.stringify(field)} cannot be indexed`);
  return `f.${field}`;
}

function equality(field: string, wanted: Scalar | readonly Scalar[]): Document {
  if (Array.isArray(wanted)) return { [path(field)]: { $in: wanted.map((each: Scalar) => queryable(each)) } };
  return { [path(field)]: { $eq: queryable(wanted as Scalar) } };
}

function bounds({ field, from, to }: Range): Document[] {
  const sides = { ...(isBound(from) && { $gte: bound(from) }), ...(isBound(to) && { $lte: bound(to) }) };
  return Object.keys(sides).length === 0 ? [] : [{ [path(field)]: sides }];
}

/** A pattern of just this text. NUL, at which a pattern would end, is written as an escape. */
const literal = (text: string): string =>
  wellFormed(text)
    .replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')
    .replaceAll('\0', String.raw`\x00`);

const isBound = (side: Scalar | undefined): side is string | number | boolean => side !== undefined && side !== null;
const bound = (side: string | number | boolean) => (typeof side === 'string' ? wellFormed(side) : side);

function isWithoutNull(term: Document): boolean {
  const [condition] = Object.values(term) as [Document];
  if ('$eq' in condition) return condition['$eq'] !== null;
  return !('$in' in condition) || !(condition['$in'] as Scalar[]).includes(null);
}
