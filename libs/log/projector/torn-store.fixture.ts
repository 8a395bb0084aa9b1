import {
  ReadStoreConflictError,
  type ProjectionCheckpoint,
  type Collection,
  type LoadedDocument,
  type JsonObject,
  type ReadStore,
  type WriteBatch,
} from '#ports/read-store/port.js';

/** The shared state that several stores write to. */
export class TornPlace {
  readonly collections = new Map<string, Contents>();
}

interface Contents {
  readonly documents: Map<string, LoadedDocument>;
  readonly counters: Map<string, number>;
  checkpoint: ProjectionCheckpoint | null;
  revision: number;
}

/**
 * A read store in memory that does the least of what the port promises: a batch is stored one document after another, then the
 * counters with the checkpoint, if no other writer has stored one meanwhile. Before each step, reading or writing, `step` may
 * wait, or throw as a crash would.
 */
export class TornStore implements ReadStore {
  private readonly prepared = new Map<string, { readonly contents: Contents; revision: number }>();

  constructor(
    private readonly place: TornPlace,
    private readonly step: (kind: 'read' | 'write') => Promise<void> = async () => {},
  ) {}

  async prepare(collection: Collection): Promise<void> {
    await this.step('write');
    const key = keyOf(collection);
    const empty = { documents: new Map(), counters: new Map(), checkpoint: null, revision: 0 };
    if (!this.place.collections.has(key)) this.place.collections.set(key, empty);
    const contents = this.place.collections.get(key)!;
    this.prepared.set(key, { contents, revision: contents.revision });
  }

  async write(collection: Collection, { first = [], writes, counters, checkpoint }: WriteBatch): Promise<void> {
    const prepared = this.prepared.get(keyOf(collection))!;
    const { contents } = prepared;
    for (const { id, position, document } of [...first, ...writes]) {
      await this.step('write');
      const before = contents.documents.get(id);
      if (!before || before.position < position) contents.documents.set(id, structuredClone({ position, document }));
    }
    await this.step('write');
    this.assertFirst(collection);
    contents.checkpoint = checkpoint;
    for (const [key, value] of counters ?? []) contents.counters.set(key, value);
    contents.revision += 1;
    prepared.revision = contents.revision;
    // Stored, though nobody may hear of it.
    await this.step('write');
  }

  async load(collection: Collection, ids: readonly string[]): Promise<ReadonlyMap<string, LoadedDocument>> {
    await this.step('read');
    return only(this.prepared.get(keyOf(collection))?.contents.documents, ids);
  }

  async counters(collection: Collection, keys: readonly string[]): Promise<ReadonlyMap<string, number>> {
    await this.step('read');
    this.assertFirst(collection);
    return only(this.place.collections.get(keyOf(collection))?.counters, keys);
  }

  async checkpoint(collection: Collection): Promise<ProjectionCheckpoint | null> {
    await this.step('read');
    return this.place.collections.get(keyOf(collection))?.checkpoint ?? null;
  }

  async scrub(): Promise<void> {}

  async drop(collection: Collection): Promise<void> {
    await this.step('write');
    const key = keyOf(collection);
    const contents = this.prepared.get(key)?.contents ?? this.place.collections.get(key);
    this.prepared.delete(key);
    if (this.place.collections.get(key) === contents) this.place.collections.delete(key);
  }

  async versions(name: string): Promise<readonly number[]> {
    await this.step('read');
    const keys = [...this.place.collections.keys()].map((key) => key.split('@'));
    return keys.filter(([other]) => other === name).map(([, version]) => Number(version));
  }

  /** The fixture keeps one version of each collection. */
  async find<T extends JsonObject>(name: string): Promise<readonly T[]> {
    await this.step('read');
    const [key] = [...this.place.collections.keys()].filter((each) => each.startsWith(`${name}@`));
    const documents = [...(this.place.collections.get(key ?? '')?.documents ?? [])].sort(([a], [b]) =>
      a < b ? -1 : 1,
    );
    return documents.flatMap(([, { document }]) => (document === null ? [] : [document as T]));
  }

  private assertFirst(collection: Collection): void {
    const prepared = this.prepared.get(keyOf(collection));
    if (!prepared) return;
    const { contents, revision } = prepared;
    if (this.place.collections.get(keyOf(collection)) !== contents || contents.revision !== revision)
      throw new ReadStoreConflictError('another writer was faster');
  }

  get = () => Promise.reject(new Error('not asked for'));
  count = () => Promise.reject(new Error('not asked for'));
  sum = () => Promise.reject(new Error('not asked for'));
  group = () => Promise.reject(new Error('not asked for'));
  activeVersions = async () => new Map<string, number>();
  activate = async () => {};
  names = async () => [];
  close = async () => {};
}

const keyOf = ({ name, version }: Collection): string => `${name}@${version}`;

const only = <T>(all: ReadonlyMap<string, T> = new Map(), ids: readonly string[]): Map<string, T> =>
  new Map(ids.filter((id) => all.has(id)).map((id) => [id, all.get(id)!]));
