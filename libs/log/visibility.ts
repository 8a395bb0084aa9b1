import type { Bus, Subscription } from '#ports/bus/port.js';
import type { Position } from '#ports/event-store/port.js';

/** The bus subject of a projection host's progress. */
export const PROJECTION_ADVANCED = 'projection.advanced';

export interface ProjectionAdvanced {
  /** Name of the collection, which says the version of the projection. */
  readonly collection: string;
  readonly position: Position;
  /** False while it is rebuilding or far behind. */
  readonly live: boolean;
  /** False while its documents cover only part of the log. */
  readonly complete: boolean;
  /** Whether recent events may be missing, because the read model cannot advance. */
  readonly stale: boolean;
}

/** Longer than a read model takes beside a busy log, and short enough for a request. */
const MAX_WAIT_MS = 500;
/** Progress is told every second: after so long without, nobody writes the collection. */
const SILENCE_MS = 5_000;

interface Waiter {
  readonly position: Position;
  readonly resolve: (seen: boolean) => void;
}

/**
 * Reading one's own writes: a command waits, briefly, until the read models that its caller reads next have seen it.
 * A wait that ends before means "written, not yet visible", and is a success. Read models are named by their collections,
 * so that progress of other versions, which processes of other releases make, says nothing of those that this one asks.
 */
export class Visibility {
  private readonly seen = new Map<string, Position>();
  /** When the last progress of each collection was heard; and of any, the first and the last. */
  private readonly heardAt = new Map<string, number>();
  private firstHeardAt = Infinity;
  private lastHeardAt = -Infinity;
  /** Collections that will not see a position in time; no request waits for them. */
  private readonly behind = new Set<string>();
  private readonly incomplete = new Set<string>();
  private readonly stale = new Set<string>();
  private readonly waiters = new Map<string, Set<Waiter>>();
  private readonly subscription: Subscription;

  /** @param now milliseconds of a clock that only goes on */
  constructor(
    bus: Bus,
    private readonly maxWaitMs = MAX_WAIT_MS,
    private readonly now: () => number = () => performance.now(),
  ) {
    this.subscription = bus.listen(PROJECTION_ADVANCED, (body) => this.advance(body as unknown as ProjectionAdvanced));
  }

  /** @returns whether all of them had seen the position in time */
  async wait(collections: readonly string[], position: Position | null): Promise<boolean> {
    if (position === null) return true;
    const waits = collections.map((collection) => this.waitOne(collection, position));
    return (await Promise.all(waits)).every(Boolean);
  }

  /** Whether a collection is known to cover only part of the log, or to be of a version that nobody has built yet. */
  isIncomplete(collection: string): boolean {
    return this.incomplete.has(collection) || (!this.heardAt.has(collection) && this.isLeftOut(collection));
  }

  /** Whether somebody told that a collection covers the whole log. */
  isWhole(collection: string): boolean {
    return this.heardAt.has(collection) && !this.incomplete.has(collection);
  }

  /** Whether recent events may be missing from a collection. */
  isStale(collection: string): boolean {
    return this.stale.has(collection) || this.isLeftOut(collection);
  }

  async close(): Promise<void> {
    await this.subscription.stop();
    for (const waiters of this.waiters.values()) for (const waiter of waiters) waiter.resolve(false);
  }

  /** Whether others tell of their progress, and nobody of this one's. */
  private isLeftOut(collection: string): boolean {
    return this.lastHeardAt - (this.heardAt.get(collection) ?? this.firstHeardAt) > SILENCE_MS;
  }

  private waitOne(collection: string, position: Position): Promise<boolean> {
    if ((this.seen.get(collection) ?? '') >= position) return Promise.resolve(true);
    if (this.behind.has(collection) || this.isLeftOut(collection)) return Promise.resolve(false);
    return new Promise((resolve) => {
      const waiters = this.waiters.get(collection) ?? new Set();
      this.waiters.set(collection, waiters);
      const timer = setTimeout(() => waiter.resolve(false), this.maxWaitMs);
      const waiter: Waiter = {
        position,
        resolve: (seen) => {
          clearTimeout(timer);
          waiters.delete(waiter);
          resolve(seen);
        },
      };
      waiters.add(waiter);
    });
  }

  private advance({ collection, position, live, complete, stale }: ProjectionAdvanced): void {
    this.lastHeardAt = this.now();
    this.firstHeardAt = Math.min(this.firstHeardAt, this.lastHeardAt);
    this.heardAt.set(collection, this.lastHeardAt);
    if (!complete) this.incomplete.add(collection);
    else this.incomplete.delete(collection);
    if (stale) this.stale.add(collection);
    else this.stale.delete(collection);
    // A late projection is half a second behind or more: only a longer wait may see it catch up.
    const isLate = !live && !stale && complete;
    if (live || (isLate && this.maxWaitMs > MAX_WAIT_MS)) this.behind.delete(collection);
    else this.behind.add(collection);
    this.seen.set(collection, position);
    for (const waiter of this.waiters.get(collection) ?? [])
      if (waiter.position <= position) waiter.resolve(true);
      else if (!live && !isLate) waiter.resolve(false);
  }
}
