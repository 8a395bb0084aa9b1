import { Injectable } from '@nestjs/common';
import type { TooMany } from '#application/accounts/index.js';
import { tooManyRequests } from '../limits/rate-limiter.js';

const MAX_NETWORKS = 10_000;

/**
 * Networks that have used up their sign-in attempts, as far as this process knows. They are refused before their next
 * body is read, without asking coordination.
 */
@Injectable()
export class RefusedNetworks {
  private readonly until = new Map<string, TooMany & { readonly endsAt: number }>();

  /** @throws HttpError 429 */
  requireAllowed(network: string): void {
    const refused = this.until.get(network);
    if (!refused) return;
    const endsInMs = refused.endsAt - performance.now();
    if (endsInMs > 0) throw tooManyRequests(refused.limit, refused.windowMs, endsInMs);
    this.until.delete(network);
  }

  refuse(network: string, tooMany: TooMany): void {
    this.until.delete(network);
    this.until.set(network, { ...tooMany, endsAt: performance.now() + tooMany.endsInMs });
    if (this.until.size > MAX_NETWORKS) for (const oldest of this.until.keys()) return void this.until.delete(oldest);
  }
}
