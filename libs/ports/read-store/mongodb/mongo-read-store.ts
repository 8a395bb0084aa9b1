import type { JsonObject } from '#domain/json.js';
import { Groups, groupingFields } from '../grouping.js';
import { assertCollectionName, assertSummable, fieldsOf, isIndexableName } from '../indexes.js';
import {
  NotBuiltError,
  QueryNotIndexedError,
  ReadStoreUnavailableError,
  type ProjectionCheckpoint,
  type Collection,
  type Group,
  type Grouping,
  type Index,
  type LoadedDocument,
  type Query,
  type ReadStore,
  type Scalar,
  type WriteBatch,
} from '../port.js';
import { CollectionCatalog, type CatalogedCollection } from './catalog.js';
import { CollectionWriter, loadCounters, loadFrom } from './collection-writer.js';
import type { MongoConnection, QueryLimits } from './connection.js';
import { LateIndexes } from './late-indexes.js';
import { countFilter, findCommand, sumStages } from './queries.js';
import { documentOf, wellFormed, type StoredDocument } from './stored-document.js';
import { uniqueIndexes } from './unique.js';

/** Documents of a grouping that come in one message. */
const GROUPED_BATCH = 1_000;

/**
 * The read store on MongoDB (replica sets, 4.4 or later), in one database: a small catalog, and a collection for each
 * version of each of the port's collections. No transactions: collection-writer.ts explains how a batch stays whole.
 */
export class MongoReadStore implements ReadStore {
  private readonly catalog: CollectionCatalog;
  private readonly writers = new Map<string, CollectionWriter>();
  private readonly lateIndexes: LateIndexes;

  /** @param connection closed together with the store */
  constructor(private readonly connection: MongoConnection) {
    this.catalog = new CollectionCatalog(this.connection.database);
    this.lateIndexes = new LateIndexes(this.connection, this.catalog);
  }

  async get<T extends JsonObject>(name: string, id: string): Promise<T | null> {
    const found = await this.ask(
      name,
      (entry, limits) => this.documents(entry).findOne({ _id: wellFormed(id), gone: { $exists: false } }, limits),
      (document) => document === null,
    );
    return found && (documentOf(found) as T | null);
  }

  async find<T extends JsonObject>(name: string, query: Query): Promise<readonly T[]> {
    const found = await this.ask(
      name,
      (entry, limits) => this.findIn(entry, query, limits),
      (documents) => documents.length === 0,
    );
    return found.map((stored) => documentOf(stored) as T | null).filter((document) => document !== null);
  }

  async count(name: string, query: Pick<Query, 'where' | 'range' | 'filter'>): Promise<number> {
    const count = await this.ask(
      name,
      (entry, limits) => this.documents(entry).countDocuments(countFilter(entry.name, entry.indexes, query), limits),
      (documents) => documents === 0,
    );
    return count;
  }

  async sum(name: string, query: Pick<Query, 'where'>, fields: readonly string[]): Promise<readonly number[]> {
    const sums = await this.ask(
      name,
      async (entry, limits) => {
        const stages = sumStages(entry.name, entry.indexes, query, fields);
        const [row] = await this.documents(entry).aggregate<Record<string, number>>(stages, limits).toArray();
        return fields.map((_, place) => row?.[`sum${place}`] ?? 0);
      },
      (found) => found.every((each) => each === 0),
    );
    return sums;
  }

  async group(
    name: string,
    query: Pick<Query, 'where' | 'range' | 'filter'>,
    grouping: Grouping,
  ): Promise<readonly Group[] | null> {
    const groups = await this.ask(
      name,
      (entry, limits) => this.groupsIn(entry, query, grouping, limits),
      (found) => found.isEmpty,
    );
    return groups.result();
  }

