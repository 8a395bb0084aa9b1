import {
  BillingError,
  ConflictError,
  InvalidError,
  NotFoundError,
  NotReadyYetError,
  QuotaExceededError,
  RegionRestrictedError,
} from '#domain/errors.js';

/** Order of errors (wire details, section 2): 422, 404, 451, 402 or 403, 409 or 425; 413 last. */
const ORDER = [
  InvalidError,
  NotFoundError,
  RegionRestrictedError,
  BillingError,
  ConflictError,
  NotReadyYetError,
  QuotaExceededError,
];

/**
 * Runs independent checks and returns their results.
 * @throws the error of a failed check; of several, the first by `ORDER`
 */
export async function allChecks<Results extends readonly unknown[]>(
  ...checks: { readonly [Index in keyof Results]: Promise<Results[Index]> }
): Promise<Results> {
  const settled = await Promise.allSettled(checks);
  const errors = settled.flatMap((each): unknown[] => (each.status === 'rejected' ? [each.reason] : []));
  if (errors.length === 0) return Promise.all(checks);
  throw errors.toSorted((a, b) => rank(a) - rank(b))[0];
}

/** Other errors, such as an outage, come first. */
const rank = (error: unknown): number => ORDER.findIndex((kind) => error instanceof kind);
