import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { seal, SecretKey, unseal } from './index.js';

const secret = new SecretKey(randomBytes(32));

it('a sealed text opens only under the same secret and context', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'binary' }).filter((text) => text.isWellFormed()),
      (text) => {
        const sealed = seal(secret, text, 'a');
        expect(unseal(secret, sealed, 'a')).toBe(text);
        expect(unseal(secret, sealed, 'b')).toBeNull();
        expect(unseal(new SecretKey(randomBytes(32)), sealed, 'a')).toBeNull();
      },
    ),
  );
});

it('a text sealed twice looks different, reveals nothing, and cannot be altered', () => {
  const sealed = seal(secret, 'hf_secret', 'a');
  expect(sealed).not.toBe(seal(secret, 'hf_secret', 'a'));
  expect(Buffer.from(sealed, 'base64').toString('latin1')).not.toContain('hf_');
  const bytes = Buffer.from(sealed, 'base64');
  for (let at = 0; at < bytes.length; at += 1) {
    const changed = Buffer.from(bytes);
    changed[at]! ^= 1;
    expect(unseal(secret, changed.toString('base64'), 'a')).toBeNull();
  }
  for (const odd of ['', 'x', 'AAAA', '!']) expect(unseal(secret, odd, 'a')).toBeNull();
});