  /** Counts here, from the fields alone: in small batches, between which others are served. */
  private async groupsIn(
    entry: CatalogedCollection,
    query: Pick<Query, 'where' | 'range' | 'filter'>,
    grouping: Grouping,
    limits: QueryLimits,
  ) {
    const groups = new Groups(grouping);
    const fields = groupingFields(grouping);
    assertSummable(entry.name, entry.indexes, fields);
    const projection = Object.fromEntries(fields.map((field) => [`f.${field}`, 1]));
    const documents = this.documents(entry)
      .find(countFilter(entry.name, entry.indexes, query), { projection: { ...projection, _id: 1 }, ...limits })
      .batchSize(GROUPED_BATCH);
    for await (const { f = {} } of documents) {
      groups.add((place) => (f[fields[place]!] ?? null) as Scalar);
      if (groups.isFull) break;
    }
    return groups;
  }

  async prepare(collection: Collection): Promise<void> {
    const { name, indexes } = collection;
    assertCollectionName(name);
    const unfit = fieldsOf(indexes).find((field) => !isIndexableName(field));
    if (unfit !== undefined) throw new RangeError(`${JSON.stringify(unfit)} cannot be indexed`);
    await this.connection.attempt(async () => {
      this.writers.delete(keyOf(collection));
      let writer: CollectionWriter | null = null;
      while (writer === null) writer = await this.ready(collection);
      this.writers.set(keyOf(collection), writer);
    });
  }

  async write(collection: Collection, batch: WriteBatch): Promise<void> {
    const writer = this.writers.get(keyOf(collection));
    if (!writer)
      throw new RangeError(`collection ${collection.name} version ${collection.version} has not been prepared here`);
    this.lateIndexes.check(writer.entry);
    await this.connection.attempt(() => writer.write(batch));
  }

  async load(collection: Collection, ids: readonly string[]): Promise<ReadonlyMap<string, LoadedDocument>> {
    return this.connection.attempt(async () => {
      const writer = this.writers.get(keyOf(collection));
      if (writer) return writer.load(ids);
      const entry = await this.catalog.entry(collection.name, collection.version);
      return entry ? loadFrom(this.documents(entry), ids) : new Map<string, LoadedDocument>();
    });
  }

  async counters(collection: Collection, keys: readonly string[]): Promise<ReadonlyMap<string, number>> {
    return this.connection.attempt(async () => {
      const writer = this.writers.get(keyOf(collection));
      if (writer) return writer.counters(keys);
      const entry = await this.catalog.entry(collection.name, collection.version);
      return entry ? loadCounters(this.connection.database, this.catalog, entry, keys) : new Map<string, number>();
    });
  }

  async checkpoint({ name, version }: Collection): Promise<ProjectionCheckpoint | null> {
    return this.connection.attempt(async () => {
      const entry = await this.catalog.entry(name, version);
      const stored = entry && (await this.catalog.checkpoints.findOne({ _id: entry.physical }));
      return stored?.checkpoint ?? null;
    });
  }

  /** The server reuses the space of replaced documents when it needs room. */
  async scrub(): Promise<void> {}

  async drop(collection: Collection): Promise<void> {
    const writer = this.writers.get(keyOf(collection));
    this.writers.delete(keyOf(collection));
    await this.connection.attempt(async () => {
      const entry = writer?.entry ?? (await this.catalog.entry(collection.name, collection.version));
      if (entry) await this.catalog.drop(entry);
    });
  }

  activeVersions(): Promise<ReadonlyMap<string, number>> {
    return this.connection.attempt(() => this.catalog.activeVersions());
  }

  activate(name: string, version: number): Promise<void> {
    return this.connection.attempt(() => this.catalog.activate(name, version));
  }

  versions(name: string): Promise<readonly number[]> {
    return this.connection.attempt(() => this.catalog.versions(name));
  }

  names(): Promise<readonly string[]> {
    return this.connection.attempt(() => this.catalog.names());
  }

