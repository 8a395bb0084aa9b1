import fc from 'fast-check';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DatasetType } from '#domain/dataset/index.js';
import type { JsonObject } from '#domain/json.js';
import { chunks, processed } from '../reading.fixture.js';
import { areNames, sqlType, widened, type ColumnType } from './column-type.js';
import { writeParquet } from './parquet.js';

const typeOf = (...values: Parameters<typeof widened>[1][]) =>
  sqlType(values.reduce((type, value) => widened(type, value), 'none' as ColumnType));

describe('Parquet', () => {
  let folder: string;
  beforeEach(async () => void (folder = await mkdtemp(join(tmpdir(), 'parquet-'))));
  afterEach(() => rm(folder, { recursive: true }));

  async function asParquet(rows: readonly JsonObject[]): Promise<Buffer> {
    const canonical = Buffer.from(rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
    const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
    return readFile((await writeParquet(chunks(canonical, 1000), columns, folder)).path);
  }
  const readBack = async (rows: readonly JsonObject[], datasetType: DatasetType) => {
    const { rows: read, reason } = await processed(await asParquet(rows), { datasetType });
    expect(reason).toBeNull();
    return read;
  };

  it('is read back as the same rows, for every shape of rows', async () => {
    const text = 'Ada met Bob in Paris "🛫"\n';
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record(SHAPES, { requiredKeys: [] }), { minLength: 1, maxLength: 20 }),
        async (heads) => {
          const rows = heads.map((each) => ({ text, entities: [], ...each }));
          expect(await readBack(rows, 'ner')).toEqual(rows);
        },
      ),
      { numRuns: 12 },
    );
  });

  it('keeps every value of free rows except null', async () => {
    const value = fc.jsonValue({ maxDepth: 3, noUnicodeString: false }).filter((json) => json !== null);
    const name = fc.stringMatching(/^[a-z_"' .,;-]{1,8}$/);
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.dictionary(name, value, { maxKeys: 4, noNullPrototype: true }), { minLength: 1, maxLength: 5 }),
        async (rows) => {
          const free = JSON.parse(JSON.stringify(rows.map((row) => ({ ...row, marker: 'x' })))) as JsonObject[];
          expect(await readBack(free, 'custom')).toEqual(free);
        },
      ),
      { numRuns: 15 },
    );
    expect(await readBack([{ a: null, b: 'x' }, { a: [null] }], 'custom')).toEqual([{ b: 'x' }, { a: [null] }]);
  });

  it('keeps prompts as messages, and answers that look like JSON as texts', async () => {
    const prompt = [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: '[1]' },
    ];
    const rows = [
      { prompt, chosen: '{"a": [1]}', rejected: '"x"' },
      { prompt: prompt.slice(1), chosen: 'b', rejected: '[]' },
    ];
    expect(await readBack(rows, 'decoder')).toEqual(rows);
  });

  it('replaces lone surrogates, which UTF-8 cannot encode', async () => {
    const rows = [{ a: 'x\ud83d', b: '\\ud83d', c: ['\\\udc00'] }];
    expect(await readBack(rows, 'custom')).toEqual([{ a: 'x\ufffd', b: '\\ud83d', c: ['\\\ufffd'] }]);
  });

  it('keeps the order of many rows', async () => {
    const rows = Array.from({ length: 30_000 }, (_, row) => ({ text: `row ${row}`, label: `l${row % 3}`, n: row }));
    expect(await readBack(rows, 'classification')).toEqual(rows);
  });

  it('has a type for a column whose values all have one', () => {
    expect(typeOf('a', 'b')).toBe('VARCHAR');
    expect(typeOf(1, 2)).toBe('BIGINT');
    expect(typeOf(1, 2.5, 1e300)).toBe('DOUBLE');
    expect(typeOf(true, false)).toBe('BOOLEAN');
    expect(typeOf([], [['Ada', 'person']])).toBe('VARCHAR[][]');
    expect(typeOf([{ role: 'user', content: 'hi' }], [])).toBe('STRUCT("role" VARCHAR, "content" VARCHAR)[]');
    expect(typeOf({ a: 1 }, { a: 2.5 })).toBe('STRUCT("a" DOUBLE)');
    expect(typeOf({ a: 1 }, { b: 1 })).toBe('JSON');
    expect(typeOf([1, null])).toBe('JSON');
    expect(typeOf('a', 1)).toBe('JSON');
    expect(typeOf([['Ada', 'person'], { text: 'Bob', label: 'person' }])).toBe('JSON');
    expect(typeOf({ a: 1, A: 2 })).toBe('JSON');
    expect(typeOf({})).toBe('JSON');
  });

  it('is possible only with column names that a table can distinguish', () => {
    expect(areNames(['text', 'label'])).toBe(true);
    for (const names of [[], [''], ['Text', 'text'], ['a\u0000'], ['\ud800']]) expect(areNames(names)).toBe(false);
  });
});

const person = fc.constantFrom('Ada', 'Bob');
const SHAPES = {
  entities: fc.uniqueArray(
    fc.oneof(
      fc.tuple(fc.constantFrom('Ada', 'Bob', 'Paris', '🛫'), fc.constantFrom('person', 'city')),
      fc.constant({ text: 'Ada', label: 'first', start: 0 }),
      fc.constant({ text: 'Bob', label: 'second', start: 8, end: 11 }),
    ),
    { selector: (entity) => JSON.stringify(entity), maxLength: 4 },
  ),
  labels: fc.uniqueArray(fc.constantFrom('a', '[b]', '"c"', 'null'), { maxLength: 3 }),
  json_structures: fc.array(
    fc.oneof(
      fc.record({ trip: fc.record({ who: person, to: fc.array(fc.constant('Paris'), { maxLength: 2 }) }) }),
      fc.record({ meeting: fc.record({ a: person, b: person }) }),
    ),
    { maxLength: 3 },
  ),
  relations: fc.array(fc.record({ met: fc.record({ head: person, tail: person }) }), { maxLength: 3 }),
  note: fc.oneof(
    fc.string({ unit: 'binary' }).filter((note) => note.isWellFormed()),
    fc.double({ noNaN: true, noDefaultInfinity: true }).map((n) => n + 0),
  ),
};
