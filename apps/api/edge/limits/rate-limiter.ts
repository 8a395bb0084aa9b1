import { Injectable } from '@nestjs/common';
import type { ServerResponse } from 'node:http';
import type { Caller } from '#application/caller.js';
import type { HttpError } from '../errors/http-error.js';
import { limitReached, resetTime } from '../errors/limit-reached.js';
import type { RateVerdict } from '#use-cases/limits/fixed-windows.js';
import { keyRefusal } from '#use-cases/limits/key-rates.js';
import type { RateLimitName } from '#use-cases/limits/limit-table.js';
import { RateLimits } from '#use-cases/limits/rate-limits.js';

/** Refuses calls beyond the limits of the caller's account and key. */
@Injectable()
export class RateLimiter {
  constructor(private readonly limits: RateLimits) {}

  /**
   * Counts a call; synchronous if the share lasts, null if nothing is limited.
   * @throws HttpError 429; KeyRateError
   */
  take(name: RateLimitName, caller: Caller): RateVerdict | null | Promise<RateVerdict | null> {
    const verdict = this.limits.take(name, caller);
    return verdict instanceof Promise ? verdict.then(obey) : obey(verdict);
  }
}

function obey(verdict: RateVerdict | null): RateVerdict | null {
  if (!verdict || verdict.allowed) return verdict;
  const { limit, resetInMs } = verdict;
  throw keyRefusal(verdict) ?? tooManyRequests(limit.limit, limit.windowMs, resetInMs);
}

/** Adds the headers with the caller's remaining calls. */
export function addLimitHeaders(response: ServerResponse, { limit, remaining, resetInMs }: RateVerdict): void {
  response.setHeader('x-ratelimit-limit', String(limit.limit));
  response.setHeader('x-ratelimit-remaining', String(remaining));
  response.setHeader('x-ratelimit-reset', resetTime(resetInMs));
}

/** A 429 with everything that a client needs to wait properly. `X-RateLimit-Reset` is in Unix seconds. */
export function tooManyRequests(limit: number, windowMs: number, resetInMs: number): HttpError {
  const seconds = Math.max(1, Math.ceil(resetInMs / 1000));
  const per = windowMs === 60_000 ? 'a minute' : windowMs === 3_600_000 ? 'an hour' : `${windowMs / 1000} seconds`;
  const message = `more than ${limit} requests in ${per}; try again in ${seconds} s`;
  return limitReached(message, { scope: 'request-rate', limit, resetInMs });
}
