import fc from 'fast-check';
import { createHmac } from 'node:crypto';
import { hmacSha256 } from './hmac.js';

it('hmac equals HMAC-SHA256 for any key and text', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 64 }), fc.string({ unit: 'binary', maxLength: 300 }), (key, text) => {
      expect(hmacSha256(key)(text)).toBe(createHmac('sha256', key).update(text).digest('hex'));
    }),
  );
});

it('hmac refuses a key that is too long', () => {
  expect(() => hmacSha256(new Uint8Array(65))).toThrow(/at most 64/);
});
