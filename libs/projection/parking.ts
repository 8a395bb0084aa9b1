import type { Checkpoint, Collection, ReadStore } from '#read-store/port.js';
import { parkedBeside } from './collection.js';
import type { ParkedKey } from './parked-key.js';

/** A projection that parks more than this is broken as a whole, and stops. */
export const MOST_PARKED = 1_000;

/**
 * The parked keys of one version of a projection, in a collection of their own, made when the first is parked. They are
 * stored before the batch that skips their events, and removed after the documents that caught up.
 */
export class Parking {
  private readonly collection: Collection;
  private prepared = false;
  /** Writes of this collection are numbered by themselves: a key can be parked again at the same place in the log. */
  private writes = 0;

  /** @param collection whose documents they are */
  constructor(
    collection: Collection,
    private readonly store: ReadStore,
  ) {
    this.collection = parkedBeside(collection);
  }

  async load(): Promise<readonly ParkedKey[]> {
    this.prepared = (await this.store.versions(this.collection.name)).length > 0;
    if (!this.prepared) return [];
    this.writes = Number((await this.store.checkpoint(this.collection))?.position ?? 0);
    const found = await this.store.find<ParkedKey>(this.collection.name, { where: {}, limit: MOST_PARKED * 2 });
    return found;
  }

  async save(entries: Iterable<ParkedKey>, logId: string): Promise<void> {
    await this.write(
      Array.from(entries, (entry) => ({ id: entry.key, document: entry })),
      logId,
    );
  }

  async remove(key: string, logId: string): Promise<void> {
    await this.write([{ id: key, document: null }], logId);
  }

  async drop(): Promise<void> {
    await this.store.drop(this.collection);
    this.prepared = false;
  }

  private async write(
    entries: readonly { readonly id: string; readonly document: ParkedKey | null }[],
    logId: string,
  ): Promise<void> {
    if (entries.length === 0) return;
    if (!this.prepared) {
      await this.store.prepare(this.collection);
      await this.store.activate(this.collection.name, this.collection.version);
      this.prepared = true;
    }
    this.writes += 1;
    const position = String(this.writes).padStart(16, '0');
    const checkpoint: Checkpoint = { logId, position, eventId: null };
    await this.store.write(this.collection, {
      writes: entries.map((entry) => ({ ...entry, position })),
      checkpoint,
    });
  }
}
