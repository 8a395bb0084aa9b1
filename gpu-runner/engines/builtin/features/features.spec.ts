import fc from 'fast-check';
import { tokenize } from '#primitives/text/tokens.js';
import { FeatureCounter } from './dictionary.js';
import { FeatureExtractor } from './extractor.js';
import { buildGazetteer, loadGazetteer, type Gazetteer } from './gazetteer.js';
import { matchPatterns } from './patterns.js';

/** The classes of patterns by their places, by which trained models know them. */
const CLASSES = [
  ...'email url ip time date year integer decimal thousands currency percent version'.split(' '),
  ...'uuid code ordinal phone iban card path hex range measure'.split(' '),
];

function patternsIn(text: string): string[] {
  const tokens = tokenize(text);
  const found: string[] = [];
  matchPatterns(tokens, (k, first, length) =>
    found.push(`${CLASSES[k]} ${text.slice(tokens[first]!.start, tokens[first + length - 1]!.end)}`),
  );
  return found;
}

describe('pattern classes', () => {
  it.each([
    ['mail bob@x.io now', 'email bob@x.io'],
    ['see https://a.b/c today', 'url https://a.b/c'],
    ['from 10.0.0.1 on', 'ip 10.0.0.1'],
    ['at 5:30 pm sharp', 'time 5:30 pm'],
    ['on 3 May 2021 or', 'date 3 May 2021'],
    ['about $ 5,000 each', 'currency $ 5,000'],
    ['up 4.5 % now', 'percent 4.5 %'],
    ['call +1 555 123 4567 now', 'phone +1 555 123 4567'],
    ['the 22nd time', 'ordinal 22nd'],
    ['in /usr/local/bin there', 'path /usr/local/bin'],
    ['id 123e4567-e89b-12d3-a456-426614174000 it', 'uuid 123e4567-e89b-12d3-a456-426614174000'],
    ['card 4111 1111 1111 1111 ok', 'card 4111 1111 1111 1111'],
  ])('found in %j are %s', (text, expected) => {
    expect(patternsIn(text)).toContain(expected);
  });

  it('find nothing in plain words', () => {
    expect(patternsIn('plain words, nothing else. Really!')).toEqual([]);
  });
});

describe('the gazetteer', () => {
  const gazetteer = buildGazetteer([
    { name: 'city', phrases: ['New York', 'York', 'São Paulo', 'one two three four five six'] },
    { name: 'person', phrases: ['York'] },
    { name: 'month', phrases: ['May'], capitalised: true },
  ]);
  const matches = (text: string, using: Gazetteer = gazetteer) => {
    const tokens = tokenize(text);
    const found: string[] = [];
    using.match(tokens, (k, first, length) =>
      found.push(`${using.classes[k]} ${text.slice(tokens[first]!.start, tokens[first + length - 1]!.end)}`),
    );
    return found;
  };

  it('takes the longest match of each class, whatever the case', () => {
    expect(matches('NEW york')).toEqual(['city NEW york', 'person york']);
  });

  it('matches decomposed spellings and leaves long phrases out', () => {
    expect(matches('in São Paulo'.normalize('NFD'))).toEqual(['city São Paulo'.normalize('NFD')]);
    expect(matches('one two three four five six')).toEqual([]);
  });

  it('requires a capital where the lexicon does', () => {
    expect(matches('You may go in May')).toEqual(['month May']);
  });

  it('is restored from its state', () => {
    const again = loadGazetteer(gazetteer.toState());
    expect(matches('From New York in May', again)).toEqual(matches('From New York in May'));
  });
});

