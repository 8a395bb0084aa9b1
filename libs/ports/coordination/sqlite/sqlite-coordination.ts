import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Json } from '#domain/json.js';
import type { Thread } from '#primitives/thread/thread.js';
import {
  CoordinationUnavailableError,
  type Coordination,
  type Entry,
  type ExpectedEntry,
  type Increment,
  type Lease,
} from '../port.js';
import { COORDINATION_SERVICE } from './coordination-service.js';
import { openForReading } from './database.js';

interface SqliteCoordinationOptions {
  /** The data folder. */
  readonly directory: string;
  /** Runs `coordinationService` for the same folder. It is not closed with this. */
  readonly thread: Pick<Thread, 'call'>;
  /** Clock for expiry, in ms since 1970; default: the system's. */
  readonly now?: () => number;
}

export const openSqliteCoordination = (options: SqliteCoordinationOptions): SqliteCoordination =>
  new SqliteCoordination(options);

/** Reads committed state on its own connection; writes in the store thread. */
export class SqliteCoordination implements Coordination {
  private readonly database: DatabaseSync;
  private readonly oneEntry: StatementSync;
  private readonly entries: StatementSync;
  private readonly now: () => number;

  /** Use `openSqliteCoordination`. */
  constructor(private readonly options: SqliteCoordinationOptions) {
    this.now = options.now ?? Date.now;
    this.database = openForReading(options.directory);
    const columns = 'SELECT key, value, version FROM entries';
    const present = '(ends IS NULL OR ends > ?)';
    this.oneEntry = this.database.prepare(`${columns} WHERE key = ? AND ${present}`);
    this.entries = this.database.prepare(`${columns} WHERE key >= ? AND key < ? AND ${present} ORDER BY key LIMIT ?`);
  }

  async get(key: string): Promise<Entry | null> {
    const row = this.read(() => this.oneEntry.get(key, this.now()));
    return row ? entryOf(row) : null;
  }

  async list(prefix: string, limit: number): Promise<readonly Entry[]> {
    const end = `${prefix}\u{10ffff}`;
    return this.read(() => this.entries.all(prefix, end, this.now(), limit)).map(entryOf);
  }

  async compareAndSet(key: string, expected: ExpectedEntry, value: Json, ttlMs?: number): Promise<Entry | null> {
    const version = await this.change<number | null>('compareAndSet', key, expected, JSON.stringify(value), ttlMs);
    return version === null ? null : { key, value, version };
  }

  async delete(key: string): Promise<void> {
    await this.change('delete', key);
  }

  increment(key: string, by: number, ttlMs: number, limit?: number): Promise<Increment> {
    return this.change('increment', key, by, ttlMs, limit);
  }

  acquireLease(name: string, holder: string, termMs: number): Promise<Lease | null> {
    return this.change('acquireLease', name, holder, termMs);
  }

  async releaseLease(lease: Lease): Promise<void> {
    await this.change('releaseLease', lease);
  }

  async close(): Promise<void> {
    if (this.database.isOpen) this.database.close();
  }

  private async change<T>(method: string, ...args: readonly unknown[]): Promise<T> {
    try {
      return await this.options.thread.call<T>(COORDINATION_SERVICE, method, [this.now(), ...args]);
    } catch (error) {
      throw unavailable(error);
    }
  }

  private read<T>(step: () => T): T {
    try {
      return step();
    } catch (error) {
      throw unavailable(error);
    }
  }
}

const unavailable = (error: unknown): Error =>
  new CoordinationUnavailableError(`coordination.db: ${(error as Error).message}`, { cause: error });

const entryOf = (row: Record<string, unknown>): Entry => ({
  key: row['key'] as string,
  value: JSON.parse(row['value'] as string) as Json,
  version: row['version'] as number,
});
