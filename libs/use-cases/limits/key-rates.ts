import type { KeyLimits } from '#domain/api-key/index.js';
import { KeyRateError } from '#domain/errors.js';
import type { RateVerdict } from './fixed-windows.js';
import { MINUTE, type RateLimit } from './limit-table.js';

/** Limits of an API key's own, by its account: the key. */
export const KEY_LIMITS = {
  'key-requests': { field: 'requestsPerMinute', of: 'requests', one: 'request', named: 'requests_per_minute' },
  'key-tokens': { field: 'tokensPerMinute', of: 'tokens', one: 'token', named: 'tokens_per_minute' },
} as const;

type KeyLimitName = keyof typeof KEY_LIMITS;

/** null: the key has no such limit. */
export function keyLimit(name: KeyLimitName, limits: KeyLimits): RateLimit | null {
  const limit = limits[KEY_LIMITS[name].field];
  return limit === undefined ? null : { name, limit, windowMs: MINUTE };
}

/** The refusal by a key's own limit; null if another limit refused. */
export function keyRefusal({ limit: { name, limit }, resetInMs }: RateVerdict): KeyRateError | null {
  if (!(name in KEY_LIMITS)) return null;
  const { of, one, named } = KEY_LIMITS[name as KeyLimitName];
  const message = `this API key may use ${limit} ${limit === 1 ? one : of} in a minute (its limit ${named}); try again in ${Math.max(1, Math.ceil(resetInMs / 1000))} s, or have its owner raise the limit`;
  return new KeyRateError(message, name, limit, resetInMs);
}
