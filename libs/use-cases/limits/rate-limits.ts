import { Injectable } from '@nestjs/common';
import { Application } from '#application/application.js';
import type { Caller } from '#application/caller.js';
import { Settings } from '#settings/index.js';
import { FixedWindows, type RateVerdict } from './fixed-windows.js';
import { RATE_LIMITS, type RateLimitName } from './limit-table.js';
import { takeSliding } from './sliding-list.js';

/** Counts calls and commands against the limits of the caller's account. */
@Injectable()
export class RateLimits {
  private readonly windows: FixedWindows;

  constructor(
    private readonly application: Application,
    private readonly settings: Settings,
  ) {
    this.windows = new FixedWindows(application.ports.coordination);
  }

  /** Counts one; synchronous if the share lasts, null if nothing is limited. */
  take(name: RateLimitName, { userId }: Pick<Caller, 'userId'>): RateVerdict | null | Promise<RateVerdict> {
    if (!this.settings.rateLimits) return null;
    return name === 'training-start'
      ? takeSliding(this.application.ports.coordination, RATE_LIMITS[name], userId)
      : this.windows.take(RATE_LIMITS[name], userId);
  }
}
