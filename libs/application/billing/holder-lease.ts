import { v7 as uuid7 } from 'uuid';
import type { Coordination } from '#ports/coordination/port.js';

const TERM_MS = 15_000;
/** It is acted on for less than its term, since clocks do not run alike. */
const SURE_MS = (TERM_MS * 3) / 4;

export const leaseOf = (holder: string): string => `credits:holder:${holder.split('.', 1)[0]}`;
export const HOLDER_TERM_MS = TERM_MS;

/**
 * By this lease others know that a holder of allotments is alive. A name whose lease has run out is never used again: what it
 * held may be somebody else's by now.
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

  /** @returns false when it has run out: it is over for good */
  async extend(): Promise<boolean> {
    if (this.lapsed || (this.held && !this.isSure)) return this.lapse();
    const asked = this.now();
    const lease = await this.coordination.acquireLease(leaseOf(this.name), this.name, TERM_MS);
    // The answer may have come when it was over.
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
