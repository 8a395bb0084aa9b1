import { HostedModelError } from './port.js';
import { ProviderRefusal } from './upstream-errors.js';

const FIRST_PAUSE_MS = 250;
/** A longer `Retry-After` goes to the caller instead of being waited for here. */
const MAX_PAUSE_MS = 2_000;

/** Whether a request without any part of an answer is retried. A timeout is not. */
export function isWorthRetrying(error: unknown): boolean {
  if (error instanceof ProviderRefusal && error.isFinal) return false;
  if (error instanceof HostedModelError)
    return error.kind === 'saturated' || (error.kind === 'unavailable' && (error.details.upstreamStatus ?? 0) >= 500);
  return !['UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT'].includes((error as { code?: string }).code ?? '');
}

/**
 * Milliseconds before the next try, with full jitter so that clients do not return together, and at least the
 * provider's Retry-After. null: that is too long.
 */
export function pauseBefore(error: unknown, tries: number): number | null {
  const asked = error instanceof ProviderRefusal ? (error.retryAfterMs ?? 0) : 0;
  if (asked > MAX_PAUSE_MS) return null;
  return Math.max(asked, Math.min(FIRST_PAUSE_MS * 2 ** tries, MAX_PAUSE_MS) * Math.random());
}
