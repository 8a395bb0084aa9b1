/**
 * 64-bit feature keys as two unsigned 32-bit lanes, since JavaScript has no fast 64-bit integers. The lanes use different
 * constants, so that two features share a key with the chance of a 64-bit collision. Part of the artifact format: changing
 * anything here makes saved adapters unreadable (raise `FEATURE_VERSION` in extractor.ts).
 */

/** FNV-1a over UTF-16 units with the final mix of MurmurHash3. */
export function hashHigh(text: string): number {
  let h = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) h = Math.imul(h ^ text.charCodeAt(i), 0x01000193);
  return mixHigh(h);
}

/** The other lane: another start and another odd multiplier. */
export function hashLow(text: string): number {
  let h = 0x2545f491;
  for (let i = 0; i < text.length; i++) {
    h = Math.imul(h + text.charCodeAt(i), 0x5bd1e995);
    h ^= h >>> 13;
  }
  return mixLow(h);
}

/** Finaliser of MurmurHash3 (Appleby): every input bit changes every output bit with chance one half. */
export function mixHigh(h: number): number {
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}

/** Finaliser "lowbias32" (Wellons, 2018). */
export function mixLow(h: number): number {
  h = Math.imul(h ^ (h >>> 16), 0x7feb352d);
  h = Math.imul(h ^ (h >>> 15), 0x846ca68b);
  return (h ^ (h >>> 16)) >>> 0;
}

/** Order-sensitive combination of two values of the high lane. */
export function joinHigh(a: number, b: number): number {
  return mixHigh((Math.imul(a, 31) + b + 0x9e3779b9) | 0);
}

/** Order-sensitive combination of two values of the low lane. */
export function joinLow(a: number, b: number): number {
  return mixLow((Math.imul(a, 0x01000193) ^ (b + 0x7f4a7c15)) | 0);
}
