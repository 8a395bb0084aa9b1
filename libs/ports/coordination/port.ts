import type { Json } from '#domain/json.js';

/**
 * The coordination port: state that must hold across replicas and does not follow from the log (rate windows, sessions,
 * password verifiers, sign-in attempts, leases, idempotency records). Never rebuilt; backed up with the log. Every change
 * is durable before it is acknowledged; changes of one key are made one after another. Every method may throw a
 * CoordinationUnavailableError: a change may then have been made or not. Proven for every adapter by `contract.ts`.
 */
export interface Coordination {
  /** null when absent or expired. */
  get(key: string): Promise<Entry | null>;
  /** Writes only when the entry is as expected. @returns the new entry, or null when it was not as expected */
  compareAndSet(key: string, expected: ExpectedEntry, value: Json, ttlMs?: number): Promise<Entry | null>;
  /** Removes the entry and the counter of this key, if there are any. */
  delete(key: string): Promise<void>;
  /** Entries whose key begins so, by key, in order of code points. */
  list(prefix: string, limit: number): Promise<readonly Entry[]>;

  /**
   * Adds to a counter that starts at 0 and expires `ttlMs` after its first increment. With `limit`, an increment beyond
   * it changes nothing. Counters and entries of the same key are separate.
   */
  increment(key: string, by: number, ttlMs: number, limit?: number): Promise<Increment>;

  /**
   * Acquires, or extends, a lease for `termMs` from the time of the request. Another holder gets it once it was
   * released, or not extended for a full term: by the one deciding clock, or by the challenger's own, counted from its
   * first request that found the lease in its present state. So a challenger keeps asking.
   * @returns a lease if it was free, had expired or was the caller's already; null while another holds it
   */
  acquireLease(name: string, holder: string, termMs: number): Promise<Lease | null>;
  releaseLease(lease: Lease): Promise<void>;

  close(): Promise<void>;
}

export interface Entry {
  readonly key: string;
  readonly value: Json;
  /** Rises with every change of this key, also over its removal or end. */
  readonly version: number;
}

export type ExpectedEntry = { readonly kind: 'absent' } | { readonly kind: 'version'; readonly version: number };
export const ABSENT: ExpectedEntry = { kind: 'absent' };

/** An entry or counter as it is stored, HMAC included. */
export type StoredCoordination = { readonly key: string; /** null: never. */ readonly endsInMs: number | null } & (
  { readonly kind: 'entry'; readonly value: Json } | { readonly kind: 'counter'; readonly value: number }
);

export interface Increment {
  readonly applied: boolean;
  readonly value: number;
  /** Milliseconds until the counter expires; 0 if there is none. */
  readonly endsInMs: number;
}

export interface Lease {
  readonly name: string;
  readonly holder: string;
  /** Rises each time the lease changes hands, and when it is taken after it ran out: a fencing token. */
  readonly token: number;
}

export class CoordinationUnavailableError extends Error {
  override readonly name = 'CoordinationUnavailableError';
}
