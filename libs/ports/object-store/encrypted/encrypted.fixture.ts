import { randomBytes } from 'node:crypto';
import type { ObjectStore } from '../port.js';
import type { NamedKeys } from './encrypted-objects.js';

/** Keys in memory. */
export class KeysInMemory implements NamedKeys {
  readonly keys = new Map<string, Uint8Array>();
  encrypts = true;

  async named(name: string): Promise<Uint8Array | null> {
    return this.keys.get(name) ?? null;
  }

  async make(name: string): Promise<Uint8Array | null> {
    if (!this.encrypts) return null;
    if (!this.keys.has(name)) this.keys.set(name, randomBytes(32));
    return this.keys.get(name)!;
  }

  async destroyNamed(name: string): Promise<void> {
    this.keys.delete(name);
  }
}

/** The store below a folder of datasets, whose objects are encrypted. */
export function below(folder: string, store: ObjectStore): ObjectStore {
  const at = (key: string) => (key === '' || key.startsWith('/') ? key : `${folder}${key}`);
  const without = <T extends { readonly key: string }>(stored: T): T => ({
    ...stored,
    key: stored.key.slice(folder.length),
  });
  return {
    put: async (key, content, options) => without(await store.put(at(key), content, options)),
    get: (key, range) => store.get(at(key), range),
    stat: (key) => store.stat(at(key)),
    seal: async (from, to, options) => without(await store.seal(at(from), at(to), options)),
    async *list(prefix) {
      for await (const found of store.list(`${folder}${prefix}`)) yield without(found);
    },
    delete: (key) => store.delete(at(key)),
    deletePrefix: (prefix) => store.deletePrefix(`${folder}${prefix}`),
    presignPut: (key, options) => store.presignPut(at(key), options),
    presignGet: (key, options) => store.presignGet(at(key), options),
    close: () => store.close(),
  };
}
