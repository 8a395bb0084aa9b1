import type { Json } from '#domain/json.js';
import { UNREPORTED, type Background, type Repeated } from '#primitives/background/background.js';
import type { Coordination, Entry, ExpectedEntry, Increment, Lease } from '../port.js';
import { CoordinationConnection } from './connection.js';
import { StoredCounters } from './counters.js';
import { Entries } from './entries.js';
import { StoredLeases } from './leases.js';
import { Numbers } from './numbers.js';
import type { Clocks } from './times.js';

export interface MongoCoordinationOptions {
  /** `mongodb://HOST:27017/DATABASE`; the collections are called `coordination_...`. */
  readonly address: string;
  /** Milliseconds since 1970; default the system's. */
  readonly now?: () => number;
  /** Milliseconds since any fixed time; default: the system's clock, or `now` if given. */
  readonly monotonic?: () => number;
  /** Runs `sweep`. Default: its failures are not reported. */
  readonly background?: Background;
}

const SWEEP_EVERY_MS = 10 * 60_000;

/** @throws TypeError naming the fault of the address */
export async function openMongoCoordination(options: MongoCoordinationOptions): Promise<MongoCoordination> {
  return new MongoCoordination(options);
}

/** Coordination in MongoDB: each change is one write to one document, acknowledged by a majority. */
export class MongoCoordination implements Coordination {
  private readonly connection: CoordinationConnection;
  private readonly clocks: Clocks;
  private readonly entries: Entries;
  private readonly counters: StoredCounters;
  private readonly leases: StoredLeases;
  private readonly sweeping: Repeated;

  /** Use `openMongoCoordination`. */
  constructor({ address, now = Date.now, monotonic, background = UNREPORTED }: MongoCoordinationOptions) {
    this.clocks = { now, monotonic: monotonic ?? (now === Date.now ? () => performance.now() : now) };
    this.connection = new CoordinationConnection(address);
    const numbers = new Numbers(this.connection);
    this.entries = new Entries(this.connection, numbers, this.clocks);
    this.counters = new StoredCounters(this.connection, this.clocks);
    this.leases = new StoredLeases(this.connection, numbers, this.clocks);
    const pace = { delayMs: SWEEP_EVERY_MS, everyMs: SWEEP_EVERY_MS };
    this.sweeping = background.repeat('sweep-coordination', () => this.sweep(), pace);
  }

  get(key: string): Promise<Entry | null> {
    return this.connection.operation(() => this.entries.get(key));
  }

  compareAndSet(key: string, expected: ExpectedEntry, value: Json, ttlMs?: number): Promise<Entry | null> {
    return this.connection.operation(() => this.entries.compareAndSet(key, expected, value, ttlMs));
  }

  async delete(key: string): Promise<void> {
    await this.connection.operation(() => Promise.all([this.entries.delete(key), this.counters.delete(key)]));
  }

  list(prefix: string, limit: number): Promise<readonly Entry[]> {
    return this.connection.operation(() => this.entries.list(prefix, limit));
  }

  increment(key: string, by: number, ttlMs: number, limit?: number): Promise<Increment> {
    return this.connection.operation(() => this.counters.increment(key, by, ttlMs, limit));
  }

  acquireLease(name: string, holder: string, termMs: number): Promise<Lease | null> {
    return this.connection.operation(() => this.leases.acquire(name, holder, termMs));
  }

  releaseLease(lease: Lease): Promise<void> {
    return this.connection.operation(() => this.leases.release(lease));
  }

  /**
   * Removes what expired long ago; only the database's size depends on it. Not a TTL index, because some servers of
   * this protocol lack them.
   */
  async sweep(): Promise<void> {
    for (const name of ['entries', 'counters', 'leases']) {
      const documents = this.connection.collection<{ _id: string; removable: number }>(name);
      await documents.createIndex({ removable: 1 });
      await documents.deleteMany({ removable: { $lte: this.clocks.now() } });
    }
  }

  async close(): Promise<void> {
    await Promise.all([this.sweeping.close(), this.connection.close()]);
  }
}
