import fc from 'fast-check';
import { randomBytes } from 'node:crypto';
import { decipheredFrom, objectCipher } from './index.js';

async function* pieces(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += 7) yield bytes.subarray(at, at + 7);
}

it('an encrypted object can be read from any byte', () =>
  fc.assert(
    fc.asyncProperty(fc.uint8Array({ minLength: 1, maxLength: 200 }), fc.nat(199), async (content, from) => {
      const key = randomBytes(32);
      const stored = objectCipher(key).update(content);
      expect(stored.length).toBe(content.length);
      const start = Math.min(from, content.length - 1);
      const read = await Array.fromAsync(decipheredFrom(pieces(stored.subarray(start)), key.toString('base64'), start));
      expect(Buffer.concat(read)).toEqual(Buffer.from(content.subarray(start)));
    }),
  ));
