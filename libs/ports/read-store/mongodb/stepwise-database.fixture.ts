import type { Collection, Db, Document, FindCursor } from 'mongodb';

/** Called before each step, and after each that writes; it may wait, or throw as a crash would. */
export type Step = (kind: 'read' | 'write') => Promise<void>;

const WRITES: ReadonlySet<string | symbol> = new Set([
  'insertOne',
  'replaceOne',
  'updateOne',
  'deleteOne',
  'deleteMany',
  'createIndexes',
  'drop',
]);

/** A database whose bulk writes go one document at a time. */
export function stepwise(database: Db, step: Step): Db {
  return new Proxy(database, {
    get(target, property) {
      if (property === 'collection') return (name: string) => stepwiseCollection(target.collection(name), step);
      const value: unknown = Reflect.get(target, property, target);
      return typeof value === 'function' ? (value as () => unknown).bind(target) : value;
    },
  });
}

type Method = (...args: unknown[]) => Promise<unknown>;

function stepwiseCollection(collection: Collection, step: Step): Collection {
  const written = async (write: () => Promise<unknown>) => {
    await step('write');
    const result = await write();
    await step('write');
    return result;
  };
  /** Continues after an error and fails at the end, as MongoDB's unordered groups do. */
  const bulkWrite = async (operations: readonly Document[], { ordered }: { readonly ordered: boolean }) => {
    const errors: unknown[] = [];
    for (const operation of operations) {
      await step('write');
      try {
        await collection.bulkWrite([operation as never], { ordered });
      } catch (error) {
        if (ordered) throw error;
        errors.push(error);
      }
    }
    await step('write');
    if (errors.length > 0) throw errors[0];
  };
  const find = (...args: Parameters<Collection['find']>): FindCursor => {
    const cursor = collection.find(...args);
    const toArray = cursor.toArray.bind(cursor);
    cursor.toArray = () => step('read').then(toArray);
    return cursor as FindCursor;
  };
  return new Proxy(collection, {
    get(target, property) {
      if (property === 'bulkWrite') return bulkWrite;
      if (property === 'find') return find;
      const value: unknown = Reflect.get(target, property, target);
      if (typeof value !== 'function') return value;
      const method = (value as Method).bind(target);
      if (WRITES.has(property)) return (...args: unknown[]) => written(() => method(...args));
      if (property === 'findOne') return (...args: unknown[]) => step('read').then(() => method(...args));
      return method;
    },
  });
}