describe('the dictionary', () => {
  it('finds every key counted often enough and no other', () => {
    const lane = fc.integer({ min: 0, max: 0xffffffff });
    const key = fc.oneof(fc.tuple(lane, lane), fc.tuple(lane, fc.constantFrom(1, 2)));
    fc.assert(
      fc.property(fc.array(key, { maxLength: 300 }), key, fc.integer({ min: 1, max: 3 }), (keys, other, minimum) => {
        const counter = new FeatureCounter();
        const counts = new Map<string, number>();
        const added = keys.map(([high, low]) => {
          counts.set(`${high} ${low}`, (counts.get(`${high} ${low}`) ?? 0) + 1);
          return counter.add(high, low);
        });
        const { dictionary, rows } = counter.freeze(minimum);
        keys.forEach(([high, low], k) => {
          const row = dictionary.find(high, low);
          expect(row).toBe(rows[added[k]!]);
          expect(row >= 0).toBe(counts.get(`${high} ${low}`)! >= minimum);
        });
        if (!counts.has(other.join(' '))) expect(dictionary.find(other[0], other[1])).toBe(-1);
      }),
    );
  });

  it('grows beyond its initial tables', () => {
    const counter = new FeatureCounter();
    for (let i = 0; i < 20_000; i++) counter.add(i * 7919, i);
    const { dictionary } = counter.freeze(1);
    expect(dictionary.size).toBe(20_000);
    for (let i = 0; i < 20_000; i += 97) expect(dictionary.find(i * 7919, i)).toBe(i);
  });
});

describe('features', () => {
  const extractor = new FeatureExtractor(buildGazetteer([{ name: 'city', phrases: ['Paris', 'New York'] }]));
  const keysOf = (text: string, token: number, stacked: { marginals: Float64Array; tags: number } | null = null) => {
    extractor.extract(tokenize(text), stacked);
    const keys = new Set<string>();
    for (let k = extractor.offsets[token]!; k < extractor.offsets[token + 1]!; k++) {
      keys.add(`${extractor.high[k]} ${extractor.low[k]}`);
    }
    return keys;
  };
  const shared = (a: Set<string>, b: Set<string>) => [...a].filter((key) => b.has(key)).length;

  it('are the same for the same tokens anywhere in a text', () => {
    expect(keysOf('go to Paris now', 2)).toEqual(keysOf('   go  to Paris   now', 2));
  });

  it('of a word are the same with emoji around it', () => {
    const tokens = tokenize('😀 go to 🎉 Berlin ❤️ 👍🏽 now ✈️');
    const at = (word: string) => tokens.findIndex(({ text }) => text === word);
    for (const [place, word] of ['go', 'to', 'Berlin', 'now'].entries())
      expect(keysOf('😀 go to 🎉 Berlin ❤️ 👍🏽 now ✈️', at(word))).toEqual(keysOf('go to Berlin now', place));
  });

  it('share more between words of one lexicon than between others', () => {
    const paris = keysOf('I love Paris here', 2);
    expect(shared(paris, keysOf('we see York there', 2))).toBeLessThan(
      shared(keysOf('I love New York here', 3), keysOf('we see New York there', 3)),
    );
  });

  it('distinguish base tags above .05 at the token from those at its neighbours', () => {
    const tags = 3;
    const plain = keysOf('a b', 0, { marginals: new Float64Array([1, 0, 0, 1, 0, 0]), tags });
    const tagged = keysOf('a b', 0, { marginals: new Float64Array([0.04, 0.96, 0, 1, 0, 0]), tags });
    const neighbour = keysOf('a b', 0, { marginals: new Float64Array([1, 0, 0, 0, 1, 0]), tags });
    expect(shared(plain, tagged)).toBe(plain.size - 1);
    expect(shared(plain, neighbour)).toBe(plain.size - 1);
    expect(shared(tagged, neighbour)).toBe(plain.size - 2);
  });

  it('are all different at one token', () => {
    const text = 'On 3 May 2021 New York paid $5,000 to bob@x.io!';
    const tokens = tokenize(text);
    extractor.extract(tokens, null);
    for (let i = 0; i < tokens.length; i++) {
      const count = extractor.offsets[i + 1]! - extractor.offsets[i]!;
      expect(keysOf(text, i).size).toBe(count);
    }
  });
});
