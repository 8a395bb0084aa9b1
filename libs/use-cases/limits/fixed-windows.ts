import { CoordinationUnavailableError, type Coordination } from '#ports/coordination/port.js';
import type { RateLimit } from './limit-table.js';

/** The answer of a limit to one call. */
export interface RateVerdict {
  readonly allowed: boolean;
  readonly limit: RateLimit;
  /** Calls left, to the knowledge of this process: shares of other replicas count as used. */
  readonly remaining: number;
  /** Milliseconds until the limit lets calls through again, or until its window restarts. */
  readonly resetInMs: number;
}

/**
 * Fixed windows counted across replicas. Each takes a fiftieth of a window's calls at a time from coordination and gives
 * them out by itself: it may refuse a little early, never late. While coordination is away each replica counts by itself.
 */
export class FixedWindows {
  private readonly shares = new Map<string, Share>();
  private nextSweep = 0;

  constructor(
    private readonly coordination: Coordination,
    private readonly now: () => number = Date.now,
  ) {}

  /**
   * Synchronous while the share lasts.
   * @param count 0 only asks whether anything is left, of what is spent once it is known
   */
  take(limit: RateLimit, account: string, count: 0 | 1 = 1): RateVerdict | Promise<RateVerdict> {
    const now = this.now();
    const key = keyOf(limit, account);
    const share = this.shareOf(key, limit, now);
    const resetInMs = share.endsAt - now;
    if (share.left > 0) {
      share.left -= count;
      return { allowed: true, limit, remaining: Math.max(0, limit.limit - share.taken + share.left), resetInMs };
    }
    if (share.exhausted) return { allowed: false, limit, remaining: 0, resetInMs };
    return this.takeBlock(key, share, limit).then(() => this.take(limit, account, count));
  }

  /** Counts what is used already, also beyond the limit. Nothing waits for coordination. */
  spend(limit: RateLimit, account: string, count: number): void {
    const key = keyOf(limit, account);
    const share = this.shareOf(key, limit, this.now());
    share.left -= count;
    if (share.left >= 0) return;
    const owed = -share.left;
    share.left = 0;
    share.taken += owed;
    if (share.taken >= limit.limit) share.exhausted = true;
    this.coordination.increment(keyInWindow(key, share), owed, limit.windowMs * 2).then(
      ({ value }) => {
        share.taken = Math.max(share.taken, value);
        if (value >= limit.limit) share.exhausted = true;
      },
      // Counted only here.
      () => undefined,
    );
  }

  private shareOf(key: string, { limit, windowMs }: RateLimit, now: number): Share {
    const window = Math.floor(now / windowMs);
    const known = this.shares.get(key);
    if (known?.window === window) {
      // A limit that was raised lets more through at once, and one that was lowered no more than itself.
      if (known.limit !== limit) {
        Object.assign(known, { limit, exhausted: false });
        clip(known);
      }
      return known;
    }
    const endsAt = (window + 1) * windowMs;
    const share: Share = { window, limit, endsAt, left: 0, taken: 0, exhausted: false, taking: null };
    this.shares.set(key, share);
    this.forgetPast(now);
    return share;
  }

  private takeBlock(key: string, share: Share, limit: RateLimit): Promise<void> {
    const block = Math.max(1, Math.floor(limit.limit / 50));
    share.taking ??= this.coordination
      .increment(keyInWindow(key, share), block, limit.windowMs * 2, limit.limit)
      .then(({ applied, value }) => {
        share.taken = value;
        if (applied) share.left += block;
        else share.exhausted = true;
        // The limit may have been lowered meanwhile.
        clip(share);
      })
      .catch((error: unknown) => {
        if (!(error instanceof CoordinationUnavailableError)) throw error;
        // Counted only here until coordination accepts writes again, so that reads continue.
        if (share.taken + block > limit.limit) share.exhausted = true;
        else {
          share.taken += block;
          share.left += block;
        }
      })
      .finally(() => {
        share.taking = null;
      });
    return share.taking;
  }

  /** Windows that have ended are of no use; cleared away now and then, so that accounts do not pile up. */
  private forgetPast(now: number): void {
    if (this.shares.size < 1_000 || now < this.nextSweep) return;
    this.nextSweep = now + SWEEP_EVERY_MS;
    for (const [key, { endsAt }] of this.shares) if (endsAt <= now) this.shares.delete(key);
  }
}

const SWEEP_EVERY_MS = 60_000;

const keyOf = ({ name }: RateLimit, account: string): string => `${name}:${account}`;

const keyInWindow = (key: string, { window }: Share): string => `rate:${key}:${window}`;

/** Gives up what a share has beyond its limit. */
function clip(share: Share): void {
  const used = share.taken - share.left;
  share.left = Math.max(0, Math.min(share.left, share.limit - used));
  share.taken = used + share.left;
}

interface Share {
  readonly window: number;
  limit: number;
  readonly endsAt: number;
  left: number;
  /** Count of all replicas at this one's last request. */
  taken: number;
  exhausted: boolean;
  taking: Promise<void> | null;
}
