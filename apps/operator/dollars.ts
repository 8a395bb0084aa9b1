import type { Json } from '#domain/json.js';
import { OperationError } from './operation.js';

/**
 * An amount as people write it: `12`, `12.50`, `-0.000001`.
 * @returns picodollars
 * @throws OperationError
 */
export function picodollarsOf(amount: Json | undefined): bigint {
  const text = typeof amount === 'string' ? amount : JSON.stringify(amount ?? null);
  const [, sign, whole = '', fraction = ''] = /^(-?)(\d{1,9})(?:\.(\d{1,12}))?$/.exec(text) ?? [];
  if (sign === undefined)
    throw new OperationError(
      `${text} is no amount: give dollars, such as 25 or 0.10, at most 999999999, with at most 12 decimals`,
    );
  const picodollars = BigInt(whole) * 1_000_000_000_000n + BigInt(fraction.padEnd(12, '0'));
  return sign === '-' ? -picodollars : picodollars;
}

/** Exact, with at least two decimals: `-1.50`. */
export function inDollars(picodollars: bigint): string {
  const digits = String(picodollars < 0n ? -picodollars : picodollars).padStart(13, '0');
  const fraction = digits.slice(-12).replace(/0+$/, '').padEnd(2, '0');
  return `${picodollars < 0n ? '-' : ''}${digits.slice(0, -12)}.${fraction}`;
}
