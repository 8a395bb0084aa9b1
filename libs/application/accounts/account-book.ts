import { within } from '#deadline/within.js';
import { ENFORCEMENT, enforcementDecider, type Enforcement } from '#domain/billing/index.js';
import { UnavailableError } from '#domain/errors.js';
import { teamDecider, type Team } from '#domain/team/index.js';
import type { Application } from '../application.js';
import { BriefCache } from './brief-cache.js';
import { CHECKED_FOR_MS } from './revocation.js';

/** A team as it decides what its members may do: who they are, what they may see, and what they pay. */
export interface Account extends Team {
  /** Whether credits are enforced, on this installation. */
  readonly enforcement: Enforcement;
}

/** A check must answer within this time, or the request is 503. */
const CHECK_DEADLINE_MS = 3_000;

/**
 * The accounts, as they were at most a second ago. What it says is asked of the log itself, so every replica acts within a
 * second on what was changed anywhere.
 */
export class AccountBook {
  private readonly accounts: BriefCache<Account | null>;
  private readonly enforcement: BriefCache<Enforcement>;

  constructor(application: Application) {
    this.enforcement = new BriefCache(() => application.load(enforcementDecider, ENFORCEMENT), CHECKED_FOR_MS);
    this.accounts = new BriefCache(async (teamId) => {
      const [team, enforcement] = await Promise.all([
        application.load(teamDecider, teamId),
        this.enforcement.fresh(ENFORCEMENT) ?? this.enforcement.load(ENFORCEMENT),
      ]);
      return team.status === 'none' ? null : { ...team, enforcement };
    }, CHECKED_FOR_MS);
  }

  /**
   * At once where it was asked within the last second.
   * @returns null when there is no such team
   * @throws UnavailableError when it cannot be asked now
   */
  find(teamId: string): Account | null | Promise<Account | null> {
    const known = this.accounts.fresh(teamId);
    return known === undefined ? inTime(this.accounts.load(teamId)) : known;
  }

  /** As `find`. @throws UnavailableError also when there is no such team: it has members, so the log is behind */
  of(teamId: string): Account | Promise<Account> {
    const found = this.find(teamId);
    return found instanceof Promise ? found.then(present) : present(found);
  }

  async rolloutsOf({ teamId }: { readonly teamId: string }): Promise<ReadonlySet<string>> {
    return (await this.of(teamId)).rollouts;
  }

  /** It was changed here: what begins from now on acts on the change. */
  drop(teamId: string): void {
    this.accounts.drop(teamId);
  }

  /** The enforcement was changed here. */
  dropAll(): void {
    this.enforcement.clear();
    this.accounts.clear();
  }
}

function present(account: Account | null): Account {
  if (account) return account;
  throw new UnavailableError('the account cannot be read now; try again');
}

const inTime = <T>(check: Promise<T>): Promise<T> =>
  within(CHECK_DEADLINE_MS, check, () => new UnavailableError('the account cannot be checked now; try again'));