  /** Removes leftovers of a crash. */
  removeOrphans(): Promise<void> {
    return this.connection.attempt(() => this.catalog.removeOrphans());
  }

  async close(): Promise<void> {
    await this.lateIndexes.close();
    await this.connection.close();
  }

  /**
   * Asks the version that answers queries. It need not be looked up each time: a dropped one finds nothing, and only
   * then is it looked up again, or when it lacks an index, which may be new.
   */
  private ask<T>(
    name: string,
    question: (entry: CatalogedCollection, limits: QueryLimits) => Promise<T>,
    isNothing: (answer: T) => boolean,
  ): Promise<T> {
    return this.connection.attempt(async (limits) => {
      const answerOf = async (entry: CatalogedCollection) => question(entry, limits);
      const recent = this.catalog.recentlyActive(name);
      const answer = recent && (await answerOf(recent).catch(nullIfNotIndexed));
      if (answer !== null && !isNothing(answer)) return answer;
      const now = await this.catalog.activeEntry(name, limits);
      if (now === null) throw new NotBuiltError(name);
      if (answer !== null && now.physical === recent?.physical) return answer;
      return answerOf(now).catch((error: unknown) => {
        if (!now.indexing || !(error instanceof QueryNotIndexedError)) throw error;
        throw new ReadStoreUnavailableError(`read store: an index of ${name} is being built`, { cause: error });
      });
    });
  }

  private async findIn(
    entry: CatalogedCollection,
    query: Query,
    limits: QueryLimits,
  ): Promise<readonly StoredDocument[]> {
    const { filter, sort } = findCommand(entry.name, entry.indexes, query);
    // The driver takes 0 for no limit.
    if (query.limit === 0) return [];
    const cursor = this.documents(entry).find(filter, { projection: { f: 1, rest: 1 }, ...limits });
    if (sort) cursor.sort(sort);
    return cursor
      .skip(query.offset ?? 0)
      .limit(query.limit)
      .toArray();
  }

  /** @returns null if another process has dropped the collection */
  private async ready(collection: Collection): Promise<CollectionWriter | null> {
    const { name, version, indexes } = collection;
    let entry = await this.catalog.entry(name, version);
    // Documents store the values that unique indexes compare.
    if (entry && !isDeepEqual(uniqueIndexes(entry.indexes), uniqueIndexes(indexes))) entry = await this.without(entry);
    let opened = entry && (await this.writer({ ...entry, indexes }, false));
    if (entry && !opened) entry = await this.without(entry);
    entry ??= await this.catalog.make(collection);
    opened ??= await this.writer({ ...entry, indexes }, true);
    if (opened === null) return null;
    const { writer, missing } = opened;
    // Indexes of another release stay: its processes may still ask by them.
    const others = entry.indexes.filter((one) => !indexes.some((wanted) => isDeepEqual([wanted], [one])));
    const all = [...indexes, ...others];
    if (missing.length > 0) {
      await this.catalog.setIndexes(entry, entry.indexes, true);
      this.lateIndexes.begin(entry, missing, all);
    } else if (all.length > entry.indexes.length) await this.catalog.setIndexes(entry, all);
    return writer;
  }

  private writer(entry: CatalogedCollection, isNew: boolean): ReturnType<typeof CollectionWriter.open> {
    return CollectionWriter.open(this.connection.database, this.catalog, entry, isNew);
  }

  private async without(entry: CatalogedCollection): Promise<null> {
    await this.catalog.drop(entry);
    return null;
  }

  private documents({ physical }: CatalogedCollection) {
    return this.connection.database.collection<StoredDocument>(physical);
  }
}

const keyOf = ({ name, version }: Collection): string => `${name}@${version}`;

function nullIfNotIndexed(error: unknown): null {
  if (error instanceof QueryNotIndexedError) return null;
  throw error;
}

const isDeepEqual = (a: readonly Index[], b: readonly Index[]): boolean => JSON.stringify(a) === JSON.stringify(b);
