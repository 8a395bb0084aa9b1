import fc from 'fast-check';
import { CodePoints } from './code-points.js';

describe('offsets in code points', () => {
  it('convert back to the same UTF-16 offsets, at the ends of every character', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'binary', maxLength: 3 })), (parts) => {
        const text = parts.join('').toWellFormed();
        const { ofUtf16, toUtf16 } = new CodePoints(text);
        let utf16 = 0;
        for (const [codePoint, character] of [...text, ''].entries()) {
          expect([ofUtf16(utf16), toUtf16(codePoint)]).toEqual([codePoint, utf16]);
          utf16 += character.length;
        }
      }),
    );
  });
});
