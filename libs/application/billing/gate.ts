import { BillingError, ForbiddenError, RegionRestrictedError } from '#domain/errors.js';
import { dollars } from '#domain/inference/index.js';
import type { CatalogEntry } from '#models/catalog/catalog.js';
import type { Account, AccountBook } from '../accounts/index.js';
import type { Application } from '../application.js';
import type { CreditRefusal } from './allotment.js';
import { Allotments, type AllotmentsOptions } from './allotments.js';
import { creditsOf } from './credits-of.js';
import { FREE, type Reservation } from './reservation.js';

/** A call to be admitted. */
export interface Admission {
  readonly caller: { readonly teamId: string };
  /** The model that will run: for a trained one its base model. */
  readonly entry: Pick<CatalogEntry, 'id' | 'provider' | 'blocked_regions'>;
  /** Picodollars; see `worstCase`. */
  readonly worstCase: bigint;
}

/** Decides whether an account may make a call, by its region and credits. One per process. */
export class BillingGate {
  readonly allotments: Allotments;

  constructor(
    application: Application,
    private readonly accounts: Pick<AccountBook, 'of'>,
    options: AllotmentsOptions = {},
  ) {
    this.allotments = new Allotments(application.ports.coordination, creditsOf(application, options.now), {
      background: application.background,
      ...options,
    });
  }

  /**
   * Admits a call before it runs, once its model is known to exist. Synchronous if the account was checked within the
   * last second and an allotment has enough.
   * @throws ForbiddenError the account is blocked
   * @throws RegionRestrictedError the model is not available in the account's region
   * @throws BillingError its credits do not allow the call
   * @throws UnavailableError, CoordinationUnavailableError when it cannot be decided now
   */
  admit(admission: Admission): Reservation | Promise<Reservation> {
    const account = this.accounts.of(admission.caller.teamId);
    if (account instanceof Promise) return account.then((known) => this.decide(known, admission));
    return this.decide(account, admission);
  }

  /** Returns all credits that it holds. Call it once no call is in flight. */
  close(): Promise<void> {
    return this.allotments.close();
  }

  /** Nest calls it once no request is in flight. */
  onApplicationShutdown(): Promise<void> {
    return this.close();
  }

  private decide(account: Account, { entry, worstCase }: Admission): Reservation | Promise<Reservation> {
    // Requests of a blocked account end at authentication, but a job may have begun before the block.
    if (account.blocked !== null) throw new ForbiddenError('this account is blocked');
    requireRegion(account, entry);
    const { enforced, cardRequired } = account.enforcement;
    if (!enforced) return FREE;
    if (cardRequired && !account.cardVerified)
      throw new BillingError('card_required', 'a verified payment method is needed before inference');
    const direct = entry.provider !== null;
    const atHand = direct ? null : this.allotments.reserveAtHand(account.teamId, worstCase);
    return atHand ?? this.obtain(account.teamId, entry, worstCase);
  }

  private async obtain(teamId: string, entry: Admission['entry'], worstCase: bigint): Promise<Reservation> {
    return this.allotments.withOpen(teamId, async (allotment) => {
      if (entry.provider !== null && (await allotment.paidBalance()) <= 0n) throw unpaid(entry.id);
      const obtained = await allotment.obtain(worstCase);
      if ('chargedTo' in obtained) return obtained;
      throw refused(obtained, worstCase);
    });
  }
}

function requireRegion({ region }: Account, { id, blocked_regions }: Admission['entry']): void {
  if (region !== null && blocked_regions.includes(region))
    throw new RegionRestrictedError(`model ${id} is not available in the region of this account (${region})`);
}

const unpaid = (model: string): BillingError =>
  new BillingError(
    'direct_model_requires_credits',
    `${model} is served by an external provider, which needs a paid balance: included credits do not pay for it`,
  );

/** Prints all digits, since sums may be far below a cent. */
export const inDollars = (picodollars: bigint): string =>
  `$${dollars(picodollars).toLocaleString('en-US', { maximumFractionDigits: 12, useGrouping: false })}`;

function refused({ available, byCeiling }: CreditRefusal, worstCase: bigint): BillingError {
  const sums = `this call may cost up to ${inDollars(worstCase)}, and ${inDollars(available > 0n ? available : 0n)} is available`;
  return byCeiling
    ? new BillingError('credit_ceiling_reached', `the team's overage ceiling for this month is reached: ${sums}`)
    : new BillingError('out_of_credits', `the team's credits are used up: ${sums}`);
}
