import { randomBytes } from 'node:crypto';
import { MongoServerError, type Collection as MongoCollection, type Db } from 'mongodb';
import type { ProjectionCheckpoint, Collection, Index } from '../port.js';
import type { QueryLimits } from './connection.js';

/** A collection of the port, and the place of its documents. */
export interface CatalogedCollection {
  /** `name@version` */
  readonly _id: string;
  readonly name: string;
  readonly version: number;
  /**
   * MongoDB's collection of its documents: a new one at each creation, so that a writer that missed a drop writes into
   * an orphan.
   */
  readonly physical: string;
  /** The indexes that queries use. */
  readonly indexes: readonly Index[];
  /** Whether more indexes are being built. */
  readonly indexing?: boolean;
}

/** The last write of each batch, compared and set by its revision. */
export interface StoredCheckpoint {
  /** The collection's `physical`. */
  readonly _id: string;
  /** Counts the batches. */
  readonly revision: number;
  readonly checkpoint: ProjectionCheckpoint | null;
  /** Counters that the last batch changed: see counters.ts. */
  readonly counters: readonly { readonly key: string; readonly value: number }[];
}

/** Prefix of all these collections. Another release's format has another prefix, and is rebuilt from the log. */
const PREFIX = 'read1_';

/** Milliseconds for which queries trust the version that was active. */
const TRUSTED_MS = 1_000;

/** The collections, the active version of each, and their checkpoints. */
export class CollectionCatalog {
  readonly checkpoints: MongoCollection<StoredCheckpoint>;
  private readonly entries: MongoCollection<CatalogedCollection>;
  private readonly active: MongoCollection<{ readonly _id: string; readonly version: number }>;
  private readonly known = new Map<string, { readonly entry: CatalogedCollection; readonly at: number }>();

  constructor(private readonly database: Db) {
    this.entries = database.collection(`${PREFIX}collections`);
    this.active = database.collection(`${PREFIX}active`);
    this.checkpoints = database.collection(`${PREFIX}checkpoints`);
  }

  entry(name: string, version: number): Promise<CatalogedCollection | null> {
    return this.entries.findOne({ _id: entryId(name, version) });
  }

  async versions(name: string): Promise<readonly number[]> {
    return (await this.entries.find({ name }).toArray()).map(({ version }) => version);
  }

  async names(): Promise<readonly string[]> {
    return [...new Set((await this.entries.find().toArray()).map(({ name }) => name))];
  }

  /**
   * Records a new collection.
   * @returns the entry of another writer, if it was faster
   */
  async make({ name, version, indexes }: Collection): Promise<CatalogedCollection> {
    const _id = entryId(name, version);
    const physical = `${PREFIX}${name}-v${version}-${randomBytes(4).toString('hex')}`;
    // The checkpoint is written first, because every known collection has one.
    await this.checkpoints.insertOne({ _id: physical, revision: 0, checkpoint: null, counters: [] });
    try {
      const entry = { _id, name, version, physical, indexes };
      await this.entries.insertOne(entry);
      return entry;
    } catch (error) {
      if (!isDuplicateKey(error)) throw error;
      await this.checkpoints.deleteOne({ _id: physical });
      return (await this.entry(name, version)) ?? this.make({ name, version, indexes });
    }
  }

  async setIndexes({ _id, physical }: CatalogedCollection, indexes: readonly Index[], indexing = false): Promise<void> {
    await this.entries.updateOne({ _id, physical }, { $set: { indexes, indexing } });
    this.known.clear();
  }

  /** Removes the entry first, then the collection. */
  async drop({ _id, physical }: CatalogedCollection): Promise<void> {
    this.known.clear();
    await this.entries.deleteOne({ _id, physical });
    await this.remove(physical);
  }

  async activeVersions(): Promise<ReadonlyMap<string, number>> {
    return new Map((await this.active.find().toArray()).map(({ _id, version }) => [_id, version]));
  }

  async activate(name: string, version: number): Promise<void> {
    const set = () => this.active.replaceOne({ _id: name }, { version }, { upsert: true });
    // If two insert at once, the second try finds the document.
    await set().catch((error: unknown) => {
      if (!isDuplicateKey(error)) throw error;
      return set();
    });
    this.known.clear();
  }

  /** The version that answers queries, as of a moment ago; null if none was known. */
  recentlyActive(name: string): CatalogedCollection | null {
    const known = this.known.get(name);
    return known && performance.now() - known.at < TRUSTED_MS ? known.entry : null;
  }

  /** The version that answers queries now. */
  async activeEntry(name: string, limits: QueryLimits): Promise<CatalogedCollection | null> {
    const at = performance.now();
    const [active, entries] = await Promise.all([
      this.active.findOne({ _id: name }, limits),
      this.entries.find({ name }, limits).toArray(),
    ]);
    const entry = entries.find(({ version }) => version === active?.version) ?? null;
    if (entry) this.known.set(name, { entry, at });
    else this.known.delete(name);
    return entry;
  }

  /** Removes collections without an entry, which a crash left, or a writer that missed a drop. */
  async removeOrphans(): Promise<void> {
    // Collections are listed before entries, since an entry is created before the collection it names.
    const there = await this.database.listCollections({}, { nameOnly: true }).toArray();
    const owned = new Set((await this.entries.find().toArray()).map(({ physical }) => physical));
    const physicals = there.map(({ name }) => /^(read1_.+-v\d+-[0-9a-f]{8})(-counters)?$/.exec(name)?.[1]);
    for (const physical of new Set(physicals))
      if (physical !== undefined && !owned.has(physical)) await this.remove(physical);
  }

  private async remove(physical: string): Promise<void> {
    for (const name of [physical, countersOf(physical)])
      await this.database
        .collection(name)
        .drop()
        .catch((error: unknown) => {
          if (!isMissing(error)) throw error;
        });
    await this.checkpoints.deleteOne({ _id: physical });
  }
}

export const countersOf = (physical: string): string => `${physical}-counters`;

const entryId = (name: string, version: number): string => `${name}@${version}`;

const isDuplicateKey = (error: unknown): boolean => error instanceof MongoServerError && error.code === 11000;

/** NamespaceNotFound; one of the stand-ins has no code. */
export const isMissing = (error: unknown): boolean =>
  error instanceof MongoServerError && (error.code === 26 || /\bns (not found|does not exist)/.test(error.message));
