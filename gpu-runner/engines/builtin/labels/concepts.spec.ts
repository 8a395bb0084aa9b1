import { describe, expect, it } from '@jest/globals';
import { CONCEPTS, conceptWords } from './concepts.js';

describe('concepts', () => {
  it.each([
    ['Positive', 'great'],
    ['BILLING', 'invoice'],
    ['feature_request', 'wish'],
    ['GetWeather', 'forecast'],
    ['Sports news', 'coach'],
    ['order status', 'parcel'],
    ['HUM', 'who'],
    ['location', 'where'],
    ['numeric value', 'many'],
    ['abbreviation', 'stands'],
  ])('of %s include "%s"', (label, word) => expect(conceptWords(label)?.has(word)).toBe(true));

  it('are null for a label without any', () => {
    expect(conceptWords('zzz')).toBeNull();
    expect(conceptWords('')).toBeNull();
    expect(conceptWords('constructor')).toBeNull();
  });

  it('have lower-case keys and single words', () => {
    for (const [key, words] of CONCEPTS) {
      expect(key).toBe(key.toLowerCase().trim());
      for (const word of words) expect(word).toMatch(/^\S+$/);
    }
  });

  it('of opposites share no words', () => {
    const positive = new Set(CONCEPTS.get('positive'));
    const shared = CONCEPTS.get('negative')!.filter((word) => positive.has(word));
    expect(shared).toEqual([]);
  });
});
