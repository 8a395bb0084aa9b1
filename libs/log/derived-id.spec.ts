import fc from 'fast-check';
import { v5 } from 'uuid';
import { derivedUuid } from './derived-id.js';

it('derived ids are UUIDs of version 5 that never change', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (name) => {
      expect(derivedUuid(name)).toBe(v5(name, '5f0c9f5e-6a1b-5d0e-9c56-1f6f3b6b7a10'));
    }),
  );
});
