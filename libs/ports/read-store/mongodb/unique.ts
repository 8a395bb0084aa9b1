import type { Collection as MongoCollection } from 'mongodb';
import type { JsonObject } from '#domain/json.js';
import { DocumentRefusedError, type Index } from '../port.js';
import type { StoredDocument } from './stored-document.js';

export const uniqueIndexes = (indexes: readonly Index[]): readonly Index[] => indexes.filter(({ unique }) => unique);

/** The field that holds a unique index's key. */
export const uniqueField = (at: number): `u${number}` => `u${at}`;

/**
 * A document's keys in the unique indexes. SQLite lets any number of documents have null there, MongoDB only one, and not every
 * server has partial indexes. So each key is one string, and a document without a value has a unique one.
 */
export function uniqueKeys(
  indexes: readonly Index[],
  id: string,
  document: JsonObject | null,
): Record<`u${number}`, string> {
  const keys: Record<`u${number}`, string> = {};
  uniqueIndexes(indexes).forEach(({ fields }, at) => {
    const values = fields.map((field) => document?.[field] ?? null);
    keys[uniqueField(at)] = values.includes(null) ? `none ${id}` : `some ${JSON.stringify(values)}`;
  });
  return keys;
}

/**
 * Checks these writes, in order, against the unique indexes before any is stored. Exact while the collection has one
 * writer.
 * @throws DocumentRefusedError
 */
export async function assertUnique(
  collection: MongoCollection<StoredDocument>,
  { name, indexes }: { readonly name: string; readonly indexes: readonly Index[] },
  writes: readonly StoredDocument[],
): Promise<void> {
  const fields = uniqueIndexes(indexes).map((_, at) => uniqueField(at));
  if (fields.length === 0 || writes.length === 0) return;
  const ids = writes.map(({ _id }) => _id);
  const wanted = fields.map((field) => ({ [field]: { $in: writes.map((write) => write[field]!) } }));
  const found = await collection.find({ $or: [{ _id: { $in: ids } }, ...wanted] }).toArray();
  const stored = new Map(found.map((document) => [document._id, document]));
  const holders = new Map(fields.map((field) => [field, new Map(found.map((each) => [each[field], each._id]))]));
  for (const write of writes) {
    const before = stored.get(write._id);
    if (before && before._pos >= write._pos) continue;
    for (const field of fields) {
      const holder = holders.get(field)!;
      if ((holder.get(write[field]) ?? write._id) !== write._id)
        throw new DocumentRefusedError(name, write._id, 'another document has its value in a unique index');
      if (before && holder.get(before[field]) === write._id) holder.delete(before[field]);
      holder.set(write[field], write._id);
    }
    stored.set(write._id, write);
  }
}
