import fc from 'fast-check';
import { InvalidError } from '#domain/errors.js';
import { matchesPattern } from './pattern.js';
import { splitOf, type HubFile } from './splits.js';

const files = (...paths: string[]): HubFile[] => paths.map((path) => ({ path, size: 1 }));
const found = (
  paths: readonly HubFile[],
  card: unknown = null,
  config: string | null = null,
  split: string | null = null,
) => {
  const { files: chosen, ...named } = splitOf(paths, card, { config, split });
  return [named.config, named.split, ...chosen.map(({ path }) => path)];
};
const refusal = (...args: Parameters<typeof found>): string => {
  try {
    found(...args);
  } catch (error) {
    if (error instanceof InvalidError) return error.message;
    throw error;
  }
  throw new Error('it was not refused');
};

describe('the files of a split', () => {
  it.each([
    [['a.csv'], ['default', 'train', 'a.csv']],
    [
      ['train.csv', 'test.csv'],
      ['default', 'train', 'train.csv'],
    ],
    [
      ['README.md', '.gitattributes', 'dataset_infos.json', 'x.txt', 'data.jsonl.gz'],
      ['default', 'train', 'data.jsonl.gz'],
    ],
    [
      ['data/train-00001-of-00002.parquet', 'data/train-00000-of-00002.parquet', 'data/test-00000-of-00001.parquet'],
      ['default', 'train', 'data/train-00000-of-00002.parquet', 'data/train-00001-of-00002.parquet'],
    ],
    [
      ['train/b.json', 'train/a.json', 'dev/c.json'],
      ['default', 'train', 'train/a.json', 'train/b.json'],
    ],
    [
      ['my_training_set.ndjson', 'my_eval_set.ndjson'],
      ['default', 'train', 'my_training_set.ndjson'],
    ],
  ])('of %j are found by their names', (paths, expected) => {
    expect(found(files(...paths))).toEqual(expected);
  });

  it.each([
    ['validation', 'valid/x.csv'],
    ['test', 'x-eval.csv'],
  ])('%s is found under each of its names', (split, path) => {
    expect(found(files('train.csv', 'valid/x.csv', 'x-eval.csv'), null, null, split)).toEqual(['default', split, path]);
  });

  const card = [
    {
      config_name: 'en',
      data_files: [
        { split: 'train', path: 'en/*.csv' },
        { split: 'odd', path: ['en/x/**'] },
      ],
    },
    { config_name: 'de', data_files: 'de/**/*.csv', default: true },
    { config_name: 'fr', data_dir: 'fr' },
    { config_name: 'none', data_files: 'nothing/*' },
    { config_name: 5 },
    'no config',
  ];
  const several = files('en/a.csv', 'en/x/b.csv', 'de/c.csv', 'de/y/z/d.csv', 'fr/test.csv', 'fr/train.csv');

  it('are those that the card lists', () => {
    expect(found(several, card)).toEqual(['de', 'train', 'de/c.csv', 'de/y/z/d.csv']);
    expect(found(several, card, 'en')).toEqual(['en', 'train', 'en/a.csv']);
    expect(found(several, card, 'en', 'odd')).toEqual(['en', 'odd', 'en/x/b.csv']);
    expect(found(several, card, 'fr', 'test')).toEqual(['fr', 'test', 'fr/test.csv']);
  });

  it('that do not exist are refused, naming those that do', () => {
    expect(refusal(several, card, 'es')).toBe('config: does not exist there: the repository has "en", "de", "fr"');
    expect(refusal(several, card, 'en', 'test')).toContain('split: does not exist there: the repository has "train"');
    expect(refusal(several, card.slice(0, 1).concat(card[2]!))).toContain('config: is needed');
    expect(refusal(files('test.csv', 'dev.csv'))).toContain(
      'split: is needed: the repository has "test", "validation"',
    );
    expect(refusal(files('README.md', 'model.bin'))).toContain('repo_id: has no files of rows');
    expect(refusal([{ path: 'a.csv', size: 0 }])).toContain('repo_id');
  });

  it('are found or refused, whatever the card contains', () => {
    fc.assert(
      fc.property(fc.anything(), fc.array(fc.anything(), { maxLength: 4 }), (config, data) => {
        const odd = [config, { config_name: 'a', data_files: data, data_dir: config }];
        try {
          expect(splitOf(files('train.csv'), odd, { config: null, split: null }).files).toHaveLength(1);
        } catch (error) {
          expect(error).toBeInstanceOf(InvalidError);
        }
      }),
    );
  });

  it('are searched for a limited time: a card with patterns for thousands of files is refused', () => {
    const many = files(...Array.from({ length: 20_000 }, (_, i) => `data/${'a'.repeat(60)}${i}.jsonl`));
    const hostile = (entry: object) => Array.from({ length: 1000 }, (_, i) => ({ config_name: `c${i}`, ...entry }));
    for (const entry of [{ data_files: Array(10).fill('data/*a*a*a*zz.jsonl') }, { data_files: 'data/x' }, {}])
      expect(refusal(many, hostile(entry))).toContain('too many files and patterns');
    const honest = Array.from({ length: 300 }, (_, i) => ({ config_name: `l${i}`, data_files: `l${i}/*` }));
    const shards = honest.flatMap(({ config_name }) =>
      Array.from({ length: 7 }, (_, i) => `${config_name}/train-0000${i}-of-00007.parquet`),
    );
    expect(found(files(...shards), honest, 'l7')).toHaveLength(9);
  });
});

describe('a pattern of a card', () => {
  it.each([
    ['a.csv', 'a.csv', true],
    ['a.csv', './a.csv', true],
    ['data/a.csv', '*.csv', false],
    ['data/a.csv', '*/*.csv', true],
    ['data/a.csv', '**/*.csv', true],
    ['a.csv', '**/*.csv', true],
    ['data', 'data/*', false],
    ['data/x/y.csv', 'data/**', true],
    ['data/train-01.csv', 'data/train-*', true],
    ['data/train-01.csv', 'data/train-?1.*', true],
    ['data/train.csv', 'data/(.*)+$', false],
  ])('matches %s by %s: %s', (path, pattern, matches) => {
    expect(matchesPattern(path, pattern)).toBe(matches);
  });

  it('crafted to take forever does not', () => {
    expect(matchesPattern('a'.repeat(500), `${'*a'.repeat(200)}b`)).toBe(false);
    expect(matchesPattern('a/'.repeat(200), `${'**/a/'.repeat(90)}b`)).toBe(false);
  });
});
