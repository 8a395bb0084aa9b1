import type { Bus, Subscription } from '#ports/bus/port.js';
import type { Position } from '#ports/event-store/port.js';

/** The bus subject of a projection host's progress. */
export const PROJECTION_ADVANCED = 'projection.advanced';

export interface ProjectionAdvanced {
  readonly projection: string;
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

interface Waiter {
  readonly position: Position;
  readonly resolve: (seen: boolean) => void;
}

/**
 * Reading one's own writes: a command waits, briefly, until the read models that its caller reads next have seen it.
 * A wait that ends before means "written, not yet visible", and is a success.
 */
export class Visibility {
  private readonly seen = new Map<string, Position>();
  /** Projections that will not see a position in time; no request waits for them. */
  private readonly behind = new Set<string>();
  private readonly incomplete = new Set<string>();
  private readonly stale = new Set<string>();
  private readonly waiters = new Map<string, Set<Waiter>>();
  private readonly subscription: Subscription;

  constructor(
    bus: Bus,
    private readonly maxWaitMs = MAX_WAIT_MS,
  ) {
    this.subscription = bus.listen(PROJECTION_ADVANCED, (body) => this.advance(body as unknown as ProjectionAdvanced));
  }

  /** @returns whether all of them had seen the position in time */
  async wait(projections: readonly string[], position: Position | null): Promise<boolean> {
    if (position === null) return true;
    const waits = projections.map((projection) => this.waitOne(projection, position));
    return (await Promise.all(waits)).every(Boolean);
  }

  /** Whether the documents of a projection are known to cover only part of the log. */
  isIncomplete(projection: string): boolean {
    return this.incomplete.has(projection);
  }

  /** Whether recent events may be missing from the documents of a projection. */
  isStale(projection: string): boolean {
    return this.stale.has(projection);
  }

  async close(): Promise<void> {
    await this.subscription.stop();
    for (const waiters of this.waiters.values()) for (const waiter of waiters) waiter.resolve(false);
  }

  private waitOne(projection: string, position: Position): Promise<boolean> {
    if ((this.seen.get(projection) ?? '') >= position) return Promise.resolve(true);
    if (this.behind.has(projection)) return Promise.resolve(false);
    return new Promise((resolve) => {
      const waiters = this.waiters.get(projection) ?? new Set();
      this.waiters.set(projection, waiters);
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

  private advance({ projection, position, live, complete, stale }: ProjectionAdvanced): void {
    if (!complete) this.incomplete.add(projection);
    else this.incomplete.delete(projection);
    if (stale) this.stale.add(projection);
    else this.stale.delete(projection);
    // A late projection is half a second behind or more: only a longer wait may see it catch up.
    const isLate = !live && !stale && complete;
    if (live || (isLate && this.maxWaitMs > MAX_WAIT_MS)) this.behind.delete(projection);
    else this.behind.add(projection);
    this.seen.set(projection, position);
    for (const waiter of this.waiters.get(projection) ?? [])
      if (waiter.position <= position) waiter.resolve(true);
      else if (!live && !isLate) waiter.resolve(false);
  }
}
