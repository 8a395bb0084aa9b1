import fc from 'fast-check';
import { tokenize, tokensOf } from './tokens.js';

const words = (text: string) => tokenize(text).map((token) => token.text);

describe('tokens', () => {
  it.each([
    [
      "We don't mail bob@x.io's https://a.b/c?d=1, ok?",
      ['We', 'don', "'t", 'mail', 'bob@x.io', "'s", 'https://a.b/c?d=1', ',', 'ok', '?'],
    ],
    ['@ann #win $5.50 10-12 3rd', ['@ann', '#win', '$', '5.50', '10-12', '3rd']],
    ['Dr. J. Smith of Acme Inc. in the U.S.', ['Dr.', 'J.', 'Smith', 'of', 'Acme', 'Inc.', 'in', 'the', 'U.S.']],
    ['AT&T and/or e-mail.', ['AT&T', 'and/or', 'e-mail', '.']],
    ["O'Brien’s", ["O'Brien", '’s']],
    ['東京 is big', ['東', '京', 'is', 'big']],
    ['a😀b', ['a', '😀', 'b']],
    ['It ends. So do we.', ['It', 'ends', '.', 'So', 'do', 'we', '.']],
  ])('are the words and signs of %j', (text, expected) => {
    expect(words(text)).toEqual(expected);
  });

  it('of two texts can be read alternately', () => {
    const [one, other] = [tokensOf('a bc def'), tokensOf('ghi jk')];
    const read = Array.from({ length: 4 }, () => [one.next().value?.text, other.next().value?.text]);
    expect(read).toEqual([
      ['a', 'ghi'],
      ['bc', 'jk'],
      ['def', undefined],
      [undefined, undefined],
    ]);
  });

  it('cover every character except spaces, in order, once, with exact offsets', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'binary' }), fc.lorem()), (text) => {
        let at = 0;
        for (const token of tokenize(text)) {
          expect(text.slice(at, token.start).trim()).toBe('');
          expect(text.slice(token.start, token.end)).toBe(token.text);
          expect(token.text).not.toBe('');
          at = token.end;
        }
        expect(text.slice(at).trim()).toBe('');
      }),
    );
  });
});
