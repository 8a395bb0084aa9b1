import type { JsonObject } from '#domain/json.js';
import { CollectionFile } from '#ports/read-store/sqlite/collection-file.js';
import type { Collection, Group, Grouping, Query, ReadStoreQueries } from '#ports/read-store/port.js';

/** A read store whose queries of one collection run in this thread, and are never answered from memory. */
export class UnscannedReadStore implements ReadStoreQueries {
  private readonly file: CollectionFile;

  /** @param path the file of the collection */
  constructor(
    private readonly store: ReadStoreQueries,
    path: string,
    { name, indexes }: Pick<Collection, 'name' | 'indexes'>,
  ) {
    this.file = new CollectionFile(
      path,
      name,
      indexes.map((index) => ({ ...index, scanned: false })),
      true,
    );
  }

  get<T extends JsonObject>(name: string, id: string): Promise<T | null> {
    return this.store.get(name, id);
  }

  async find<T extends JsonObject>(_name: string, query: Query): Promise<readonly T[]> {
    return this.file.find(query) as T[];
  }

  async count(_name: string, query: Pick<Query, 'where' | 'range' | 'filter'>): Promise<number> {
    return this.file.count(query);
  }

  async sum(_name: string, query: Pick<Query, 'where'>, fields: readonly string[]): Promise<readonly number[]> {
    return this.file.sum(query, fields);
  }

  group(
    _name: string,
    query: Pick<Query, 'where' | 'range' | 'filter'>,
    grouping: Grouping,
  ): Promise<readonly Group[] | null> {
    return this.file.group(query, grouping);
  }

  close(): void {
    this.file.close();
  }
}
