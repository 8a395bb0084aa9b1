import type { JsonObject } from '#domain/json.js';

/**
 * The read store port: documents that projections write and queries read. It can be dropped and rebuilt from the log at
 * any time. Proven for every adapter by `contract.ts`.
 */
export interface ReadStore extends ReadStoreQueries {
  /**
   * Creates the collection and its indexes when missing. A writer calls it before its first write, and again after
   * another writer's. An indexed field holds scalars of one type, null or nothing. An index that is new to a collection
   * with documents may be built after that: until then a query that needs it is a ReadStoreUnavailableError.
   */
  prepare(collection: Collection): Promise<void>;

  /**
   * Applies a projection's batch. Each write is guarded: it takes effect only when the stored document's position is
   * lower than the write's, so that a replay is harmless. Documents, counters and checkpoint are stored together if the
   * adapter can; else documents come first, and the checkpoint last, together with the counters. So an interrupted
   * batch may leave documents ahead of the checkpoint, never a checkpoint or counters ahead of documents. Each
   * collection has one writer at a time. If writers are processes on several machines, which cannot guarantee this, a
   * checkpoint replaces only the one that this writer found when it prepared, or stored last.
   * @throws DocumentRefusedError nothing was written. (If a batch is not stored as a whole, a unique index is checked
   * beforehand: after an interrupted batch, another one of two documents may be refused than in a rebuild.)
   * @throws ReadStoreConflictError another writer has stored a checkpoint since
   * @throws ReadStoreUnavailableError when the store accepts no writes now, or their outcome is unknown: prepare and
   * continue from the checkpoint
   */
  write(collection: Collection, batch: WriteBatch): Promise<void>;

  /**
   * Documents of exactly this version, active or not, by id. A recently removed document is null, with the position of
   * its removal; other missing ones are left out.
   */
  load(collection: Collection, ids: readonly string[]): Promise<ReadonlyMap<string, LoadedDocument>>;
  /**
   * The collection's counters by key, as of the checkpoint that this writer found when it prepared, or stored last;
   * counters never written are left out.
   * @throws ReadStoreConflictError the checkpoint has changed
   */
  counters(collection: Collection, keys: readonly string[]): Promise<ReadonlyMap<string, number>>;

  checkpoint(collection: Collection): Promise<ProjectionCheckpoint | null>;

  /** Makes replaced and removed data unreadable in the store's files, as far as the store can at once. */
  scrub(collection: Collection): Promise<void>;

  /** Removes the collection, its documents and its checkpoint. One that another writer made since this one prepared it stays. */
  drop(collection: Collection): Promise<void>;

  /** The active version of each projection's collection. Other processes follow a change within a second. */
  activeVersions(): Promise<ReadonlyMap<string, number>>;
  activate(name: string, version: number): Promise<void>;
  /** Versions that have a collection, for clearing away old ones. */
  versions(name: string): Promise<readonly number[]>;
  /** Names of all collections. */
  names(): Promise<readonly string[]>;

  close(): Promise<void>;
}

/**
 * Reads for queries. A query names a collection and reads its active version.
 * @throws NotBuiltError from each while there is none
 */
export interface ReadStoreQueries {
  get<T extends JsonObject>(name: string, id: string): Promise<T | null>;
  /** @throws QueryNotIndexedError when no declared index serves where, range and order */
  find<T extends JsonObject>(name: string, query: Query): Promise<readonly T[]>;
  /**
   * Number of matching documents, ignoring limit and offset.
   * @throws QueryNotIndexedError
   */
  count(name: string, query: Pick<Query, 'where' | 'range' | 'filter'>): Promise<number>;
  /**
   * Sums of numeric fields over the matching documents, in the order of the fields. Each is in some declared index: an
   * index that serves the query and contains them avoids reading the documents.
   * @throws QueryNotIndexedError
   */
  sum(name: string, query: Pick<Query, 'where'>, fields: readonly string[]): Promise<readonly number[]>;
  /**
   * Counts of the matching documents, in groups, in the order of their values with null last; null if there are more
   * groups than `limit`. Each field is in some declared index. Takes time proportional to the number of documents, and
   * lets other queries run in between if the documents are kept in memory (`Index.scanned`).
   * @throws QueryNotIndexedError
   */
  group(
    name: string,
    query: Pick<Query, 'where' | 'range' | 'filter'>,
    grouping: Grouping,
  ): Promise<readonly Group[] | null>;
}

/** Keys for grouping documents, and the counts of each group. */
export interface Grouping {
  /** At most two. Documents with equal values of all of them form a group; without any, all form one. */
  readonly by: readonly GroupKey[];
  /** Numeric fields that are summed. */
  readonly sums: readonly string[];
  /** Fields for which the group's documents are counted by value. */
  readonly tallies: readonly GroupKey[];
  /**
   * A numeric field, and shares from 0 to 1: the value that this share of the group's values does not exceed, within
   * one percent.
   */
  readonly quantiles?: { readonly field: string; readonly at: readonly number[] };
  readonly limit: number;
}

