import { afterAll, describe, expect, it } from '@jest/globals';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createEmbedder } from '../embedder/index.js';
import { alignSpans } from '../text/alignment.js';
import { tokensOf } from '#primitives/text/tokens.js';
import { drain } from '../../steps.js';
import { loadBase } from './base.js';
import { planEntities } from './entity-answers.js';
import { createModel } from './model.js';
import { writeTinyBase } from './tiny-base.fixture.js';

const UNITS: Readonly<Record<string, string>> = {
  dots: '.',
  'one word': 'a',
  'one capitalised word': 'A',
  'one number': '1',
  'a number with points': '1.',
  'a number with commas': '1,1',
  'a hyphenated word': 'e-',
  'an abbreviation': 'A.',
  'capitals with points and spaces': 'A. ',
  'titles without spaces': 'Dr.',
  'one combining mark': '\u0301',
  'combining marks out of order': '\u0301\u0316',
  'letters with marks': 'e\u0301\u0316',
  'letters of three forms': '\ufdfa',
  emoji: '😀',
  'emoji joined': '👨\u200d',
  joiners: '\u200d',
  'lone surrogates': '\ud800',
  'letters of two units': '𝒜',
  'brackets that open': '([{',
  'at signs': 'a@',
  'addresses that never end': 'a@b.',
  hashtags: '#a',
  percent: '%',
  'links that end in marks': 'http://a!!!!',
  'web addresses': 'www.',
  'lines of a letter': 'a\n',
  'empty lines': '\n',
  spaces: ' ',
  'numbers far apart': '1    ',
  Chinese: '東',
  'two scripts': '東a',
  'four scripts': 'aж東1',
  Korean: '각',
  Arabic: 'ا',
  sigmas: 'Σ.',
  slashes: '/a',
  dashes: '1-',
  phones: '+1',
  quotes: "'s",
  prices: '$1.,',
  codes: 'a1-',
  accounts: 'GB12',
  months: 'may ',
  'half a UUID': '12345678-1234-',
  zeros: '\0',
};
const repeated = (unit: string, length: number) => unit.repeat(Math.ceil(length / unit.length)).slice(0, length);

const directory = mkdtempSync(join(tmpdir(), 'hostile-'));
writeTinyBase(directory);
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const base = loadBase(directory);
const model = createModel(base, {}, 0);
const embedder = createEmbedder(8_192);
const schema = {
  entities: ['person', 'city', 'town'].map((name) => ({ name })),
  classifications: [{ task: 'mood', labels: ['positive', 'negative', 'refund'], multiLabel: false }],
};
const read = (text: string) => {
  drain(model.infer({ texts: [text], schema, threshold: 0.5 }));
  drain(embedder.embed([text], 256));
};

/** CPU milliseconds of this thread. */
function cpuOf(run: () => unknown): number {
  const before = process.threadCpuUsage();
  run();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
}

describe('a text crafted to be slow', () => {
  it.each(Object.entries(UNITS))('takes time in proportion to its length: %s', (_, unit) => {
    const small = cpuOf(() => read(repeated(unit, 1_000)));
    const large = cpuOf(() => read(repeated(unit, 10_000)));
    // Ten times is fair; a square would be a hundred. What takes no time at all has no ratio.
    expect(large).toBeLessThan(35 * Math.max(small, 10));
  });

  it.each(['a', '1.', '\u0301', '각', 'e\u0301'])('of 8 million characters in one word is read whole: %j', (unit) => {
    const text = repeated(unit, 8_000_000);
    let at = 0;
    for (const { start, end } of tokensOf(text)) {
      if (start !== at) throw new Error(`a gap at ${at}`);
      at = end;
    }
    expect(at).toBe(text.length);
  });

  it('normalises runs of combining marks as short as real scripts have', () => {
    const texts = ['e\u0301', 'a\u0316\u0301', `o${'\u0316\u0301'.repeat(15)}`];
    for (const text of texts) {
      const vectors = [text, text.normalize('NFC')].map((each) => [...drain(embedder.embed([each], 8)).vectors]);
      expect(vectors[0]).toEqual(vectors[1]);
    }
  });
});

describe('a request crafted to be slow', () => {
  it('reads a text once for a thousand labels that mean the same', () => {
    let runs = 0;
    const run: typeof base.tagger.run = (tokens) => {
      runs += 1;
      return base.tagger.run(tokens);
    };
    const counted = { ...base, tagger: { ...base.tagger, run } };
    const queries = Array.from({ length: 500 }, (_, index) => ({ name: `city${' '.repeat(index)}` }));
    const plan = planEntities(queries, { entities: null, base: counted }, { threshold: 0.5, flat: true });
    const { entities } = drain(plan.answer('Anna lives in Paris now'));
    expect(runs).toBe(1);
    expect(Object.values(entities).map((hits) => hits.map(({ text }) => text).join())).toEqual(
      queries.map(() => 'Paris'),
    );
  });

  it('compares a thousand labels with ten thousand words in bounded time', () => {
    const text = Array.from({ length: 3_000 }, (_, index) => `w${index}xy`).join(' ');
    const labels = (count: number) =>
      Array.from({ length: count }, (_, index) => `label${index} of many words in one name`);
    const ask = (count: number) =>
      drain(
        model.infer({
          texts: [text],
          schema: { classifications: [{ task: 'x', labels: labels(count), multiLabel: true }] },
          threshold: 0.5,
        }),
      );
    ask(10);
    expect(cpuOf(() => ask(1_000))).toBeLessThan(
      40 *
        Math.max(
          cpuOf(() => ask(10)),
          20,
        ),
    );
  });
});

describe('a row crafted to be slow', () => {
  const rowOf = (entities: number) => {
    const text = 'ab\n'.repeat(entities);
    const spans = Array.from({ length: entities }, (_, index) => ({
      start: 3 * index,
      end: 3 * index + 2,
      label: 'x',
    }));
    return () => alignSpans(text, spans);
  };

  it('with as many entities as lines takes time in proportion to them', () => {
    rowOf(1_000)();
    const small = cpuOf(rowOf(4_000));
    expect(cpuOf(rowOf(40_000))).toBeLessThan(35 * Math.max(small, 20));
    expect(rowOf(5)()).toMatchObject({
      flattened: 0,
      empty: 0,
      segments: Array.from({ length: 5 }, () => ({ spans: [{ first: 0, end: 1 }] })),
    });
  });
});
