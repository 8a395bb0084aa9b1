import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { QuantizedRows } from '../quantized.js';
import { visitTerms } from './terms.js';
import { buildVocabulary } from './vocabulary.js';

const termsOf = (text: string): string[] => {
  const terms: string[] = [];
  visitTerms(text, (high, low) => terms.push(`${high} ${low}`));
  return terms;
};
const everything = { minimumTexts: 1, maximumTerms: 1e6 };

describe('terms', () => {
  it('are words, word pairs, and runs of 3 to 5 characters of each word with its edges', () => {
    // "ab": the word, " ab", "ab ", " ab ". Then the word "c", the pair, " c ".
    expect(termsOf('ab')).toHaveLength(4);
    expect(termsOf('ab c')).toHaveLength(7);
    expect(termsOf('card')).toHaveLength(1 + 4 + 3 + 2);
  });

  it('are single characters and pairs, too, in scripts without blanks between words', () => {
    // The clause, its runs with edges, then four characters and three pairs.
    expect(termsOf('书很好看')).toHaveLength(1 + 4 + 3 + 2 + 4 + 3);
    const shared = new Set(termsOf('这本书很好')).intersection(new Set(termsOf('好书')));
    expect(shared.size).toBe(2);
    expect(new Set(termsOf('ウーん')).size).toBe(termsOf('ウーん').length);
  });

  it('do not depend on case or on how accents are encoded', () => {
    expect(termsOf('CAFÉ Noir')).toEqual(termsOf('cafe\u0301 noir'));
  });

  it('distinguish the order of two words', () => {
    const shared = termsOf('go home').filter((term) => termsOf('home go').includes(term));
    expect(shared).toHaveLength(termsOf('go home').length - 1);
  });

  it('distinguish a word, a pair and a run of the same letters', () => {
    expect(new Set(termsOf('abc')).size).toBe(termsOf('abc').length);
  });
});

describe('vocabulary', () => {
  it('gives vectors of length 1, larger weights to rare terms, and nothing for unknown texts', () => {
    const vocabulary = buildVocabulary(['the cat', 'the dog', 'the sea'], everything);
    const { indices, values } = vocabulary.vectorize('the cat');
    expect(values.reduce((sum, value) => sum + value * value, 0)).toBeCloseTo(1);
    // Terms are numbered as first seen: 0 is "the", then its four or so runs, then "cat".
    const cat = vocabulary.vectorize('cat').indices[0];
    const weightOf = (term: number | undefined) => values[indices.findIndex((index) => index === term)]!;
    expect(weightOf(cat)).toBeGreaterThan(weightOf(0));
    expect(vocabulary.vectorize('xyzzy').indices).toHaveLength(0);
    expect(vocabulary.vectorize('')).toEqual({ indices: new Int32Array(0), values: new Float32Array(0) });
  });

  it('keeps nothing of one text in the vector of the next', () => {
    const vocabulary = buildVocabulary(['one two two', 'two three'], everything);
    const first = vocabulary.vectorize('one two');
    vocabulary.vectorize('two two two three');
    expect(vocabulary.vectorize('one two')).toEqual(first);
  });

  it('drops terms in too few texts, and the rarest above the maximum', () => {
    const texts = ['red green', 'red blue', 'red'];
    expect(buildVocabulary(texts, { minimumTexts: 2, maximumTerms: 1e6 }).size).toBe(termsOf('red').length);
    expect(buildVocabulary(texts, { minimumTexts: 1, maximumTerms: 10 }).size).toBe(termsOf('red').length);
  });

  it('finds every term of its texts again, for any number of terms', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'grapheme' }), { minLength: 1, maxLength: 40 }), (texts) => {
        const vocabulary = buildVocabulary(texts, everything);
        const known = new Set(texts.flatMap(termsOf));
        expect(vocabulary.size).toBe(known.size);
        for (const text of texts) expect(vocabulary.vectorize(text).indices).toHaveLength(new Set(termsOf(text)).size);
      }),
      { numRuns: 50 },
    );
  });

  it('keeps an earlier vocabulary and adds the new terms after it', () => {
    const earlier = buildVocabulary(['alpha beta'], everything);
    const extended = buildVocabulary(['beta gamma', 'beta'], everything, earlier);
    expect(extended.weights.slice(0, earlier.size)).toEqual(earlier.weights);
    expect([...extended.vectorize('alpha beta').indices]).toEqual([...earlier.vectorize('alpha beta').indices]);
    expect(Math.min(...extended.vectorize('gamma').indices)).toBe(earlier.size);
  });
});

describe('quantised rows', () => {
  it('are off by at most half a step of their row', () => {
    fc.assert(
      fc.property(
        fc.array(fc.float({ noNaN: true, min: -100, max: 100 }), { minLength: 6, maxLength: 6 }),
        (numbers) => {
          const values = Float32Array.from(numbers);
          const restored = QuantizedRows.from(values, 3).toFloat32();
          for (let row = 0; row < 2; row++) {
            const own = values.subarray(3 * row, 3 * row + 3);
            const step = Math.max(...own.map(Math.abs)) / 127;
            own.forEach((value, k) =>
              expect(Math.abs(value - restored[3 * row + k]!)).toBeLessThanOrEqual(step * 0.501 + 1e-9),
            );
          }
        },
      ),
    );
  });
});
