import { createCipheriv, createDecipheriv, type Cipheriv } from 'node:crypto';

const ALGORITHM = 'aes-256-ctr';
const BLOCK = 16;

/** Encrypts an object under its own key, keeping its size; any range can be decrypted alone. */
export const objectCipher = (key: Uint8Array): Cipheriv => createCipheriv(ALGORITHM, key, Buffer.alloc(BLOCK));

/**
 * Decrypts the content from byte `start` of an object.
 * @param key base64; absent if the object is not encrypted
 */
export async function* decipheredFrom(
  content: AsyncIterable<Uint8Array>,
  key: string | undefined,
  start = 0,
): AsyncGenerator<Uint8Array> {
  if (key === undefined) {
    yield* content;
    return;
  }
  const counter = Buffer.alloc(BLOCK);
  counter.writeBigUInt64BE(BigInt(Math.floor(start / BLOCK)), BLOCK / 2);
  const decipher = createDecipheriv(ALGORITHM, Buffer.from(key, 'base64'), counter);
  decipher.update(Buffer.alloc(start % BLOCK));
  for await (const piece of content) yield decipher.update(piece);
}
