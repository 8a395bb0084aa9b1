import {
  CoordinationUnavailableError,
  type Coordination,
  type Entry,
  type ExpectedEntry,
  type Increment,
  type Lease,
} from '#ports/coordination/port.js';
import type { Json } from '#domain/json.js';

/** Keys of what decides who a caller is: sessions, and the generations of passwords. */
const OF_PEOPLE = ['session:', 'password:'];

/**
 * Reads identities from the running system's coordination, and keeps all else, such as windows of rate limits, in its
 * own.
 */
export class PastCoordination implements Coordination {
  constructor(
    private readonly present: Pick<Coordination, 'get'>,
    private readonly own: Coordination,
  ) {}

  get(key: string): Promise<Entry | null> {
    return isOfPeople(key) ? this.present.get(key) : this.own.get(key);
  }

  async compareAndSet(key: string, expected: ExpectedEntry, value: Json, ttlMs?: number): Promise<Entry | null> {
    requireOwn(key);
    return this.own.compareAndSet(key, expected, value, ttlMs);
  }

  async delete(key: string): Promise<void> {
    requireOwn(key);
    return this.own.delete(key);
  }

  list(prefix: string, limit: number): Promise<readonly Entry[]> {
    return this.own.list(prefix, limit);
  }

  increment(key: string, by: number, ttlMs: number, limit?: number): Promise<Increment> {
    return this.own.increment(key, by, ttlMs, limit);
  }

  acquireLease(name: string, holder: string, termMs: number): Promise<Lease | null> {
    return this.own.acquireLease(name, holder, termMs);
  }

  releaseLease(lease: Lease): Promise<void> {
    return this.own.releaseLease(lease);
  }

  /** Both are closed by their openers. */
  async close(): Promise<void> {}
}

const isOfPeople = (key: string): boolean => OF_PEOPLE.some((prefix) => key.startsWith(prefix));

function requireOwn(key: string): void {
  if (isOfPeople(key)) throw new CoordinationUnavailableError('sessions and passwords are read only here');
}
