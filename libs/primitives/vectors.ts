import { endianness } from 'node:os';

/** The scalar product; of vectors of length 1, their cosine. */
export function dot(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let at = 0; at < a.length; at++) sum += a[at]! * b[at]!;
  return sum;
}

/** A vector as 32-bit floats, little-endian, in base64. */
export const toBase64 = (vector: Float32Array): string =>
  littleEndian(Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength)).toString('base64');

/** The vector that `toBase64` wrote. @throws RangeError the text has no whole number of floats */
export function fromBase64(text: string): Float32Array {
  // A copy: a buffer may begin anywhere in its memory, and floats may not.
  const bytes = new Uint8Array(littleEndian(Buffer.from(text, 'base64')));
  return new Float32Array(bytes.buffer);
}

const littleEndian = (bytes: Buffer): Buffer => (endianness() === 'LE' ? bytes : bytes.swap32());
