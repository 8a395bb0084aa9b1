import { setTimeout as sleep } from 'node:timers/promises';
import { ABSENT, type Coordination } from '#ports/coordination/port.js';
import { UnavailableError } from '#domain/errors.js';
import { monthOf, type Ledger } from '#domain/ledger/index.js';
import {
  CREDITS_PREFIX,
  creditsKey,
  fromJson,
  openHeld,
  toJson,
  withLedger,
  type HeldCredits,
} from './held-credits.js';

/** Loads a team's credits when coordination has none. */
interface CreditsSource {
  ledger(teamId: string): Promise<Ledger>;
  /** Cost per month of the team's calls that credits paid for. */
  spentByMonth(teamId: string): Promise<ReadonlyMap<string, bigint>>;
}

const TRIES = 50;
const MAX_TEAMS = 100_000;

/** The credits of all teams, as coordination holds them: one entry each. */
export class Credits {
  private readonly opening = new Map<string, Promise<void>>();

  constructor(
    private readonly coordination: Coordination,
    private readonly source: CreditsSource,
    /** Milliseconds since 1970. */
    private readonly now: () => number = Date.now,
  ) {}

  /** The current month in UTC: `2026-11`. */
  get month(): string {
    return monthOf(new Date(this.now()).toISOString());
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
    const entry = await this.coordination.get(creditsKey(teamId));
    return entry && fromJson(entry.value);
  }

  /** The held credits of all teams. */
  async all(): Promise<ReadonlyMap<string, HeldCredits>> {
    const entries = await this.coordination.list(CREDITS_PREFIX, MAX_TEAMS);
    return new Map(entries.map(({ key, value }) => [key.slice(CREDITS_PREFIX.length), fromJson(value)]));
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
    const key = creditsKey(teamId);
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
      if (await this.coordination.compareAndSet(key, expected, toJson(changed.held))) return changed;
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
    await this.coordination.compareAndSet(creditsKey(teamId), ABSENT, toJson(openHeld(ledger, spent, this.month)));
  }
}
