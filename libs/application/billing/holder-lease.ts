import { v7 as uuid7 } from 'uuid';
import type { Coordination } from '#ports/coordination/port.js';

const TERM_MS = 15_000;
/** The lease is trusted for less than its term, because clocks run at different speeds. */
const SURE_MS = (TERM_MS * 3) / 4;

export const leaseOf = (holder: string): string => `credits:holder:${holder.split('.', 1)[0]}`;
export const HOLDER_TERM_MS = TERM_MS;

/**
 * Shows other processes that a holder of allotments is alive. An expired name is never used again, because its
 * allotments may have been reclaimed.
 */
export class HolderLease {
  readonly name = uuid7();
  private sureUntil = -Infinity;
  private lapsed = false;
  private held = false;

  constructor(
    private readonly coordination: Coordination,
    /** Monotonic, milliseconds. */
    private readonly now: () => number,
  ) {}

  get isSure(): boolean {
    return !this.lapsed && this.now() < this.sureUntil;
  }

  /** @returns false if the lease has expired, which is final */
  async extend(): Promise<boolean> {
    if (this.lapsed || (this.held && !this.isSure)) return this.lapse();
    const asked = this.now();
    const lease = await this.coordination.acquireLease(leaseOf(this.name), this.name, TERM_MS);
    // The answer may have come after the lease had expired.
    if (!lease || this.now() >= asked + SURE_MS) return this.lapse();
    this.held = true;
    this.sureUntil = asked + SURE_MS;
    return true;
  }

  private lapse(): false {
    this.lapsed = true;
    return false;
  }
}
