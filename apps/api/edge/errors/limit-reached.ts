import { HttpError } from './http-error.js';

/** A 429 of a limit. */
export function limitReached(
  message: string,
  { scope, limit, resetInMs }: { readonly scope: string; readonly limit: number; readonly resetInMs: number },
  cause?: unknown,
): HttpError {
  return new HttpError(429, message, {
    code: 'rate_limited',
    scope,
    retryAfterSeconds: Math.max(1, Math.ceil(resetInMs / 1000)),
    cause,
    headers: {
      'x-ratelimit-scope': scope,
      'x-ratelimit-code': 'rate_limited',
      'x-ratelimit-limit': String(limit),
      'x-ratelimit-remaining': '0',
      'x-ratelimit-reset': resetTime(resetInMs),
    },
  });
}

/** Unix seconds. */
export const resetTime = (resetInMs: number): string => String(Math.ceil((Date.now() + resetInMs) / 1000));
