import { fromBase64, sha256 } from '../primitives.js';

/** Bytes of a hash. */
export const HASH_BYTES = 32;

/** Root of a tree without leaves (RFC 6962, 2.1): SHA-256 of nothing. */
export const EMPTY_ROOT = fromBase64('47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=');

/** SHA-256 of 0x00 and the entry: no leaf can be mistaken for an inner node. */
export function leafHash(entry: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(1 + entry.length);
  bytes[0] = 0;
  bytes.set(entry, 1);
  return sha256(bytes);
}

/** SHA-256 of 0x01 and the hashes of both children. */
export function nodeHash(left: Uint8Array, right: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(1 + 2 * HASH_BYTES);
  bytes[0] = 1;
  bytes.set(left, 1);
  bytes.set(right, 1 + HASH_BYTES);
  return sha256(bytes);
}

/** Root over hashes of subtrees of one size, in order; the last may be missing (RFC 6962's MTH). */
export function rootOf(hashes: readonly Uint8Array[]): Uint8Array {
  if (hashes.length === 0) return EMPTY_ROOT;
  if (hashes.length === 1) return hashes[0]!;
  const split = largestPowerBelow(hashes.length);
  return nodeHash(rootOf(hashes.slice(0, split)), rootOf(hashes.slice(split)));
}

/** The largest power of two that is smaller than `size`, which is 2 or more. Exact for all safe integers. */
export function largestPowerBelow(size: number): number {
  let power = 1;
  while (power * 2 < size) power *= 2;
  return power;
}
