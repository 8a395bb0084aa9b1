import type { Collection, ReadStore } from '#ports/read-store/port.js';
import type { Position } from '#ports/event-store/port.js';
import { parkedBeside } from './collection.js';
import type { ParkedKey } from './parked-key.js';

/** A projection that parks more than this is broken as a whole, and stops. */
export const MAX_PARKED = 1_000;

/**
 * The parked keys of one version of a projection, in their own collection, created with the first. They are stored
 * before the batch that skips their events, and removed after the documents have caught up.
 */
export class Parking {
  private readonly collection: Collection;
  private prepared = false;

  /** @param collection whose documents they are */
  constructor(
    collection: Collection,
    private readonly store: ReadStore,
  ) {
    this.collection = parkedBeside(collection);
  }

  /** Whether any key is parked. `drop` does not remove keys that another writer parks after this call. */
  async find(): Promise<boolean> {
    this.prepared = (await this.store.versions(this.collection.name)).length > 0;
    if (this.prepared) await this.prepare();
    return this.prepared;
  }

  async load(): Promise<readonly ParkedKey[]> {
    if (!(await this.find())) return [];
    return this.store.find<ParkedKey>(this.collection.name, { where: {}, limit: MAX_PARKED * 2 });
  }

  async save(entries: Iterable<ParkedKey>, logId: string): Promise<void> {
    await this.write(
      Array.from(entries, (entry) => ({ id: entry.key, position: positionOf(entry), document: entry })),
      logId,
    );
  }

  /** @param position up to which the key's events have been applied */
  async remove(key: string, position: Position, logId: string): Promise<void> {
    await this.write([{ id: key, position: `${position}~`, document: null }], logId);
  }

  async drop(): Promise<void> {
    if (this.prepared) await this.store.drop(this.collection);
    this.prepared = false;
  }

  private async write(
    writes: readonly { readonly id: string; readonly position: string; readonly document: ParkedKey | null }[],
    logId: string,
  ): Promise<void> {
    if (writes.length === 0) return;
    if (!this.prepared) await this.prepare();
    const position = writes.map((write) => write.position).reduce((a, b) => (a > b ? a : b));
    await this.store.write(this.collection, { writes, checkpoint: { logId, position, eventId: null } });
  }

  private async prepare(): Promise<void> {
    await this.store.prepare(this.collection);
    await this.store.activate(this.collection.name, this.collection.version);
    this.prepared = true;
  }
}

/**
 * An entry depends only on the log up to its last event and on its number of retries. So the entry that has seen more
 * wins, whoever wrote it, and a removal sorts after everything it has seen.
 */
const positionOf = ({ last, retries }: ParkedKey): string => `${last}#${String(retries).padStart(6, '0')}`;

export const TOO_MANY_PARKED = 'too_many_parked';

export class TooManyParkedError extends Error {
  override readonly name = 'TooManyParkedError';
  readonly code = TOO_MANY_PARKED;
  constructor(projection: string) {
    super(`${projection} has parked more than ${MAX_PARKED} keys: its events fail as a whole`);
  }
}