export interface GroupKey {
  readonly field: string;
  /**
   * `day` and `hour` are those of a time in ISO 8601, in UTC: `2030-01-02`, `2030-01-02T03`. With `words` the field holds words that
   * end in newlines, and a document counts once for each of them.
   */
  readonly unit?: 'day' | 'hour' | 'words';
}

export interface Group {
  readonly values: readonly Scalar[];
  readonly count: number;
  readonly sums: readonly number[];
  /** The values of each tally, and how many documents have them. */
  readonly tallies: readonly (readonly (readonly [Scalar, number])[])[];
  /** null if no document has a value. */
  readonly quantiles: readonly (number | null)[];
}

/** The documents of one version of a projection. */
export interface Collection {
  /** The projection's name: `training-jobs`. */
  readonly name: string;
  readonly version: number;
  readonly indexes: readonly Index[];
  /**
   * Fields at the top level whose texts, however deep, are the same few in many documents: a store may keep each text once, for as
   * long as the collection is there, so that none may be one that must be erased. One of them that is indexed holds a text or nothing.
   */
  readonly shared?: readonly string[];
}

/**
 * Fields in order, by name at the top level of the document. A query is served when its equality fields are the first
 * ones (in any order), then its range or order field; order may run either way.
 */
export interface Index {
  readonly fields: readonly string[];
  readonly unique?: boolean;
  /** A field of it that is null in many documents, which it need not hold: queries by this index give the field a value. */
  readonly sparse?: string;
  /**
   * Lets the query side keep these fields of every document in memory for fast filters. The first is the scope of the
   * ordinals, the second the dense ordinal, and these two never change.
   */
  readonly scanned?: boolean;
  /**
   * Indexes the words of the texts in these fields, however deep, for `filter.words`, within documents of one value of `fields`,
   * which is a single field. A collection has one such index; it serves no other query. Words are those of `wordsOf`.
   */
  readonly words?: readonly string[];
}

export type Scalar = string | number | boolean | null;

export interface Query {
  /**
   * Equality on fields. A list means any of its values. A field that is absent counts as null. Without where, range and
   * order, documents come by id.
   */
  readonly where: Readonly<Record<string, Scalar | readonly Scalar[]>>;
  readonly range?: Range;
  /**
   * Conditions checked on the documents that the index returns, for combinations too many to index. They need no index
   * and do not narrow the scan.
   */
  readonly filter?: {
    readonly where?: Query['where'];
    readonly ranges?: readonly Range[];
    /** Documents that have all words of this text. Needs an index of words, whose field `where` fixes to one value. */
    readonly words?: string;
    /** The field is a string that holds this text, compared byte for byte. */
    readonly contains?: readonly { readonly field: string; readonly text: string }[];
  };
  /** Documents of equal value come by id, in the same direction, so that pages never overlap. */
  readonly order?: { readonly field: string; readonly direction: 'ascending' | 'descending' };
  /** Maximum number of documents. */
  readonly limit: number;
  readonly offset?: number;
}

/** A field between two bounds, inclusive. */
export interface Range {
  readonly field: string;
  readonly from?: Scalar;
  readonly to?: Scalar;
}

/** A place in a certain log. A checkpoint of another log, or past the head, is worthless and its documents with it. */
export interface ProjectionCheckpoint {
  readonly logId: string;
  readonly position: string;
  /** Id of the event at that position, null if a checkpoint is between events. */
  readonly eventId: string | null;
}

export interface WriteBatch {
  /** Stored before the other writes: an interrupted batch that has stored one of those has stored all of these. */
  readonly first?: readonly DocumentWrite[];
  readonly writes: readonly DocumentWrite[];
  /** Numbers kept beside the documents, by key: their values as of the checkpoint. */
  readonly counters?: ReadonlyMap<string, number>;
  readonly checkpoint: ProjectionCheckpoint;
}

export interface DocumentWrite {
  readonly id: string;
  /** Log position of the last event the document has seen. */
  readonly position: string;
  /** null removes the document. */
  readonly document: JsonObject | null;
}

export interface LoadedDocument {
  readonly position: string;
  readonly document: JsonObject | null;
}

export class QueryNotIndexedError extends Error {
  override readonly name = 'QueryNotIndexedError';
}

/** A document that cannot be stored: an indexed field holds no scalar, or a unique index has its value already. */
export class DocumentRefusedError extends Error {
  override readonly name = 'DocumentRefusedError';
  constructor(
    readonly collection: string,
    readonly id: string,
    reason: string,
  ) {
    super(`${collection} takes no document ${JSON.stringify(id)}: ${reason}`);
  }
}

/** Another writer has advanced the collection: prepare it again and drop everything read before. */
export class ReadStoreConflictError extends Error {
  override readonly name = 'ReadStoreConflictError';
}

export class ReadStoreUnavailableError extends Error {
  override readonly name: string = 'ReadStoreUnavailableError';
}

/** No version of the collection answers queries: nobody has built it yet, or it was removed. */
export class NotBuiltError extends ReadStoreUnavailableError {
  override readonly name = 'NotBuiltError';
  constructor(collection: string) {
    super(`read store: ${collection} has not been built yet`);
  }
}

export type { JsonObject };
