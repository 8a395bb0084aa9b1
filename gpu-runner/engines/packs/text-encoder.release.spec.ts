import { jest } from '@jest/globals';
import { join } from 'node:path';
import { knownPack, readPack } from '#models/packs/index.js';
import { describeWithPack } from '#test/packs/maven-packs.js';
import { ENCODER } from './facts.js';
import { PackEncoder } from './pack-encoder.js';
import { PackTextEncoder, type TextEncoderOptions } from './text-encoder.js';

const { pack } = ENCODER;
const TEXT = 'The parcel has not arrived in Lyon.';
const TOKENS = ['The', 'parcel', 'has', 'not', 'arrived', 'in', 'Lyon', '.'];

await describeWithPack(pack, (modelsDir) => {
  let encoder: PackEncoder;
  beforeAll(() => {
    encoder = new PackEncoder({ pack: knownPack(pack)!, ...readPack(knownPack(pack)!, join(modelsDir, pack)) });
  });

  const open = (options: Partial<TextEncoderOptions> = {}) =>
    new PackTextEncoder(encoder, { wanted: 'sentence', maxKeptBytes: 1_000_000, whenFull: 'keep', ...options });
  const bytesOf = (vectors: Float32Array) => Buffer.from(vectors.buffer, vectors.byteOffset, vectors.byteLength);

  it('one pass for all vectors gives the same numbers as several passes, cached or not', () => {
    const alone = open({ maxKeptBytes: 0 });
    const [words, sentence] = [bytesOf(alone.words(TOKENS)), bytesOf(alone.sentence(TEXT))];
    const inner = bytesOf(alone.inner!.sentence(TEXT));
    expect(inner).not.toEqual(sentence);
    for (const whenFull of ['keep', 'forget'] as const)
      for (const maxKeptBytes of [0, 20_000, 1_000_000]) {
        const both = open({ wanted: 'both', maxKeptBytes, whenFull });
        for (let times = 0; times < 2; times++) {
          expect(bytesOf(both.words(TOKENS))).toEqual(words);
          both.sentence('Something else that is a little longer than the text before it, to fill what is kept.');
          expect(bytesOf(both.sentence(TEXT))).toEqual(sentence);
          expect(bytesOf(both.inner!.sentence(TEXT))).toEqual(inner);
        }
      }
  });

  it('a text is encoded once, for both its vector and those of its words', () => {
    const passes = jest.spyOn(encoder, 'encode');
    const both = open({ wanted: 'both' });
    both.words(TOKENS);
    both.sentence(TEXT);
    both.words(TOKENS);
    expect(passes).toHaveBeenCalledTimes(1);
    passes.mockRestore();
  });

  it('a word has other vectors among other words, and each token has one', () => {
    const words = open();
    const width = words.wordDimensions;
    const river = words.words(['the', 'bank', 'of', 'the', 'river']);
    const money = words.words(['the', 'bank', 'lent', 'money']);
    expect([river.length, money.length]).toEqual([5 * width, 4 * width]);
    expect(bytesOf(river.slice(width, 2 * width))).not.toEqual(bytesOf(money.slice(width, 2 * width)));
  });

  it("a token that the pack splits has the mean of its parts' vectors", () => {
    const words = open();
    const width = words.wordDimensions;
    // "wordling" is "word" and "##ling" to it.
    const ids = encoder.tokens('wordling');
    expect(ids.length).toBe(4);
    const { words: each } = encoder.encode(ids, 'words');
    const [mean] = [words.words(['wordling'])];
    for (const at of [0, 17, width - 1])
      expect(mean[at]).toBeCloseTo((each[width + at]! + each[2 * width + at]!) / 2, 5);
  });

  it('segments of more than 512 tokens, of unknown tokens, and of none are read', () => {
    const words = open();
    const width = words.wordDimensions;
    const odd = ['\u200d', '\ud800', 'a'.repeat(100_000), 'https://example.com/'.repeat(1_000), 'end'];
    const many = Array.from({ length: 300 }, (_, at) => `wordling${at}`);
    for (const tokens of [odd, many, []]) {
      const vectors = words.words(tokens);
      expect(vectors.length).toBe(tokens.length * width);
      expect(vectors.every(Number.isFinite)).toBe(true);
      for (let row = 0; row < tokens.length; row++)
        expect(vectors.subarray(row * width, (row + 1) * width).some((value) => value !== 0)).toBe(true);
    }
  });

  it('the tokens of a segment are read in few passes, however difficult', () => {
    const passes = jest.spyOn(encoder, 'encode');
    const hard = Array.from({ length: 300 }, (_, at) => `${at}`.padStart(3, '0').concat('§¤'.repeat(40)));
    open().words(hard);
    expect(passes.mock.calls.length).toBeLessThanOrEqual(5);
    passes.mockRestore();
  });

  it('a long token is read up to its 64th character, and once whatever follows', () => {
    const parts = jest.spyOn(encoder, 'parts');
    const words = open();
    parts.mockClear();
    words.words(['k'.repeat(64), `${'k'.repeat(64)}1`, `${'k'.repeat(64)}2`]);
    expect(parts.mock.calls).toEqual([['k'.repeat(64)]]);
    parts.mockRestore();
  });

  it('a text is tokenized once, for its vector and for the truncation check', () => {
    const tokens = jest.spyOn(encoder, 'tokens');
    const several = open();
    for (let task = 0; task < 3; task++) {
      several.sentence(TEXT.repeat(100));
      expect(several.isTooLong(TEXT.repeat(100))).toBe(true);
    }
    expect(tokens).toHaveBeenCalledTimes(1);
    tokens.mockRestore();
  });

  it('texts that are not read to their end are reported', () => {
    const tooLong = (text: string) => open().isTooLong(text);
    expect([tooLong('word '.repeat(510)), tooLong('word '.repeat(511)), tooLong('한'.repeat(169))]).toEqual([
      false,
      true,
      false,
    ]);
    expect([tooLong(`word${' '.repeat(20_000)}`), tooLong(`word${' '.repeat(20_000)}end`)]).toEqual([false, true]);
  });

  it('the share of unknown tokens is that of characters without an entry in the vocabulary', () => {
    const share = (text: string) => open().unknownShare(text);
    expect([share(TEXT), share('Der Pöbel zögert.'), share(''), share('饕餮')]).toEqual([0, 0, 0, 1]);
    // The vocabulary has only 大 of these.
    expect(share('大饕餮')).toBeCloseTo(2 / 3);
  });

  it('texts have vectors of length 1', () => {
    expect(Math.hypot(...open().sentence(TEXT))).toBeCloseTo(1, 5);
  });
});
