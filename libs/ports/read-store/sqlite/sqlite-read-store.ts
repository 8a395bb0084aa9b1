import { join } from 'node:path';
import type { JsonObject } from '#domain/json.js';
import { assertCollectionName } from '../indexes.js';
import {
  NotBuiltError,
  ReadStoreUnavailableError,
  type ProjectionCheckpoint,
  type Collection,
  type Group,
  type Grouping,
  type LoadedDocument,
  type Query,
  type ReadStore,
  type WriteBatch,
} from '../port.js';
import { FileCatalog, removeDatabase, type CatalogedFile } from './catalog.js';
import { CollectionFile } from './collection-file.js';
import { makeCollectionFile } from './collection-tables.js';
import { isDamage, isUnavailable } from './result-codes.js';

interface SqliteReadStoreOptions {
  /** Its own folder: a catalog, and a file for each version of each collection. */
  readonly directory: string;
  readonly readOnly?: boolean;
  /** Removes leftovers of a crash. For one opener only, before others build anything. */
  readonly removeOrphans?: boolean;
}

/**
 * The read store on SQLite, in the thread that opens it: every step runs synchronously. Any number of threads and
 * processes may open the same folder; each collection has one writer at a time.
 *
 * Commits are not synced: what a power failure destroys is rebuilt from the log.
 */
export class SqliteReadStore implements ReadStore {
  private readonly catalog: FileCatalog;
  private readonly files = new Map<string, CollectionFile>();
  private seen: unknown = null;

  constructor(private readonly options: SqliteReadStoreOptions) {
    this.catalog = new FileCatalog(options.directory, options.readOnly ?? false);
    if (options.removeOrphans) this.catalog.removeOrphans();
  }

  async get<T extends JsonObject>(name: string, id: string): Promise<T | null> {
    return (this.active(name).get(id) ?? null) as T | null;
  }

  async find<T extends JsonObject>(name: string, query: Query): Promise<readonly T[]> {
    return this.active(name).find(query) as T[];
  }

  async count(name: string, query: Pick<Query, 'where' | 'range' | 'filter'>): Promise<number> {
    return this.active(name).count(query);
  }

  async sum(name: string, query: Pick<Query, 'where'>, fields: readonly string[]): Promise<readonly number[]> {
    return this.active(name).sum(query, fields);
  }

  async group(
    name: string,
    query: Pick<Query, 'where' | 'range' | 'filter'>,
    grouping: Grouping,
  ): Promise<readonly Group[] | null> {
    return this.active(name).group(query, grouping);
  }

  async prepare(collection: Collection): Promise<void> {
    this.attempt(() => {
      const { name, version, indexes } = collection;
      assertCollectionName(name);
      const existing = this.catalog.entry(name, version);
      const file = this.create(collection, existing?.file ?? this.catalog.newFile(collection));
      // Another thread may have replaced the file, which makes this one's handle stale.
      this.closeFile(file);
      if (file === existing?.file && JSON.stringify(existing.indexes) === JSON.stringify(indexes)) return;
      this.catalog.record({ name, version, file, indexes });
    });
  }

  async write(collection: Collection, batch: WriteBatch): Promise<void> {
    this.writing(collection, (file) => file.write(batch));
  }

  async load(collection: Collection, ids: readonly string[]): Promise<ReadonlyMap<string, LoadedDocument>> {
    return this.writing(collection, (file) => file.load(ids));
  }

  async counters(collection: Collection, keys: readonly string[]): Promise<ReadonlyMap<string, number>> {
    return this.writing(collection, (file) => file.counters(keys));
  }

  async checkpoint({ name, version }: Collection): Promise<ProjectionCheckpoint | null> {
    return this.attempt(() => this.fileOf(this.catalog.entry(name, version))?.checkpoint() ?? null);
  }

  async scrub(collection: Collection): Promise<void> {
    this.writing(collection, (file) => file.scrub());
  }

  async drop({ name, version }: Collection): Promise<void> {
    this.attempt(() => {
      const entry = this.catalog.entry(name, version);
      if (!entry) return;
      this.catalog.forget(name, version);
      this.remove(entry.file);
    });
  }

  async activeVersions(): Promise<ReadonlyMap<string, number>> {
    return this.attempt(() => this.catalog.read().active);
  }

  async activate(name: string, version: number): Promise<void> {
    this.attempt(() => this.catalog.activate(name, version));
  }

  async versions(name: string): Promise<readonly number[]> {
    const entries = [...this.catalog.read().collections.values()];
    return entries.filter((entry) => entry.name === name).map((entry) => entry.version);
  }

  async names(): Promise<readonly string[]> {
    return [...new Set([...this.catalog.read().collections.values()].map(({ name }) => name))];
  }

  async close(): Promise<void> {
    for (const file of this.files.values()) file.close();
    this.files.clear();
    this.catalog.close();
  }

  private active(name: string): CollectionFile {
    const file = this.attempt(() => this.fileOf(this.catalog.activeEntry(name)));
    if (!file) throw new NotBuiltError(name);
    return file;
  }

  /** A step of the collection's writer. A file that turns out to be damaged is dropped: it can be built again. */
  private writing<T>(collection: Collection, step: (file: CollectionFile) => T): T {
    const { name, version } = collection;
    return this.attempt(() => {
      const entry = this.catalog.entry(name, version);
      if (!entry) throw new RangeError(`collection ${name} version ${version} has not been prepared`);
      try {
        return step(this.file(entry));
      } catch (error) {
        if (!isDamage(error)) throw error;
        this.catalog.forget(name, version);
        this.remove(entry.file);
        throw new ReadStoreUnavailableError(`${entry.file} is damaged, and has been dropped`, { cause: error });
      }
    });
  }

  private fileOf(entry: CatalogedFile | undefined): CollectionFile | undefined {
    return entry && this.file(entry);
  }

  /** The open file of a collection. Files unknown to the catalog are closed. */
  private file(entry: CatalogedFile): CollectionFile {
    const contents = this.catalog.read();
    if (contents !== this.seen) {
      this.seen = contents;
      const known = new Map([...contents.collections.values()].map(({ file, indexes }) => [file, indexes]));
      for (const [file, open] of this.files)
        if (JSON.stringify(known.get(file)) !== JSON.stringify(open.indexes)) this.closeFile(file);
    }
    let file = this.files.get(entry.file);
    if (!file) {
      file = new CollectionFile(this.path(entry.file), entry.name, entry.indexes, this.options.readOnly ?? false);
      this.files.set(entry.file, file);
    }
    return file;
  }

  /** @returns the created file: another one if this one is damaged */
  private create(collection: Collection, file: string): string {
    try {
      makeCollectionFile(this.path(file), collection);
      return file;
    } catch (error) {
      if (!isDamage(error)) throw error;
      this.remove(file);
      const another = this.catalog.newFile(collection);
      makeCollectionFile(this.path(another), collection);
      return another;
    }
  }

  private remove(file: string): void {
    this.closeFile(file);
    removeDatabase(this.path(file));
  }

  private closeFile(file: string): void {
    this.files.get(file)?.close();
    this.files.delete(file);
  }

  private path(file: string): string {
    return join(this.options.directory, file);
  }

  /** @throws ReadStoreUnavailableError for what SQLite reports of the disk, a damaged file or another's lock */
  private attempt<T>(step: () => T): T {
    try {
      return step();
    } catch (error) {
      if (isUnavailable(error) || isDamage(error))
        throw new ReadStoreUnavailableError(`read store: ${(error as Error).message}`, { cause: error });
      throw error;
    }
  }
}
