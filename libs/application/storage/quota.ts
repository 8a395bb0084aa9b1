import { QuotaExceededError } from '#domain/errors.js';

export interface Amount {
  readonly bytes: number;
  readonly rows: number;
}

export const NOTHING: Amount = { bytes: 0, rows: 0 };

const UNITS = ['bytes', 'rows'] as const;

export const plus = (a: Amount, b: Amount): Amount => ({ bytes: a.bytes + b.bytes, rows: a.rows + b.rows });

export const minus = (a: Amount, b: Amount): Amount => ({ bytes: a.bytes - b.bytes, rows: a.rows - b.rows });

export const leftOf = (limit: Amount, used: Amount): Amount => ({
  bytes: Math.max(0, limit.bytes - used.bytes),
  rows: Math.max(0, limit.rows - used.rows),
});

/** @throws QuotaExceededError naming the first exceeded limit, the amount left, and how to make room */
export function requireRoom(limit: Amount, used: Amount, more: Amount): void {
  const unit = UNITS.find((each) => used[each] + more[each] > limit[each]);
  if (unit === undefined) return;
  const left = leftOf(limit, used)[unit];
  const most = `${limit[unit]} ${unit} that this workspace may store (stored_${unit})`;
  throw new QuotaExceededError(
    `storage quota: ${left === 0 ? `the ${most} are used up` : `this needs ${more[unit]} ${unit}, and ${left} of the ${most} are left`}; ` +
      'delete datasets, training jobs or evaluations, or ask the operator for more',
  );
}
