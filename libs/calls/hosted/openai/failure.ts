import { isRecord } from '#primitives/values.js';
import type { HostedModelError } from '../port.js';
import type { Provider } from '../providers.js';
import { refusalOf, senseless } from '../upstream-errors.js';

/**
 * Reads an `{error}` in place of an answer or in mid-stream, since some providers fail after a 200. null if there is
 * none.
 */
export function failureIn(value: unknown, provider: Provider): HostedModelError | null {
  if (!isRecord(value)) return null;
  // Older versions of vLLM have the error's fields at the top.
  const error = value['object'] === 'error' ? value : value['error'];
  if (!error) return null;
  const status = statusOf(error);
  if (status !== null) return refusalOf(provider, { status, headers: {} }, JSON.stringify({ error }));
  return senseless(provider, 'failed in the middle of its answer; try again');
}

/** The status is given as `code`, or by name as `type` or `code`. */
function statusOf(error: unknown): number | null {
  if (typeof error !== 'object' || error === null) return null;
  const { code, status, type } = error as Readonly<Record<string, unknown>>;
  for (const said of [code, status, type]) {
    if (typeof said === 'number' && said >= 400 && said < 600) return said;
    const meant = typeof said === 'string' ? STATUSES.get(said) : undefined;
    if (meant !== undefined) return meant;
  }
  return null;
}

const STATUSES: ReadonlyMap<string, number> = new Map([
  ['invalid_request_error', 400],
  ['context_length_exceeded', 400],
  ['model_not_found', 404],
  ['rate_limit_exceeded', 429],
  ['rate_limit_error', 429],
  ['tokens', 429],
  ['requests', 429],
  ['insufficient_quota', 429],
  ['overloaded', 529],
  ['overloaded_error', 529],
  ['server_overloaded', 529],
  ['engine_overloaded', 529],
  ['timeout', 504],
  ['timeout_error', 504],
]);
