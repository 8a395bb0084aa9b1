import { describe, expect, it } from '@jest/globals';
import { tokenize } from '#primitives/text/tokens.js';
import { candidatesOf } from './candidates.js';

/** Texts of the candidates; those that are whole runs of capitals end in "!", whole runs of words in "*". */
function found(text: string, likely: { first: number; end: number }[] = []): string[] {
  const tokens = tokenize(text);
  return candidatesOf(tokens, likely).map(({ first, end, isCapitalRun, isWordRun }) => {
    const own = text.slice(tokens[first]!.start, tokens[end - 1]!.end);
    return `${own}${isCapitalRun ? '!' : ''}${isWordRun ? '*' : ''}`;
  });
}

describe('candidates', () => {
  it('are capitalised runs over small words, and what they are made of', () => {
    expect(found('He left the House of Lords in 1911')).toEqual(
      expect.arrayContaining(['House of Lords!', 'House*', 'Lords*']),
    );
    expect(found('by Ezra Pound and T. S. Eliot')).toEqual(
      expect.arrayContaining(['Ezra Pound and T. S. Eliot!', 'Ezra Pound*', 'T. S. Eliot*']),
    );
  });

  it('are runs without function words, by their beginnings, ends and words', () => {
    const all = found('with magnesium oxide powder');
    expect(all.sort()).toEqual(
      ['magnesium oxide powder*', 'magnesium oxide', 'oxide powder', 'magnesium', 'oxide', 'powder'].sort(),
    );
  });

  it('take the number after a name, and not one alone', () => {
    expect(found('on Apollo 12 in 1969')).toEqual(['Apollo', 'Apollo 12!*', '12']);
  });

  it('are what the base model thinks of, whatever it looks like', () => {
    expect(found('the of', [{ first: 0, end: 2 }])).toEqual(['the of']);
    expect(found('the of , .')).toEqual([]);
  });

  it('are about one for each word of a long run of capitals', () => {
    const tokens = tokenize('Word '.repeat(300));
    expect(candidatesOf(tokens, []).length).toBeLessThan(320);
  });
});
