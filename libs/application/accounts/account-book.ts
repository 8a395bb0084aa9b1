import { within } from '#primitives/waiting/within.js';
import { ENFORCEMENT, enforcementDecider, type Enforcement } from '#domain/billing/index.js';
import { UnavailableError } from '#domain/errors.js';
import { isMember, teamDecider, type Team } from '#domain/team/index.js';
import type { Application } from '../application.js';
import type { BriefCache } from './brief-cache.js';

/** A team with the data that decide what its members may do, see and pay. */
export interface Account extends Team {
  /** Whether this installation enforces credits. */
  readonly enforcement: Enforcement;
}

/** A check must answer within this time, or the request is 503. */
const CHECK_DEADLINE_MS = 3_000;

/**
 * The accounts, at most a second old. They are read from the log itself, so every replica acts on a change within a
 * second, wherever it was made.
 */
export class AccountBook {
  private readonly accounts: BriefCache<Account | null>;
  /** Accounts checked again for callers who are not among the remembered members: they may just have been added. */
  private readonly strangers: BriefCache<Account | null>;

  constructor(application: Application) {
    const enforcement = application.remember(() => application.load(enforcementDecider, ENFORCEMENT));
    const load = async (teamId: string): Promise<Account | null> => {
      // Loaded together, so that both have the same age.
      const [team, inForce] = await Promise.all([application.load(teamDecider, teamId), enforcement.load(ENFORCEMENT)]);
      return team.status === 'none' ? null : { ...team, enforcement: inForce };
    };
    this.accounts = application.remember(load);
    this.strangers = application.remember((key) => load(key.split('/', 1)[0]!));
  }

  /**
   * Returns the account synchronously if it was checked within the last second.
   * @returns null when there is no such team
   * @throws UnavailableError when the check cannot be made now
   */
  find(teamId: string): Account | null | Promise<Account | null> {
    const known = this.accounts.fresh(teamId);
    return known === undefined ? inTime(this.accounts.load(teamId)) : known;
  }

  /** As `find`, with the limits of this member. */
  findFor(teamId: string, userId: string): Account | null | Promise<Account | null> {
    const found = this.find(teamId);
    return found instanceof Promise
      ? found.then((account) => this.lookAgain(account, teamId, userId))
      : this.lookAgain(found, teamId, userId);
  }

  /**
   * As `find`.
   * @throws UnavailableError also for an unknown team: it has members, so the log is behind
   */
  of(teamId: string): Account | Promise<Account> {
    const found = this.find(teamId);
    return found instanceof Promise ? found.then(present) : present(found);
  }

  async rolloutsOf({ teamId }: { readonly teamId: string }): Promise<ReadonlySet<string>> {
    return (await this.of(teamId)).rollouts;
  }

  /** Forgets an account that was changed here, so that requests from now on see the change. */
  drop(teamId: string): void {
    this.accounts.drop(teamId);
  }

  private lookAgain(account: Account | null, teamId: string, userId: string): Account | null | Promise<Account | null> {
    if (account && isMember(account, userId)) return account;
    const key = `${teamId}/${userId}`;
    const known = this.strangers.fresh(key);
    return known === undefined ? inTime(this.strangers.load(key)) : known;
  }
}

function present(account: Account | null): Account {
  if (account) return account;
  throw new UnavailableError('the account cannot be read now; try again');
}

const inTime = <T>(check: Promise<T>): Promise<T> =>
  within(CHECK_DEADLINE_MS, check, () => new UnavailableError('the account cannot be checked now; try again'));
