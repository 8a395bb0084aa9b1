import { setTimeout as sleep } from 'node:timers/promises';
import type { IndexDescription } from 'mongodb';
import { ReadStoreUnavailableError, type Index } from '../port.js';
import type { CatalogedCollection, CollectionCatalog } from './catalog.js';
import { isUnavailable, type MongoConnection } from './connection.js';

const AGAIN_MS = 5_000;

/** Builds indexes that are new to a collection in use, which is written and read meanwhile. Queries use them from then on. */
export class LateIndexes {
  private readonly closing = new AbortController();
  private readonly underway = new Map<string, Promise<void>>();
  private readonly failed = new Map<string, Error>();

  constructor(
    private readonly connection: MongoConnection,
    private readonly catalog: CollectionCatalog,
  ) {}

  /** Does nothing while they are being built already. */
  begin(entry: CatalogedCollection, missing: readonly IndexDescription[], indexes: readonly Index[]): void {
    if (this.underway.has(entry.physical)) return;
    this.failed.delete(entry.physical);
    const building = this.build(entry, missing, indexes).finally(() => this.underway.delete(entry.physical));
    this.underway.set(entry.physical, building);
  }

  /** @throws the error by which they cannot be built */
  check({ physical }: CatalogedCollection): void {
    const error = this.failed.get(physical);
    if (error) throw error;
  }

  async close(): Promise<void> {
    this.closing.abort();
    await Promise.all(this.underway.values());
  }

  private async build(
    entry: CatalogedCollection,
    missing: readonly IndexDescription[],
    indexes: readonly Index[],
  ): Promise<void> {
    const { signal } = this.closing;
    while (!signal.aborted)
      try {
        await this.connection.patiently(signal, (database) =>
          database.collection(entry.physical).createIndexes([...missing]),
        );
        await this.connection.attempt(() => this.catalog.setIndexes(entry, indexes));
        return;
      } catch (error) {
        if (!(error instanceof ReadStoreUnavailableError) && !isUnavailable(error)) {
          this.failed.set(entry.physical, error as Error);
          return;
        }
        await sleep(AGAIN_MS, undefined, { signal }).catch(() => undefined);
      }
  }
}
