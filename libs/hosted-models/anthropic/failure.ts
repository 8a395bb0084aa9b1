import { HostedModelError } from '../port.js';
import type { Provider } from '../providers.js';
import { refusalOf } from '../upstream-errors.js';

/** Status of each error type (https://platform.claude.com/docs/en/api/errors), which streams lack. */
const STATUSES = new Map<unknown, number>([
  ['invalid_request_error', 400],
  ['authentication_error', 401],
  ['billing_error', 402],
  ['permission_error', 403],
  ['not_found_error', 404],
  ['request_too_large', 413],
  ['rate_limit_error', 429],
  ['api_error', 500],
  ['timeout_error', 504],
  ['overloaded_error', 529],
]);

/** The caller's error for a provider's error in place of an answer, or in the middle of one. */
export function failureOf(provider: Provider, error: unknown): HostedModelError {
  const { type } = (error ?? {}) as { readonly type?: unknown };
  const status = STATUSES.get(type) ?? 500;
  return refusalOf(provider, { status, headers: {} }, JSON.stringify({ error }));
}
