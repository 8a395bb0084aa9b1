import { Injectable } from '@nestjs/common';
import { Application } from '#application/application.js';
import type { Caller } from '#application/caller.js';
import type { KeyLimits } from '#domain/api-key/index.js';
import { Settings } from '#settings/index.js';
import { FixedWindows, type RateVerdict } from './fixed-windows.js';
import { keyLimit } from './key-rates.js';
import { RATE_LIMITS, type RateLimitName } from './limit-table.js';
import { takeSliding } from './sliding-list.js';

type Verdict = RateVerdict | null | Promise<RateVerdict | null>;

/** Limits of requests that call models. */
const OF_CALLS: readonly RateLimitName[] = ['inference', 'gliner-2', 'generate'];

/** Counts calls and commands against the limits of the caller's account and of the caller's API key. */
@Injectable()
export class RateLimits {
  private readonly windows: FixedWindows;

  constructor(
    private readonly application: Application,
    private readonly settings: Settings,
  ) {
    this.windows = new FixedWindows(application.ports.coordination);
  }

  /**
   * Counts one; synchronous if the share lasts, null if nothing is limited.
   * @returns the verdict of the limit that refuses, or else of the key's own if it has one
   */
  take(name: RateLimitName, caller: Pick<Caller, 'userId' | 'keyId' | 'limits'>): Verdict {
    const { userId, keyId, limits } = caller;
    const ofAccount = this.ofAccount(name, userId);
    if (!limits || keyId === null || !OF_CALLS.includes(name)) return ofAccount;
    return this.ofBoth(ofAccount, keyId, limits);
  }

  /** Counts a call of a key whose request was not counted, such as a batch's. */
  ofKey(keyId: string, limits: KeyLimits): Verdict {
    const tokens = keyLimit('key-tokens', limits);
    const requests = keyLimit('key-requests', limits);
    const first = tokens && this.windows.take(tokens, keyId, 0);
    if (!requests) return first;
    const second = (left: RateVerdict | null): RateVerdict | Promise<RateVerdict> =>
      left?.allowed === false ? left : this.windows.take(requests, keyId);
    return first instanceof Promise ? first.then(second) : second(first);
  }

  /** Counts the tokens of a call of a key. */
  spend(keyId: string, limits: KeyLimits, tokens: number): void {
    const limit = keyLimit('key-tokens', limits);
    if (limit) this.windows.spend(limit, keyId, tokens);
  }

  private ofAccount(name: RateLimitName, userId: string): Verdict {
    if (!this.settings.rateLimits) return null;
    return name === 'training-start'
      ? takeSliding(this.application.ports.coordination, RATE_LIMITS[name], userId)
      : this.windows.take(RATE_LIMITS[name], userId);
  }

  private async ofBoth(ofAccount: Verdict, keyId: string, limits: KeyLimits): Promise<RateVerdict | null> {
    const account = await ofAccount;
    if (account?.allowed === false) return account;
    const own = await this.ofKey(keyId, limits);
    // Headers count requests.
    return own && (!own.allowed || own.limit.name === 'key-requests') ? own : account;
  }
}
