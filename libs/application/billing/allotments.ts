import type { Coordination } from '#ports/coordination/port.js';
import { UnavailableError } from '#domain/errors.js';
import { UNREPORTED, type Background, type Repeated } from '#primitives/background/background.js';
import { Allotment, AllotmentClosedError } from './allotment.js';
import type { Credits } from './credits.js';
import { HolderLease } from './holder-lease.js';
import type { Reservation } from './reservation.js';

/** Interval for reporting spending, returning unused amounts and renewing the lease. */
const TICK_MS = 3_000;
/** An allotment that has not been used for so long is ended. */
const END_AFTER_MS = 10 * 60_000;
const TRIES = 3;

export interface AllotmentsOptions {
  /** Milliseconds since 1970. */
  readonly now?: () => number;
  /** Milliseconds since whenever. */
  readonly monotonic?: () => number;
  /** Runs `tick`. */
  readonly background?: Background;
  /** The only month there is; default: those of the calendar. */
  readonly month?: string;
}

/** The allotments of all teams in one process. */
export class Allotments {
  private readonly now: () => number;
  private readonly monotonic: () => number;
  private readonly background: Background;
  private readonly current = new Map<string, Allotment>();
  /** Allotments of past months or long unused; each ends once its calls are over. */
  private readonly past = new Set<Allotment>();
  private lease: HolderLease;
  private becomingSure: Promise<void> | null = null;
  private made = 0;
  private ticking: Repeated | null = null;
  private monthEndsAt = -Infinity;
  private month = '';

  constructor(
    private readonly coordination: Coordination,
    private readonly credits: Credits,
    { now = Date.now, monotonic, background = UNREPORTED, month }: AllotmentsOptions = {},
  ) {
    this.now = now;
    this.background = background;
    if (month !== undefined) [this.month, this.monthEndsAt] = [month, Infinity];
    this.monotonic = monotonic ?? (now === Date.now ? () => performance.now() : now);
    this.lease = new HolderLease(coordination, this.monotonic);
  }

  /** Reserves synchronously from an open allotment; null if coordination must be asked. */
  reserveAtHand(teamId: string, worstCase: bigint): Reservation | null {
    const allotment = this.current.get(teamId);
    if (!allotment || !this.lease.isSure || allotment.month !== this.presentMonth()) return null;
    return allotment.reserve(worstCase);
  }

  /** The team's allotment for the current month, under a valid lease. @throws CoordinationUnavailableError, UnavailableError */
  async of(teamId: string): Promise<Allotment> {
    this.ticking ??= this.background.repeat('credits', () => this.tick(), { delayMs: TICK_MS, everyMs: TICK_MS });
    if (!this.lease.isSure)
      await (this.becomingSure ??= this.beSure().finally(() => {
        this.becomingSure = null;
      }));
    const month = this.presentMonth();
    const known = this.current.get(teamId);
    if (known?.month === month) return known;
    if (known) this.retire(known);
    this.made += 1;
    const holder = `${this.lease.name}.${this.made}`;
    const allotment = new Allotment(this.credits, teamId, month, holder, this.monotonic);
    this.current.set(teamId, allotment);
    return allotment;
  }

  /**
   * Runs a step with the account's allotment, and again with another one if that has been closed.
   * @throws as `of`, and what the step throws
   */
  async withOpen<T>(account: string, step: (allotment: Allotment) => Promise<T>): Promise<T> {
    for (let attempt = 0; attempt < TRIES; attempt += 1) {
      const allotment = await this.of(account);
      try {
        return await step(allotment);
      } catch (error) {
        if (!(error instanceof AllotmentClosedError)) throw error;
        this.forget(allotment);
      }
    }
    throw new UnavailableError('the credits cannot be checked now; try again');
  }

  /** Drops a closed allotment, so that the next call begins another. */
  forget(allotment: Allotment): void {
    if (this.current.get(allotment.teamId) === allotment) this.current.delete(allotment.teamId);
    this.past.delete(allotment);
  }

  /** Called from time to time. */
  async tick(): Promise<void> {
    const month = this.presentMonth();
    for (const allotment of this.current.values()) if (allotment.month !== month) this.retire(allotment);
    if (this.current.size + this.past.size === 0) return;
    if (!(await this.lease.extend())) {
      this.startAnew();
      return;
    }
    for (const allotment of [...this.current.values(), ...this.past]) await this.look(allotment);
  }

  /** Stops without returning credits, like a process that dies. */
  abandon(): void {
    void this.ticking?.close();
    this.ticking = null;
    this.current.clear();
    this.past.clear();
  }

  /** Returns all credits. Other processes reclaim what cannot be returned now, once the lease has expired. */
  async close(): Promise<void> {
    await this.ticking?.close();
    const all = [...this.current.values(), ...this.past];
    this.current.clear();
    this.past.clear();
    await Promise.all(
      all.map((each) => (each.isQuiet ? each.end(this.now()) : each.giveBack()).catch(() => undefined)),
    );
  }

  private async look(allotment: Allotment): Promise<void> {
    const idleMs = this.monotonic() - allotment.usedAt;
    if (allotment.isQuiet && idleMs >= END_AFTER_MS) this.retire(allotment);
    try {
      if (!this.past.has(allotment)) await (idleMs >= TICK_MS ? allotment.giveBack() : allotment.tell());
      else if (!allotment.isQuiet) await allotment.giveBack();
      else {
        await allotment.end(this.now());
        this.past.delete(allotment);
      }
    } catch (error) {
      if (!(error instanceof AllotmentClosedError)) throw error;
      this.forget(allotment);
    }
  }

  /** Other processes may have reclaimed these allotments; calls in flight are settled from the log. */
  private startAnew(): void {
    this.current.clear();
    this.past.clear();
    this.lease = new HolderLease(this.coordination, this.monotonic);
  }

  private retire(allotment: Allotment): void {
    if (this.current.get(allotment.teamId) === allotment) this.current.delete(allotment.teamId);
    this.past.add(allotment);
  }

  private async beSure(): Promise<void> {
    if (await this.lease.extend()) return;
    this.startAnew();
    if (!(await this.lease.extend())) throw new UnavailableError('the credits cannot be checked now; try again');
  }

  private presentMonth(): string {
    const now = this.now();
    if (now >= this.monthEndsAt) {
      const date = new Date(now);
      this.month = date.toISOString().slice(0, 7);
      this.monthEndsAt = Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1);
    }
    return this.month;
  }
}
