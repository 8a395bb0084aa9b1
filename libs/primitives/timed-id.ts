import { randomFillSync } from 'node:crypto';
import { v7 as uuid7 } from 'uuid';

const BYTES = 16;
const pool = Buffer.alloc(256 * BYTES);
let used = pool.length;

/** A UUID of version 7, for what there is much of: random bytes are drawn for 256 of them at once. Ids of one millisecond have no order. */
export function timedId(): string {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  used += BYTES;
  return uuid7({ random: pool.subarray(used - BYTES, used) });
}
