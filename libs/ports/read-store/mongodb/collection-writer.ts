import { createHash } from 'node:crypto';
import type { Collection as MongoCollection, Db, IndexDescription } from 'mongodb';
import { assertIndexable, fieldsOf } from '../indexes.js';
import {
  DocumentRefusedError,
  ReadStoreConflictError,
  type DocumentWrite,
  type Index,
  type LoadedDocument,
  type WriteBatch,
} from '../port.js';
import {
  countersOf,
  isMissing,
  type CollectionCatalog,
  type CatalogedCollection,
  type StoredCheckpoint,
} from './catalog.js';
import { writeGuarded, type Guarded } from './guarded-writes.js';
import { indexKey } from './queries.js';
import { bytesTooMany, documentOf, storedFields, wellFormed, type StoredDocument } from './stored-document.js';
import { indexedWords, wordIndexOf } from '../words.js';
import { assertUnique, uniqueField, uniqueIndexes, uniqueKeys } from './unique.js';

/** Tombstones are kept for as long as a writer may have been suspended since it read. */
const TOMBSTONE_MS = 24 * 3600 * 1000;
const CLEAR_EVERY_REMOVALS = 1_000;
/** Number of ids remembered as missing. */
const MAX_ABSENT = 20_000;

/**
 * Writes one collection for one writer, from `prepare` on. A batch is stored without a transaction, in this order:
 *
 * 1. documents, the first ones before the others, each over a lower position only, and the counters of the batch before;
 * 2. checkpoint, counters of this batch and revision, in one document, if that still has the revision that this writer
 * knows.
 *
 * A document at a position follows from the log up to there, whoever wrote it. So a batch that ended within step 1, by
 * a crash or because another writer was faster, leaves documents that the next batch would write as well: a writer that
 * continues from the checkpoint finds those documents ahead of it, and skips their events.
 *
 * Counters become visible with the checkpoint, since they are in the same document; they move on to documents of their
 * own before the next ones take their place there. They only rise, so these too are guarded by their value. They are
 * read as of the checkpoint that this writer knows, or not at all.
 */
export class CollectionWriter {
  private readonly documents: MongoCollection<StoredDocument>;
  private readonly counterDocuments: MongoCollection<Guarded>;
  private readonly fields: readonly string[];
  private readonly hasUnique: boolean;
  private readonly absent = new Set<string>();
  private removals = 0;

  private constructor(
    private readonly database: Db,
    private readonly catalog: CollectionCatalog,
    readonly entry: CatalogedCollection,
    /** As this writer last read or stored it. */
    private stored: StoredCheckpoint,
  ) {
    this.documents = database.collection(entry.physical);
    this.counterDocuments = database.collection(countersOf(entry.physical));
    this.fields = fieldsOf(entry.indexes);
    this.hasUnique = uniqueIndexes(entry.indexes).length > 0;
  }

  /** Makes the indexes of a new collection. @returns null if the entry's collection is missing or differs */
  static async open(
    database: Db,
    catalog: CollectionCatalog,
    entry: CatalogedCollection,
    isNew: boolean,
  ): Promise<{ readonly writer: CollectionWriter; readonly missing: readonly IndexDescription[] } | null> {
    const documents = database.collection<StoredDocument>(entry.physical);
    const there = await indexNames(documents);
    if (there.length === 0 && !isNew) return null;
    const wanted = [{ name: 'goneAt', key: { goneAt: 1 as const }, sparse: true }, ...entry.indexes.map(description)];
    unique(entry.indexes).forEach((each) => wanted.push(each));
    const missing = wanted.filter(({ name }) => !there.includes(name));
    if (isNew && missing.length > 0) await documents.createIndexes(missing);
    const stored = await catalog.checkpoints.findOne({ _id: entry.physical });
    if (!stored) return null;
    const writer = new CollectionWriter(database, catalog, entry, stored);
    await writer.clearTombstones();
    return { writer, missing: isNew ? [] : missing };
  }

  /** @throws DocumentRefusedError, ReadStoreConflictError */
  async write({ first = [], writes, counters = new Map(), checkpoint }: WriteBatch): Promise<void> {
    const earlier = first.map((write) => this.toStore(write));
    const documents = writes.map((write) => this.toStore(write));
    if (this.hasUnique) await assertUnique(this.documents, this.entry, documents);
    if (earlier.length > 0) await writeGuarded(this.documents, earlier, { absent: this.absent });
    await allOf([
      writeGuarded(this.documents, documents, { absent: this.absent, ordered: this.hasUnique }),
      writeGuarded(
        this.counterDocuments,
        this.stored.counters.map(({ key, value }) => ({ _id: key, _pos: value })),
      ),
    ]);
    for (const { _id } of [...earlier, ...documents]) this.absent.delete(_id);
    await this.storeCheckpoint({
      _id: this.entry.physical,
      revision: this.stored.revision + 1,
      checkpoint,
      counters: Array.from(counters, ([key, value]) => ({ key: wellFormed(key), value })),
    });
    this.removals += documents.filter(({ gone }) => gone).length;
    if (this.removals >= CLEAR_EVERY_REMOVALS) await this.clearTombstones();
  }

