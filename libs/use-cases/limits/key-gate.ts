import { Injectable } from '@nestjs/common';
import type { BriefCache } from '#application/accounts/brief-cache.js';
import { findKey } from '#application/accounts/index.js';
import { Application } from '#application/application.js';
import { BillingGate, KeyBudgets, outputWithin, type Reservation } from '#application/billing/index.js';
import type { BatchBudget, Caller } from '#application/caller.js';
import type { CallGate, CallToAdmit } from '#calls/lifecycle.js';
import { allowsModel, hasLimits, type KeyLimits } from '#domain/api-key/index.js';
import { ForbiddenError } from '#domain/errors.js';
import { Catalog } from '#models/catalog/catalog.js';
import { keyRefusal } from './key-rates.js';
import { RateLimits } from './rate-limits.js';

/** Admits calls of models by the limits of their key, and then by the credits of its team. */
@Injectable()
export class KeyGate implements CallGate {
  /** Limits of the keys of earlier requests, by key id. */
  private readonly known: BriefCache<KeyLimits | null>;

  constructor(
    application: Application,
    private readonly billing: BillingGate,
    private readonly budgets: KeyBudgets,
    private readonly rates: RateLimits,
    private readonly catalog: Catalog,
  ) {
    this.known = application.remember(async (keyId) => {
      const key = await findKey(application, keyId);
      return key?.limits && hasLimits(key.limits) ? key.limits : null;
    });
  }

  /**
   * As the billing gate, which alone decides on calls without a limited key.
   * @throws ForbiddenError the key does not allow the model
   * @throws KeyRateError its rates are used up
   * @throws BillingError its budget is used up
   */
  admit(call: CallToAdmit): Reservation | Promise<Reservation> {
    const { caller, isFree = false } = call;
    return caller.batchBudget && !isFree ? this.ofBatch(caller.batchBudget, call) : this.ofKey(call);
  }

  /** @throws BillingError the budget of its batch is used up; as `ofKey` */
  private async ofBatch(budget: BatchBudget, call: CallToAdmit): Promise<Reservation> {
    const budgeted = await this.budgets.reserveOfBatch(budget, call.worstCase);
    try {
      return withBudget(await this.ofKey(call), budgeted);
    } catch (error) {
      budgeted.release();
      throw error;
    }
  }

  private ofKey(call: CallToAdmit): Reservation | Promise<Reservation> {
    const limits = this.limitsOf(call.caller);
    if (limits === null) return this.billing.admit(call);
    return limits instanceof Promise
      ? limits.then((known) => (known ? this.limited(known, call) : this.billing.admit(call)))
      : this.limited(limits, call);
  }

  /**
   * Refuses work that could not call its model later.
   * @param ids of the model: as the caller wrote it, and what that refers to
   * @throws ForbiddenError the caller's key does not allow it
   */
  async requireModel(caller: Caller, ...ids: readonly string[]): Promise<void> {
    const limits = await this.limitsOf(caller);
    if (!limits) return;
    const entries = ids.map((id) => this.catalog.resolve(id)).filter((entry) => entry !== null);
    requireAllowed(limits, [...ids, ...entries.flatMap((entry) => this.catalog.namesOf(entry))]);
  }

  private limitsOf({ keyId, limits }: Caller): KeyLimits | null | Promise<KeyLimits | null> {
    if (limits !== undefined || keyId === null) return limits ?? null;
    const known = this.known.fresh(keyId);
    return known === undefined ? this.known.load(keyId) : known;
  }

  private async limited(limits: KeyLimits, call: CallToAdmit): Promise<Reservation> {
    const { caller, model, worstCase, most, shadowOf, isFree = false } = call;
    const keyId = caller.keyId!;
    // What a name's shadow answers, nobody asked for: it costs the key's money, and nothing else of its limits.
    const isAsked = shadowOf === undefined;
    if (isAsked) requireAllowed(limits, idsOf(model, this.catalog));
    if (isFree) return this.billing.admit(call);
    // The requests of callers that bring their limits were counted as they came.
    const verdict = isAsked && caller.limits === undefined ? await this.rates.ofKey(keyId, limits) : null;
    const refusal = verdict?.allowed === false ? keyRefusal(verdict) : null;
    if (refusal) throw refusal;
    const budgeted = await this.budgets.reserve(keyId, limits, worstCase, (left) =>
      most ? outputWithin(model.price, most, left) : 0,
    );
    try {
      return this.both(await this.billing.admit(call), budgeted, keyId, isAsked ? limits : {});
    } catch (error) {
      budgeted?.release();
      throw error;
    }
  }

  private both(paid: Reservation, budgeted: Reservation | null, keyId: string, limits: KeyLimits): Reservation {
    const both = budgeted ? withBudget(paid, budgeted) : paid;
    return {
      chargedTo: both.chargedTo,
      ...(both.mustSuffice && { mustSuffice: true }),
      release: () => both.release(),
      settle: (cost, tokens = 0) => {
        both.settle(cost, tokens);
        this.rates.spend(keyId, limits, tokens);
      },
    };
  }
}

/** What is paid, and counts against a budget. */
const withBudget = (paid: Reservation, budgeted: Reservation): Reservation => ({
  chargedTo: paid.chargedTo,
  mustSuffice: true,
  settle: (cost, tokens = 0) => {
    paid.settle(cost, tokens);
    budgeted.settle(cost, tokens);
  },
  release: () => {
    paid.release();
    budgeted.release();
  },
});

type Ids = readonly (string | null | undefined)[];

/** All that a model is called by: as the caller wrote it, its name, and the id and aliases of what runs. */
const idsOf = ({ modelId, named, trainingJobId, entry }: CallToAdmit['model'], catalog: Catalog): Ids => [
  ...[modelId, named?.name, trainingJobId],
  ...(trainingJobId === null ? catalog.namesOf(entry) : []),
];

function requireAllowed(limits: KeyLimits, ids: Ids): void {
  if (allowsModel(limits, ids)) return;
  const allowed = limits.models!.slice(0, MAX_NAMED).join(', ');
  const more = limits.models!.length > MAX_NAMED ? ` and ${limits.models!.length - MAX_NAMED} more` : '';
  throw new ForbiddenError(
    `this API key may not call model ${ids[0]}; its limit models allows ${allowed}${more}: call one of these, or have the key's owner allow it`,
  );
}

const MAX_NAMED = 10;
