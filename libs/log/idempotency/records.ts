import { v7 as uuid7 } from 'uuid';
import { ABSENT, type Coordination, type Entry, type ExpectedEntry } from '#ports/coordination/port.js';
import { UnavailableError } from '#domain/errors.js';
import { UNREPORTED, type Background, type Repeated } from '#primitives/background/background.js';

/** Time for which a key is remembered, from its first request. */
export const REMEMBERED_MS = 24 * 3_600_000;
/** A request silent for this long counts as dead with its process. */
export const LEASE_MS = 30_000;
const TRIES = 10;

interface RecordsOptions {
  readonly leaseMs?: number;
  readonly now?: () => number;
  readonly background?: Background;
}

/** The outcome of beginning a request that has a key. */
export type BegunRequest =
  | { readonly kind: 'go'; readonly run: Run }
  /** The key came with another request before. */
  | { readonly kind: 'other-request' }
  /** The same request is in flight. */
  | { readonly kind: 'running' };

/**
 * Maps an Idempotency-Key (a keyed hash; no body is stored) to the command id of its first request. A repeat runs again
 * with that command id and finds in the log what the first run did, so the work is done once. The lease only avoids
 * concurrent runs; their appends are equal by command id. draft-ietf-httpapi-idempotency-key-header-07
 */
export class IdempotencyRecords {
  private readonly leaseMs: number;
  private readonly now: () => number;
  readonly background: Background;

  constructor(
    private readonly coordination: Coordination,
    { leaseMs = LEASE_MS, now = Date.now, background = UNREPORTED }: RecordsOptions = {},
  ) {
    this.leaseMs = leaseMs;
    this.now = now;
    this.background = background;
  }

  /** The index of the first of these scopes that a request came with before; -1 for none. */
  async firstKnown(scopes: readonly string[]): Promise<number> {
    const entries = await Promise.all(scopes.map((scope) => this.coordination.get(`idempotency:${scope}`)));
    return entries.findIndex((entry) => entry !== null);
  }

  /**
   * @param scope workspace, route and key
   * @param fingerprint a keyed hash of the whole request
   */
  async begin(scope: string, fingerprint: string): Promise<BegunRequest> {
    const key = `idempotency:${scope}`;
    for (let attempt = 0; attempt < TRIES; attempt += 1) {
      const entry = attempt === 0 ? null : await this.coordination.get(key);
      const known = entry ? (entry.value as unknown as IdempotencyRecord) : null;
      if (entry && known && known.phase !== 'free') {
        if (known.fingerprint !== fingerprint) return { kind: 'other-request' };
        if (known.phase === 'done') return { kind: 'go', run: again(known) };
        if (known.phase === 'running' && known.until > this.now()) return { kind: 'running' };
      }
      const before = known && known.phase !== 'free' ? known : null;
      const record: IdempotencyRecord = {
        phase: 'running',
        fingerprint,
        commandId: before?.commandId ?? uuid7({ msecs: this.now() }),
        startedAt: before?.startedAt ?? this.now(),
        until: this.now() + this.leaseMs,
        status: null,
      };
      const held = await this.write(key, entry ? { kind: 'version', version: entry.version } : ABSENT, record);
      if (held) return { kind: 'go', run: new HeldRun(this, key, held, record, before !== null, this.leaseMs / 3) };
    }
    throw new UnavailableError('too many requests came with this Idempotency-Key at once; try again');
  }

  /** @returns null when another has changed it */
  write(key: string, expected: ExpectedEntry, record: IdempotencyRecord): Promise<Entry | null> {
    const left = record.phase === 'free' ? 1 : record.startedAt + REMEMBERED_MS - this.now();
    return this.coordination.compareAndSet(key, expected, record as unknown as Entry['value'], Math.max(1, left));
  }

  extended(record: IdempotencyRecord): IdempotencyRecord {
    return { ...record, until: this.now() + this.leaseMs };
  }
}

/** A run of a request that has a key. */
export interface Run {
  readonly commandId: string;
  /** A request with this command id came before. */
  readonly repeated: boolean;
  /** Call it before the answer is sent. Never fails: the next repeat finds out what could not be written. */
  finish(status: number): Promise<void>;
}

/**
 * `running` until its lease ends; `open`: its outcome is unknown, and the next repeat continues under the same command
 * id; `done`; `free`: it was refused without effect, and the key may be reused.
 */
interface IdempotencyRecord {
  readonly phase: 'running' | 'open' | 'done' | 'free';
  readonly fingerprint: string;
  readonly commandId: string;
  /** Milliseconds since 1970, as `until`. */
  readonly startedAt: number;
  readonly until: number;
  readonly status: number | null;
}

/** A repeat leaves the record unchanged, whatever its answer. */
const again = ({ commandId }: IdempotencyRecord): Run => ({
  commandId,
  repeated: true,
  finish: () => Promise.resolve(),
});

class HeldRun implements Run {
  readonly commandId: string;
  private readonly lease: Repeated;
  private last: Promise<Entry | null>;

  constructor(
    private readonly records: IdempotencyRecords,
    private readonly key: string,
    held: Entry,
    private readonly record: IdempotencyRecord,
    readonly repeated: boolean,
    everyMs: number,
  ) {
    this.commandId = record.commandId;
    this.last = Promise.resolve(held);
    const extend = () => this.change(records.extended(record));
    this.lease = records.background.repeat('extend-idempotency-lease', extend, { everyMs, delayMs: everyMs });
  }

  async finish(status: number): Promise<void> {
    void this.lease.close();
    const end = this.change({ ...this.record, phase: this.phaseAfter(status), status });
    await this.records.background.once('end-idempotent-request', end);
  }

  private phaseAfter(status: number): IdempotencyRecord['phase'] {
    if (status < 400) return 'done';
    // A refusal after a run of unknown outcome does not show whether that run took effect.
    return status < 500 && !this.repeated ? 'free' : 'open';
  }

  /**
   * Writes one after another, and none after a failure, since another process may have the lease.
   * @throws errors of coordination
   */
  private async change(record: IdempotencyRecord): Promise<void> {
    this.last = this.last.then(
      (held) => held && this.records.write(this.key, { kind: 'version', version: held.version }, record),
    );
    await this.last;
  }
}
