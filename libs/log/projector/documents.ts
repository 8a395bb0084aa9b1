import type { JsonObject } from '#domain/json.js';
import type { Group, Grouping, Query, Range, ReadStoreQueries } from '#ports/read-store/port.js';
import { collectionNameOf } from './collection.js';
import type { Projection } from './projection.js';

/** A query over a projection's documents, which names only fields that they have. Which combinations are served, its indexes say. */
interface DocumentsQuery<Document> extends Pick<Query, 'limit' | 'offset'> {
  readonly where: Conditions<Document>;
  readonly range?: FieldRange<Document>;
  readonly filter?: Filter<Document>;
  readonly order?: Order<Document>;
}

export type Conditions<Document> = { readonly [Field in FieldOf<Document>]?: Query['where'][string] };
export type Filter<Document> = {
  readonly where?: Conditions<Document>;
  readonly ranges?: readonly FieldRange<Document>[];
  readonly words?: string;
  readonly contains?: readonly { readonly field: FieldOf<Document>; readonly text: string }[];
};
export type FieldRange<Document> = Range & { readonly field: FieldOf<Document> };
type Order<Document> = NonNullable<Query['order']> & { readonly field: FieldOf<Document> };
type FieldOf<Document> = Document extends unknown ? keyof Document & string : never;

/** Which part of all documents to answer. */
export interface PageRequest {
  readonly limit: number;
  readonly offset: number;
}

export interface Page<Document> {
  readonly documents: readonly Document[];
  /** Documents on all pages together. */
  readonly total: number;
}

const PAGE = 10_000;

/**
 * The documents of a projection, for queries: the only place outside of adapters that names a collection. A typed query
 * is one of the port's; the compiler cannot distinguish it from one with fields that it does not know yet.
 */
export class Documents<Document extends JsonObject> {
  /** Name of the collection. */
  readonly collection: string;

  constructor(projection: Pick<Projection<Document>, 'name' | 'version' | 'on'>) {
    this.collection = collectionNameOf(projection);
  }

  get(store: ReadStoreQueries, id: string): Promise<Document | null> {
    return store.get<Document>(this.collection, id);
  }

  /** @throws QueryNotIndexedError, as the other queries */
  find(store: ReadStoreQueries, query: DocumentsQuery<Document>): Promise<readonly Document[]> {
    return store.find<Document>(this.collection, query as Query);
  }

  /** Number of matching documents, ignoring limit and offset. */
  count(store: ReadStoreQueries, query: Pick<DocumentsQuery<Document>, 'where' | 'range' | 'filter'>): Promise<number> {
    return store.count(this.collection, query as Pick<Query, 'where' | 'range' | 'filter'>);
  }

  async page(store: ReadStoreQueries, query: DocumentsQuery<Document>): Promise<Page<Document>> {
    const { limit: _, offset: __, order: ___, ...conditions } = query;
    const [documents, total] = await Promise.all([this.find(store, query), this.count(store, conditions)]);
    return { documents, total };
  }

  /** Every document that matches, read in pages. */
  async all(store: ReadStoreQueries, query: Omit<DocumentsQuery<Document>, 'limit' | 'offset'>): Promise<Document[]> {
    return Array.fromAsync(this.each(store, query));
  }

  /** The same one by one. @param page documents that are read at once, and used in one turn */
  async *each(
    store: ReadStoreQueries,
    query: Omit<DocumentsQuery<Document>, 'limit' | 'offset'>,
    page = PAGE,
  ): AsyncGenerator<Document> {
    for (let offset = 0; ; offset += page) {
      const found = await this.find(store, { ...query, limit: page, offset });
      yield* found;
      if (found.length < page) return;
    }
  }

  /** Sums of numeric fields over the documents that match, in the order of the fields. */
  sum(
    store: ReadStoreQueries,
    where: Conditions<Document>,
    fields: readonly FieldOf<Document>[],
  ): Promise<readonly number[]> {
    return store.sum(this.collection, { where } as Pick<Query, 'where'>, fields);
  }

  /** Counts in groups, see the port; null if there are more groups than requested. */
  group(
    store: ReadStoreQueries,
    query: Pick<DocumentsQuery<Document>, 'where' | 'range' | 'filter'>,
    grouping: Grouping & { readonly by: readonly { readonly field: FieldOf<Document> }[] },
  ): Promise<readonly Group[] | null> {
    return store.group(this.collection, query as Pick<Query, 'where' | 'range' | 'filter'>, grouping);
  }
}
