import { BillingError, RegionRestrictedError } from '#domain/errors.js';
import type { CatalogEntry } from '#model-catalog/catalog.js';
import type { Account, AccountBook } from '../accounts/index.js';
import type { Application } from '../application.js';
import { FREE, type Reservation } from './reservation.js';

/** A call that somebody wants to make. */
export interface Admission {
  readonly caller: { readonly teamId: string };
  /** The model that will run: for a trained one its base model. */
  readonly entry: Pick<CatalogEntry, 'id' | 'provider' | 'blocked_regions'>;
  /** Picodollars; see `worstCase`. */
  readonly worstCase: bigint;
}

/** Whether an account may make a call, by its region and its credits. One for each process. */
export class BillingGate {
  constructor(
    readonly application: Application,
    private readonly accounts: AccountBook,
  ) {}

  /**
   * To be asked before a call runs, after it is known that its model exists. At once where the account was looked at within
   * the last second and its credits are at hand.
   * @throws RegionRestrictedError the model is not for the account's region, whatever it pays
   * @throws BillingError its credits do not allow the call
   * @throws UnavailableError that cannot be told now
   */
  admit(admission: Admission): Reservation | Promise<Reservation> {
    const account = this.accounts.of(admission.caller.teamId);
    if (account instanceof Promise) return account.then((known) => this.decide(known, admission));
    return this.decide(account, admission);
  }

  private decide(account: Account, { entry }: Admission): Reservation {
    requireRegion(account, entry);
    const { enforced, cardRequired } = account.enforcement;
    if (!enforced) return FREE;
    if (cardRequired && !account.cardVerified)
      throw new BillingError('card_required', 'a verified payment method is needed before inference');
    return FREE;
  }
}

function requireRegion({ region }: Account, { id, blocked_regions }: Admission['entry']): void {
  if (region !== null && blocked_regions.includes(region))
    throw new RegionRestrictedError(`model ${id} is not available in the region of this account (${region})`);
}