  async load(ids: readonly string[]): Promise<Map<string, LoadedDocument>> {
    const found = await loadFrom(this.documents, ids);
    if (this.absent.size > MAX_ABSENT) this.absent.clear();
    for (const id of ids) if (!found.has(id)) this.absent.add(wellFormed(id));
    return found;
  }

  counters(keys: readonly string[]): Promise<Map<string, number>> {
    return loadCounters(this.database, this.catalog, this.entry, keys, this.stored.revision);
  }

  private toStore({ id, position, document }: DocumentWrite): StoredDocument {
    const { name, indexes } = this.entry;
    const keys = this.hasUnique ? uniqueKeys(indexes, id, document) : {};
    const _id = wellFormed(id);
    if (document === null) return { _id, _pos: position, gone: true, goneAt: new Date(), ...keys };
    assertIndexable(name, this.fields, id, document);
    const index = wordIndexOf(indexes);
    const words = index && { w: indexedWords(document, index.words) };
    const stored = { _id, _pos: position, ...storedFields(document), ...keys, ...words };
    const tooMany = bytesTooMany(stored);
    if (tooMany > 0)
      throw new DocumentRefusedError(name, id, `it is ${tooMany} bytes larger than the maximum of a MongoDB document`);
    return stored;
  }

  private async storeCheckpoint(next: StoredCheckpoint): Promise<void> {
    const { revision } = this.stored;
    const { matchedCount } = await this.catalog.checkpoints.replaceOne({ _id: next._id, revision }, next);
    if (matchedCount !== 1) throw lostTo(this.entry.name, this.entry.version);
    this.stored = next;
  }

  /** Removes tombstones. A failure costs only disk space until the next time, so that it fails nothing else. */
  private async clearTombstones(): Promise<void> {
    this.removals = 0;
    const before = new Date(Date.now() - TOMBSTONE_MS);
    await this.documents.deleteMany({ goneAt: { $lt: before } }).catch(() => undefined);
  }
}

const lostTo = (name: string, version: number) =>
  new ReadStoreConflictError(`another writer has gone on with ${name} version ${version}`);

/** Documents and tombstones by id. */
export async function loadFrom(
  collection: MongoCollection<StoredDocument>,
  ids: readonly string[],
): Promise<Map<string, LoadedDocument>> {
  const loaded = new Map<string, LoadedDocument>();
  if (ids.length === 0) return loaded;
  const found = await collection.find({ _id: { $in: ids.map(wellFormed) } }).toArray();
  const byId = new Map(found.map((stored) => [stored._id, stored]));
  for (const id of ids) {
    const stored = byId.get(wellFormed(id));
    if (stored) loaded.set(id, { position: stored._pos, document: documentOf(stored) });
  }
  return loaded;
}

/**
 * Counters as of the checkpoint.
 * @param revision of the checkpoint that the caller knows: numbers based on another writer's counters would be wrong,
 * and could be stored before its own checkpoint fails
 * @throws ReadStoreConflictError the checkpoint has another revision
 */
export async function loadCounters(
  database: Db,
  catalog: CollectionCatalog,
  { physical, name, version }: CatalogedCollection,
  keys: readonly string[],
  revision?: number,
): Promise<Map<string, number>> {
  const ids = new Map(keys.map((key) => [wellFormed(key), key]));
  const documents = database.collection<Guarded>(countersOf(physical));
  const moved = await documents.find({ _id: { $in: [...ids.keys()] } }).toArray();
  // Read last: while it is the same, nothing has moved on.
  const stored = await catalog.checkpoints.findOne({ _id: physical });
  if (revision !== undefined && stored?.revision !== revision) throw lostTo(name, version);
  const found = [...moved.map(({ _id, _pos }) => [_id, _pos as number] as const)];
  for (const { key, value } of stored?.counters ?? []) found.push([key, value]);
  const counters = new Map<string, number>();
  for (const [id, value] of found) if (ids.has(id)) counters.set(ids.get(id)!, value);
  return counters;
}

async function indexNames(collection: MongoCollection<StoredDocument>): Promise<readonly string[]> {
  try {
    return (await collection.listIndexes().toArray()).map(({ name }) => name as string);
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

const description = (index: Index): IndexDescription & { name: string } => ({
  name: indexName(index.words ? [...index.fields, 'words'] : index.fields),
  key: indexKey(index),
});

const unique = (indexes: readonly Index[]) =>
  uniqueIndexes(indexes).map((_, at) => ({
    name: `unique_${at}`,
    key: { [uniqueField(at)]: 1 as const },
    unique: true,
  }));

/** Servers before 4.2 limit names to 127 bytes, the collection's included. */
function indexName(fields: readonly string[]): string {
  const name = `by_${fields.join('_')}`;
  return name.length <= 40
    ? name
    : `${name.slice(0, 31)}_${createHash('sha256').update(name).digest('hex').slice(0, 8)}`;
}

/** Waits for all, then throws the first failure: no step is still running when the caller continues. */
async function allOf(steps: readonly Promise<void>[]): Promise<void> {
  const results = await Promise.allSettled(steps);
  for (const result of results) if (result.status === 'rejected') throw result.reason;
}
