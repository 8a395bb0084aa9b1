import type { Standing } from '#domain/ledger/index.js';
import type { Credits } from './credits.js';
import { heldStanding, spentIn, usedIn, withAllotment, withMonth, type HeldCredits } from './held-credits.js';
import type { Reservation } from './reservation.js';

/** An allotment is a fiftieth of the month's limit, or the cost of one call if that is more. */
const SHARE = 50n;

/** The reason why credits do not allow a call. */
export interface CreditRefusal {
  /** Credits left, counting the rest of this allotment as available. */
  readonly available: bigint;
  /** Whether only the ceiling forbids the call. */
  readonly byCeiling: boolean;
}

/** The allotment has ended, or other processes took its holder for dead. Begin another. */
export class AllotmentClosedError extends Error {
  override readonly name = 'AllotmentClosedError';
}

type Exchange =
  | { readonly kind: 'take'; readonly worstCase: bigint }
  | { readonly kind: 'tell' | 'give-back' }
  | { readonly kind: 'end'; readonly endedAt: number };

/**
 * The share of a team's monthly credits that one process may spend. Coordination counts the share as used, so this process
 * charges calls against it in memory. Amounts are picodollars.
 */
export class Allotment {
  private taken = 0n;
  private spent = 0n;
  private reserved = 0n;
  private tail: Promise<unknown> = Promise.resolve();
  private pending = 0;
  private registered = false;
  private ended = false;
  private overcommitted = false;
  /** Amounts spent and paid at the last exchange with coordination. */
  private shown: { readonly standing: Standing; readonly at: number } | null = null;
  /** Time of the last admitted call, on the monotonic clock. */
  usedAt: number;

  constructor(
    private readonly credits: Credits,
    readonly teamId: string,
    readonly month: string,
    readonly holder: string,
    private readonly now: () => number,
  ) {
    this.usedAt = now();
  }

  /** Whether no call and no exchange is in flight. */
  get isQuiet(): boolean {
    return this.reserved === 0n && this.pending === 0;
  }

  /** The amount neither spent nor reserved. Negative if a call cost more than its reservation. */
  get left(): bigint {
    return this.taken - this.spent - this.reserved;
  }

  /** Reserves synchronously if enough is left, else returns null. */
  reserve(worstCase: bigint): Reservation | null {
    if (this.ended || this.left < worstCase) return null;
    this.usedAt = this.now();
    this.reserved += worstCase;
    let open = true;
    const end = (cost: bigint) => {
      if (!open) return;
      open = false;
      this.reserved -= worstCase;
      this.spent += cost;
    };
    return { chargedTo: `${this.month}/${this.holder}`, settle: end, release: () => end(0n) };
  }

  /**
   * Reserves, withdrawing more of the team's credits if needed.
   * @throws AllotmentClosedError, CoordinationUnavailableError
   */
  async obtain(worstCase: bigint): Promise<Reservation | CreditRefusal> {
    for (;;) {
      const reservation = this.reserve(worstCase);
      if (reservation) return reservation;
      if (this.ended) throw new AllotmentClosedError(`${this.holder} has ended`);
      if (this.pending > 0) {
        await this.tail;
        continue;
      }
      const refusal = await this.exchange({ kind: 'take', worstCase });
      if (refusal && this.left < worstCase) return refusal;
    }
  }

  /** The paid balance less spending: at most a second old, or current if it is used up. */
  async paidBalance(): Promise<bigint> {
    const { shown } = this;
    if (!shown || this.now() - shown.at >= 1_000 || shown.standing.balance <= 0n) await this.tell();
    return this.shown!.standing.balance;
  }

  /** Reports the spending, and returns the rest if a limit was lowered below the amount that is out. */
  async tell(): Promise<void> {
    await this.exchange({ kind: 'tell' });
    if (this.overcommitted) await this.giveBack();
  }

  /** Reports the spending and returns the rest. */
  async giveBack(): Promise<void> {
    await this.exchange({ kind: 'give-back' });
  }

  /** Ends the allotment; nothing more is spent from it. Call it only while it is quiet. */
  async end(endedAt: number): Promise<void> {
    this.ended = true;
    await this.exchange({ kind: 'end', endedAt });
  }

  /**
   * Runs exchanges one after another. Each writes absolute amounts, so repeating one after an unknown outcome is safe.
   */
  private async exchange(what: Exchange): Promise<CreditRefusal | null> {
    const running = this.tail.then(() => this.exchangeNow(what));
    this.pending += 1;
    this.tail = running
      .catch(() => undefined)
      .finally(() => {
        this.pending -= 1;
      });
    const refusal = await running;
    await this.tail;
    return refusal;
  }

  private async exchangeNow(what: Exchange): Promise<CreditRefusal | null> {
    const at = this.now();
    // Lowered before the exchange, so that nothing is reserved from it in between.
    if (what.kind === 'give-back' || what.kind === 'end') this.taken = this.spent + this.reserved;
    const endedAt = what.kind === 'end' ? what.endedAt : null;
    const { taken, standing, refusal, overcommitted } = await this.credits.change(this.teamId, (before) => {
      const { spent } = this;
      const want = what.kind === 'take' ? larger(what.worstCase - this.left, 0n) : 0n;
      const base = larger(this.taken, spent + this.reserved);
      const held = withMonth(before, this.month);
      this.requireOpen(held);
      const withTaken = (amount: bigint) =>
        withAllotment(held, this.month, this.holder, { taken: amount, spent, endedAt });
      const { available, limit, paidBefore, included, used } = heldStanding(withTaken(base), this.month, usedIn);
      const granted = want === 0n || available < want ? 0n : smaller(available, larger(want, limit / SHARE));
      const withoutCeiling = included + larger(paidBefore, 0n) - used;
      const after = withTaken(base + granted);
      return {
        held: after,
        taken: base + granted,
        overcommitted: used > limit,
        standing: heldStanding(after, this.month, spentIn),
        refusal: available < want ? { available: available + this.left, byCeiling: withoutCeiling >= want } : null,
      };
    });
    this.registered = true;
    this.taken = taken;
    this.overcommitted = overcommitted;
    this.shown = { standing, at };
    return refusal;
  }

  private requireOpen(held: HeldCredits): void {
    if (!this.registered) return;
    const own = held.months.find(({ month }) => month === this.month)?.allotments[this.holder];
    if (own && own.endedAt === null) return;
    this.ended = true;
    throw new AllotmentClosedError(`${this.holder} has been closed`);
  }
}

const larger = (a: bigint, b: bigint): bigint => (a > b ? a : b);
const smaller = (a: bigint, b: bigint): bigint => (a < b ? a : b);
