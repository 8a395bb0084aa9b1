import { setTimeout as sleep } from 'node:timers/promises';
import { ABSENT, type Coordination } from '#ports/coordination/port.js';
import { UnavailableError } from '#domain/errors.js';
import { monthOf, type Ledger } from '#domain/ledger/index.js';
import { CREDITS_PREFIX, fromJson, openHeld, toJson, withLedger, type HeldCredits } from './held-credits.js';

/** Loads a team's credits when coordination has none. */
export interface CreditsSource {
  ledger(teamId: string): Promise<Ledger>;
  /** Cost per month of the team's calls that credits paid for. */
  spentByMonth(teamId: string): Promise<ReadonlyMap<string, bigint>>;
}

/** What of coordination is theirs, and the months that they are counted in. */
interface Holding {
  /** Beginning of the keys of their entries. */
  readonly prefix: string;
  /** @param now in milliseconds since 1970 */
  readonly monthAt: (now: number) => string;
  /** How long an entry stays after its last change, in milliseconds; undefined: for ever. */
  readonly ttlMs: (account: string) => number | undefined;
}

const OF_TEAMS: Holding = {
  prefix: CREDITS_PREFIX,
  monthAt: (now) => monthOf(new Date(now).toISOString()),
  ttlMs: () => undefined,
};

const TRIES = 50;
const MAX_TEAMS = 100_000;

/** The credits of all teams, or the budgets of keys, as coordination holds them: one entry each. */
export class Credits {
  private readonly opening = new Map<string, Promise<void>>();

  constructor(
    private readonly coordination: Coordination,
    private readonly source: CreditsSource,
    /** Milliseconds since 1970. */
    private readonly now: () => number = Date.now,
    private readonly holding: Holding = OF_TEAMS,
  ) {}

  /** The current month in UTC: `2026-11`. */
  get month(): string {
    return this.holding.monthAt(this.now());
  }

  /** Takes over the ledger's changes, such as a top-up. */
  async refresh(teamId: string): Promise<void> {
    await this.change(teamId, async (held) => {
      // Read after what is held, so that of two at once none puts an older ledger over a newer one.
      const ledger = await this.source.ledger(teamId);
      return { held: withLedger(held, ledger, this.month) };
    });
  }

  /** null until something was charged or reserved under enforcement. */
  async read(teamId: string): Promise<HeldCredits | null> {
    const entry = await this.coordination.get(this.keyOf(teamId));
    return entry && fromJson(entry.value);
  }

  /** The held credits of all teams. */
  async all(): Promise<ReadonlyMap<string, HeldCredits>> {
    const { prefix } = this.holding;
    const entries = await this.coordination.list(prefix, MAX_TEAMS);
    return new Map(entries.map(({ key, value }) => [key.slice(prefix.length), fromJson(value)]));
  }

  /**
   * Changes them by compare-and-set, opening them first if they are not held.
   * @param change changes nothing else; called again if another writer was faster; returning its argument changes nothing
   * @returns what it returned last
   * @throws CoordinationUnavailableError they may have been changed or not
   */
  async change<T extends { readonly held: HeldCredits }>(
    teamId: string,
    change: (held: HeldCredits) => T | Promise<T>,
  ): Promise<T> {
    const key = this.keyOf(teamId);
    const ttlMs = this.holding.ttlMs(teamId);
    for (let attempt = 0; attempt < TRIES; attempt += 1) {
      const entry = await this.coordination.get(key);
      if (!entry) {
        await this.open(teamId);
        continue;
      }
      const held = fromJson(entry.value);
      const changed = await change(held);
      if (changed.held === held) return changed;
      const expected = { kind: 'version', version: entry.version } as const;
      if (await this.coordination.compareAndSet(key, expected, toJson(changed.held), ttlMs)) return changed;
      await sleep(Math.random() * Math.min(attempt, 10) * 2);
    }
    throw new UnavailableError('too many requests are changing the credits of this team; try again');
  }

  /** Concurrent callers share one reading of the log. */
  private open(teamId: string): Promise<void> {
    const running = this.opening.get(teamId);
    if (running) return running;
    const opened = this.openFromLog(teamId).finally(() => this.opening.delete(teamId));
    this.opening.set(teamId, opened);
    return opened;
  }

  private async openFromLog(teamId: string): Promise<void> {
    const [ledger, spent] = await Promise.all([this.source.ledger(teamId), this.source.spentByMonth(teamId)]);
    const held = toJson(openHeld(ledger, spent, this.month));
    await this.coordination.compareAndSet(this.keyOf(teamId), ABSENT, held, this.holding.ttlMs(teamId));
  }

  private keyOf(account: string): string {
    return `${this.holding.prefix}${account}`;
  }
}
