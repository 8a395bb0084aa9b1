import { MongoBulkWriteError, type AnyBulkWriteOperation, type Collection, type OptionalId } from 'mongodb';
import { ReadStoreConflictError } from '../port.js';

/** A write that takes effect only over a lower `_pos`. */
export interface Guarded {
  readonly _id: string;
  readonly _pos: string | number;
}

interface GuardedWriteOptions {
  /** Ids that are probably missing, for which an insert is cheaper. */
  readonly absent?: ReadonlySet<string>;
  /** Runs the writes in order, if one may have to make way for the next. */
  readonly ordered?: boolean;
}

/**
 * Writes each document that is new, or whose stored position is lower. Everything else here relies on this being
 * repeatable, in part or as a whole. A duplicate key error means that some document exists, not which: some servers do
 * not name the index, and some abort an unordered group there. So missing documents are looked up and written again.
 * @throws ReadStoreConflictError a unique index is violated, through another writer
 */
export async function writeGuarded<T extends Guarded>(
  collection: Collection<T>,
  writes: readonly T[],
  { absent = new Set(), ordered = false }: GuardedWriteOptions = {},
): Promise<void> {
  let waiting = highestOfEach(writes);
  let inserting = absent;
  while (waiting.length > 0) {
    try {
      await collection.bulkWrite(
        waiting.map((write) => operation(write, inserting.has(write._id))),
        { ordered },
      );
      return;
    } catch (error) {
      if (!isDuplicateKey(error)) throw error;
    }
    const left = await lower(collection, waiting);
    const inserted = waiting.some(({ _id }) => inserting.has(_id));
    if (left.length === waiting.length && !inserted)
      throw new ReadStoreConflictError(
        `${collection.collectionName} already has a value of ${left[0]!._id} in a unique index`,
      );
    waiting = left;
    inserting = new Set();
  }
}

/** Later writes to the same document win. */
function highestOfEach<T extends Guarded>(writes: readonly T[]): readonly T[] {
  const highest = new Map<string, T>();
  for (const write of writes) {
    const other = highest.get(write._id);
    if (!other || other._pos < write._pos) highest.set(write._id, write);
  }
  return highest.size === writes.length ? writes : [...highest.values()];
}

function operation<T extends Guarded>(write: T, insert: boolean): AnyBulkWriteOperation<T> {
  if (insert) return { insertOne: { document: write as unknown as OptionalId<T> } };
  const { _id, _pos } = write;
  const filter = { _id, _pos: { $lt: _pos } };
  return { replaceOne: { filter, replacement: write, upsert: true } } as unknown as AnyBulkWriteOperation<T>;
}

async function lower<T extends Guarded>(collection: Collection<T>, writes: readonly T[]): Promise<readonly T[]> {
  const filter = { _id: { $in: writes.map(({ _id }) => _id) } } as object;
  const found = await collection.find<Guarded>(filter, { projection: { _pos: 1 } }).toArray();
  const stored = new Map(found.map(({ _id, _pos }) => [_id, _pos]));
  return writes.filter(({ _id, _pos }) => {
    const there = stored.get(_id);
    return there === undefined || there < _pos;
  });
}

const DUPLICATE_KEY = 11000;

function isDuplicateKey(error: unknown): boolean {
  if (!(error instanceof MongoBulkWriteError) || error.result.getWriteConcernError()) return false;
  const failed = [error.writeErrors].flat();
  // The driver also reports a broken network in this form: then no single write has failed.
  return failed.length > 0 ? failed.every(({ code }) => code === DUPLICATE_KEY) : error.code === DUPLICATE_KEY;
}
