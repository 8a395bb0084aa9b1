import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { ExpectedEntry, Increment, Lease } from '../port.js';

/** Interval of the sweep of expired rows, and the number of rows it removes at a time. */
const SWEEP_EVERY_MS = 30_000;
const SWEEP_AT_MOST = 1_000;

/** The changes, each within a transaction that the caller holds. Times are milliseconds since 1970. */
export class CoordinationTables {
  private readonly statements;
  private sweptAt = -Infinity;

  constructor(database: DatabaseSync) {
    const prepare = (sql: string): StatementSync => database.prepare(sql);
    this.statements = {
      next: prepare('UPDATE sequence SET last = last + 1 RETURNING last'),
      entry: prepare('SELECT version FROM entries WHERE key = ? AND (ends IS NULL OR ends > ?)'),
      set: prepare(
        `INSERT INTO entries VALUES (?, ?, ?, ?) ON CONFLICT (key) DO UPDATE
         SET value = excluded.value, version = excluded.version, ends = excluded.ends`,
      ),
      removeEntry: prepare('DELETE FROM entries WHERE key = ?'),
      removeCounter: prepare('DELETE FROM counters WHERE key = ?'),
      counter: prepare('SELECT value, ends FROM counters WHERE key = ? AND ends > ?'),
      count: prepare(
        `INSERT INTO counters VALUES (?, ?, ?) ON CONFLICT (key) DO UPDATE
         SET value = excluded.value, ends = excluded.ends`,
      ),
      lease: prepare('SELECT holder, token FROM leases WHERE name = ? AND ends > ?'),
      hold: prepare(
        `INSERT INTO leases VALUES (?, ?, ?, ?) ON CONFLICT (name) DO UPDATE
         SET holder = excluded.holder, token = excluded.token, ends = excluded.ends`,
      ),
      release: prepare('DELETE FROM leases WHERE name = ? AND holder = ? AND token = ?'),
      sweep: [
        ['entries', 'key'],
        ['counters', 'key'],
        ['leases', 'name'],
      ].map(([table, key]) =>
        prepare(
          `DELETE FROM ${table} WHERE ${key} IN (SELECT ${key} FROM ${table} WHERE ends <= ? LIMIT ${SWEEP_AT_MOST})`,
        ),
      ),
    };
  }

  /** @param value JSON @returns the new version, null when the entry was not as expected */
  compareAndSet(now: number, key: string, expected: ExpectedEntry, value: string, ttlMs?: number): number | null {
    const present = this.statements.entry.get(key, now);
    const asExpected = expected.kind === 'absent' ? !present : present?.['version'] === expected.version;
    if (!asExpected) return null;
    const version = this.next();
    this.statements.set.run(key, value, version, ttlMs === undefined ? null : now + ttlMs);
    return version;
  }

  delete(_now: number, key: string): void {
    this.statements.removeEntry.run(key);
    this.statements.removeCounter.run(key);
  }

  increment(now: number, key: string, by: number, ttlMs: number, limit?: number): Increment {
    const present = this.statements.counter.get(key, now) as { value: number; ends: number } | undefined;
    const value = (present?.value ?? 0) + by;
    if (limit !== undefined && value > limit)
      return { applied: false, value: present?.value ?? 0, endsInMs: present ? present.ends - now : 0 };
    const ends = present?.ends ?? now + ttlMs;
    this.statements.count.run(key, value, ends);
    return { applied: true, value, endsInMs: ends - now };
  }

  acquireLease(now: number, name: string, holder: string, termMs: number): Lease | null {
    const present = this.statements.lease.get(name, now) as { holder: string; token: number } | undefined;
    if (present && present.holder !== holder) return null;
    const token = present?.token ?? this.next();
    this.statements.hold.run(name, holder, token, now + termMs);
    return { name, holder, token };
  }

  releaseLease(_now: number, { name, holder, token }: Lease): void {
    this.statements.release.run(name, holder, token);
  }

  /** Removes some expired rows, at intervals. */
  sweepSometimes(now: number): void {
    if (now - this.sweptAt < SWEEP_EVERY_MS) return;
    this.sweptAt = now;
    for (const statement of this.statements.sweep) {
      // Expired rows remain: the next call continues.
      if (Number(statement.run(now).changes) === SWEEP_AT_MOST) this.sweptAt = -Infinity;
    }
  }

  private next(): number {
    return this.statements.next.get()!['last'] as number;
  }
}
