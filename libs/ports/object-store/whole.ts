import { createHash } from 'node:crypto';
import { FairSlots } from '#primitives/fair-share/fair-slots.js';
import { ObjectDamagedError, ObjectNotFoundError, type ObjectStore, type StoredObject } from './port.js';

/** An object is missing, or is not the one that the log names. */
export class DamagedObjectError extends Error {
  override readonly name = 'DamagedObjectError';
  constructor(
    readonly key: string,
    readonly isMissing: boolean,
  ) {
    super(isMissing ? 'is no longer stored' : 'is damaged: its sha256 is not the recorded one');
  }
}

type Store = Pick<ObjectStore, 'get' | 'stat'>;

/** A disk may lose bits without changing a file's times, so an object is verified again after this. */
const MAX_TRUST_MS = 60 * 60 * 1000;
const MAX_REMEMBERED = 10_000;
/** Reading and hashing takes half a second a GiB, in steps of a quarter MiB. */
const MAX_AT_ONCE = 2;

/** Findings of this process about the objects of a store. */
class Checks {
  readonly damaged = new Set<string>();
  private readonly whole = new Map<string, { readonly version: string; readonly at: number }>();
  private readonly underWay = new Map<string, Promise<void>>();
  private readonly slots = new FairSlots(MAX_AT_ONCE);

  constructor(private readonly store: Store) {}

  async require({ key, size, sha256 }: StoredObject): Promise<void> {
    const found = await this.store.stat(key);
    if (found?.size !== size) throw this.damage(key, found === null);
    const known = this.whole.get(key);
    if (known?.version === found.version && performance.now() - known.at < MAX_TRUST_MS) return;
    const name = JSON.stringify([key, sha256, found.version]);
    let check = this.underWay.get(name);
    if (!check) {
      const hashing = () => this.hash(key, sha256, found.version);
      check = this.slots.run(workspaceIn(key), hashing).finally(() => this.underWay.delete(name));
      this.underWay.set(name, check);
    }
    await check;
  }

  private async hash(key: string, sha256: string, version: string): Promise<void> {
    this.whole.delete(key);
    const hash = createHash('sha256');
    try {
      for await (const chunk of await this.store.get(key)) hash.update(chunk);
    } catch (error) {
      const isMissing = error instanceof ObjectNotFoundError;
      throw isMissing || error instanceof ObjectDamagedError ? this.damage(key, isMissing) : error;
    }
    if (hash.digest('hex') !== sha256) throw this.damage(key, false);
    this.damaged.delete(key);
    if (this.whole.size >= MAX_REMEMBERED) this.whole.clear();
    this.whole.set(key, { version, at: performance.now() });
  }

  private damage(key: string, isMissing: boolean): DamagedObjectError {
    if (this.damaged.size < MAX_REMEMBERED) this.damaged.add(key);
    return new DamagedObjectError(key, isMissing);
  }
}

/** Keys of datasets are `datasets/<workspace>/...`. */
const workspaceIn = (key: string): string => key.split('/')[1] ?? '';

const checksByStore = new WeakMap<Store, Checks>();

function checksOf(store: Store): Checks {
  let checks = checksByStore.get(store);
  if (!checks) checksByStore.set(store, (checks = new Checks(store)));
  return checks;
}

/**
 * Verifies the whole object before any part of it is used, unless this process has done so and the object is unchanged.
 * @throws DamagedObjectError
 */
export const requireWhole = (store: Store, object: StoredObject): Promise<void> => checksOf(store).require(object);

/** Number of objects found damaged by this process's last check. */
export const damagedObjects = (store: Store): number => checksByStore.get(store)?.damaged.size ?? 0;
