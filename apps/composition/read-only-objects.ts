import { ConflictError } from '#domain/errors.js';
import { ObjectNotFoundError, type ObjectStore } from '#ports/object-store/port.js';

const WRITES = ['put', 'seal', 'delete', 'deletePrefix', 'acceptPut'] as const;

/**
 * The same objects, read-only. Rows of datasets that were deleted since `then` are distinguished from lost ones.
 * @param then the time, in words
 */
export function readOnlyObjects<Store extends ObjectStore>(store: Store, then: string): Store {
  const refuse = () =>
    Promise.reject(
      new ConflictError(
        `the view of the system as it was at ${then} is read only, and this request would write a file; ask the running system`,
      ),
    );
  const get: ObjectStore['get'] = async (key, range) => {
    try {
      return await store.get(key, range);
    } catch (error) {
      throw error instanceof ObjectNotFoundError && isOfDataset(key) ? deletedSince(then) : error;
    }
  };
  const stat: ObjectStore['stat'] = async (key) => {
    const found = await store.stat(key);
    if (found === null && isOfDataset(key)) throw deletedSince(then);
    return found;
  };
  const replaced = new Map<string | symbol, unknown>([
    ...WRITES.filter((name) => name in store).map((name) => [name, refuse] as const),
    ['get', get],
    ['stat', stat],
  ]);
  return new Proxy(store, {
    get(target, name) {
      const member: unknown = replaced.get(name) ?? Reflect.get(target, name, target);
      return typeof member === 'function' ? (member.bind(target) as unknown) : member;
    },
  });
}

const isOfDataset = (key: string): boolean => key.startsWith('datasets/');

const deletedSince = (then: string): ConflictError =>
  new ConflictError(
    `these rows were deleted after ${then}; the view as of then reads only files that are still stored`,
  );
