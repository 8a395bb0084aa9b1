import type { Coordination, Lease } from '#ports/coordination/port.js';
import { MONOTONIC, type Clock } from './clock.js';

/** The source of leases: coordination, or `SOLE` in a single process. */
export type Leases = Pick<Coordination, 'acquireLease' | 'releaseLease'>;

/** Leases of a sole process, whose exclusiveness is ensured elsewhere: always free, and not stored. */
export const SOLE: Leases = {
  acquireLease: async (name, holder) => ({ name, holder, token: 1 }),
  releaseLease: async () => undefined,
};

export interface LeaseOptions {
  readonly leases: Leases;
  readonly name: string;
  /** Unique to this process start or this use, so that two holders never share a name. */
  readonly holder: string;
  /** Milliseconds after the last renewal until another holder may take the lease. */
  readonly termMs?: number;
  readonly clock?: Clock;
}

export const TERM_MS = 10_000;
/** Parts of a term: when a lease is renewed, when again after a failure, and until when it counts without. */
const RENEW = 1 / 4;
const RETRY = 1 / 16;
const COUNTS = 3 / 4;

/**
 * Takes a lease and renews it until it is released or lost.
 * @returns null while another holds it
 * @throws CoordinationUnavailableError
 */
export async function takeLease(options: LeaseOptions): Promise<HeldLease | null> {
  const { leases, name, holder, termMs = TERM_MS, clock = MONOTONIC } = options;
  const sentAt = clock.now();
  const lease = await leases.acquireLease(name, holder, termMs);
  return lease && new HeldLease(lease, sentAt, { leases, name, holder, termMs, clock });
}

/**
 * Runs `work` under a lease and always releases it afterwards; does nothing while another process holds it.
 * @param work its signal aborts with the one given, and when the lease is lost
 * @throws what the work throws; CoordinationUnavailableError
 */
export async function underLease(
  options: LeaseOptions,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const lease = await takeLease(options);
  if (lease === null) return;
  try {
    await work(AbortSignal.any([signal, lease.ended]));
  } finally {
    await lease.release();
  }
}

/**
 * A lease that is renewed. Its holder uses its own monotonic clock, counted from when the last successful renewal was
 * sent: it stops before others may begin. A holder whose process was suspended notices only after it resumes, so work
 * under a lease must be correct even if two processes believe they hold it.
 */
export class HeldLease {
  private readonly ending = new AbortController();
  private countsUntil = 0;
  private forgetEnd: () => void = () => undefined;
  private forgetRenewal: () => void = () => undefined;
  private renewing: Promise<void> = Promise.resolve();

  /** Use `takeLease`. */
  constructor(
    private lease: Lease,
    sentAt: number,
    private readonly options: Required<LeaseOptions>,
  ) {
    this.extend(sentAt);
    this.renewAfter(RENEW);
  }

  /** Aborts when it is lost: taken by another, not renewed in time, or released. */
  get ended(): AbortSignal {
    return this.ending.signal;
  }

  /**
   * Ends the lease and, if coordination is reachable, frees it for others immediately; never throws. A lease that has
   * ended is left to expire, because it may have been taken since.
   */
  async release(): Promise<void> {
    if (this.ended.aborted) return;
    this.end('released');
    // A renewal in flight would take the lease again.
    await this.renewing;
    await this.options.leases.releaseLease(this.lease).catch(() => undefined);
  }

  private extend(sentAt: number): void {
    const { clock, termMs } = this.options;
    this.countsUntil = sentAt + termMs * COUNTS;
    this.forgetEnd();
    this.forgetEnd = clock.after(this.countsUntil - clock.now(), () => this.end('not renewed in time'));
  }

  private renewAfter(part: number): void {
    const { clock, termMs } = this.options;
    this.forgetRenewal = clock.after(termMs * part, () => {
      this.renewing = this.renew();
    });
  }

  private async renew(): Promise<void> {
    const { leases, name, holder, termMs, clock } = this.options;
    const sentAt = clock.now();
    if (sentAt >= this.countsUntil) return this.end('not renewed in time');
    try {
      const lease = await leases.acquireLease(name, holder, termMs);
      const before = this.lease;
      this.lease = lease ?? before;
      if (this.ended.aborted) return;
      // Held again, but under another token: it had expired, and another may have held it in between.
      if (lease?.token !== before.token) return this.end('lost');
      this.extend(sentAt);
      this.renewAfter(RENEW);
    } catch {
      if (!this.ended.aborted) this.renewAfter(RETRY);
    }
  }

  private end(how: string): void {
    if (this.ended.aborted) return;
    this.forgetEnd();
    this.forgetRenewal();
    this.ending.abort(new Error(`the lease ${this.options.name} is ${how}`));
  }
}
