import { DuckDBInstance } from '@duckdb/node-api';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { UnreadableFileError } from './index.js';
import { processed } from './reading.fixture.js';

const text = 'Ada met Bob in Paris';

describe('Parquet files', () => {
  let folder: string;
  beforeAll(async () => void (folder = await mkdtemp(join(tmpdir(), 'parquet-'))));
  afterAll(() => rm(folder, { recursive: true }));

  /** A file as another program writes it. */
  async function parquet(select: string, options = ''): Promise<Buffer> {
    const instance = await DuckDBInstance.create();
    const connection = await instance.connect();
    const file = join(folder, 'file.parquet');
    await connection.run(`COPY (${select}) TO '${file}' (FORMAT parquet${options})`);
    connection.closeSync();
    instance.closeSync();
    return readFile(file);
  }
  const custom = { datasetType: 'custom' } as const;

  it('are read, plain and gzipped, whatever their name', async () => {
    const file = await parquet(`SELECT '${text}' AS text, [['Ada', 'person'], ['Paris', 'city']] AS entities`);
    const expected = [
      {
        text,
        entities: [
          ['Ada', 'person'],
          ['Paris', 'city'],
        ],
      },
    ];
    for (const given of [file, gzipSync(file)])
      for (const fileName of ['rows.parquet', 'rows.jsonl', null]) {
        const { rows, reason, contents } = await processed(given, { fileName }, 1000);
        expect(reason).toBeNull();
        expect(rows).toEqual(expected);
        expect(contents).toMatchObject({ format: 'parquet', rows: 1, labels: ['city', 'person'] });
      }
  });

  it('keep the order of their rows over row groups and threads', async () => {
    const file = await parquet(
      `SELECT 'row ' || i AS text, 'l' || i % 3 AS label FROM range(50000) t(i)`,
      ', ROW_GROUP_SIZE 2048',
    );
    const { rows, conversion } = await processed(file, { threads: 2, blockBytes: 10_000 });
    expect(rows.map((row) => row?.text)).toEqual(Array.from({ length: 50_000 }, (_, row) => `row ${row}`));
    expect(conversion.index.offsets).toHaveLength(50);
  });

  it('convert every type to a JSON value', async () => {
    const file = await parquet(`SELECT
      9007199254740991::BIGINT AS safe, 9007199254740993::BIGINT AS big, [1, 9007199254740993]::BIGINT[] AS bigs,
      1.50::DECIMAL(10, 2) AS money, 12345678901234567890.123456::DECIMAL(38, 6) AS precise,
      'nan'::DOUBLE AS nan, 0.1::DOUBLE AS tenth, 1.5::FLOAT AS half, true AS yes, NULL::INTEGER AS nothing,
      TIMESTAMP '2024-01-02 03:04:05.678' AS at, TIMESTAMPTZ '2024-01-02 03:04:05+02' AS moment, DATE '2024-01-02' AS day,
      TIME '03:04:05' AS clock, uuid '6d3d5a39-4e3c-4f4e-8d3e-1d5e6c2c3a11' AS id,
      MAP {'a': 1, 'b': 2} AS pairs, MAP {1: DATE '2024-01-02'} AS dates,
      {'a': 1, 'b': NULL::VARCHAR, 'c': [{'d': DATE '2024-01-02'}]} AS nested, [1, NULL] AS list,
      '{"k": [1, null]}'::JSON AS json, '[1' AS looks, 'x"y' || chr(10) || chr(0) || '😀' AS odd`);
    const { rows, reason } = await processed(file, custom);
    expect(reason).toBeNull();
    expect(rows).toEqual([
      {
        safe: 9007199254740991,
        big: '9007199254740993',
        bigs: [1, '9007199254740993'],
        money: 1.5,
        precise: '12345678901234567890.123456',
        tenth: 0.1,
        half: 1.5,
        yes: true,
        at: '2024-01-02T03:04:05.678',
        moment: '2024-01-02T01:04:05Z',
        day: '2024-01-02',
        clock: '03:04:05',
        id: '6d3d5a39-4e3c-4f4e-8d3e-1d5e6c2c3a11',
        pairs: { a: 1, b: 2 },
        dates: { 1: '2024-01-02' },
        nested: { a: 1, b: null, c: [{ d: '2024-01-02' }] },
        list: [1, null],
        json: { k: [1, null] },
        looks: '[1',
        odd: 'x"y\n\u0000😀',
      },
    ]);
  });

  it('may contain heads as lists and structs without null values, or as JSON text', async () => {
    const typed = await parquet(`SELECT '${text}' AS text,
      [{'text': 'Ada', 'label': 'person', 'start': 0, 'end': 3}, {'text': 'Bob', 'label': 'person', 'start': NULL, 'end': NULL}] AS entities,
      [{'trip': {'who': 'Ada', 'to': NULL::VARCHAR[]}, 'meal': NULL::STRUCT(a VARCHAR)}] AS json_structures,
      [MAP {'met': {'head': 'Ada', 'tail': 'Bob'}}] AS relations, NULL AS label, ['x'] AS labels`);
    const expected = {
      text,
      entities: [{ text: 'Ada', label: 'person', start: 0, end: 3 }, ['Bob', 'person']],
      json_structures: [{ trip: { who: 'Ada' } }],
      relations: [{ met: { head: 'Ada', tail: 'Bob' } }],
      labels: ['x'],
    };
    expect((await processed(typed)).rows).toEqual([expected]);
    const quoted = (value: unknown) => `'${JSON.stringify(value)}'`;
    const { entities, json_structures, relations, labels } = expected;
    const asText = await parquet(`SELECT '${text}' AS text, ${quoted(entities)} AS entities,
      ${quoted(json_structures)} AS json_structures, ${quoted(relations)} AS relations, ${quoted(labels)} AS labels`);
    expect((await processed(asText)).rows).toEqual([expected]);
  });

  it('have their columns mapped to the known ones', async () => {
    const file = await parquet(`SELECT 'hi' AS sentence, '["a","b"]' AS tags, 'kept' AS note`);
    const columnMapping = { text: 'sentence', labels: 'tags' };
    expect((await processed(file, { columnMapping })).rows).toEqual([{ text: 'hi', labels: ['a', 'b'], note: 'kept' }]);
    await expect(processed(file, { columnMapping: { text: 'body' } })).rejects.toThrow(
      'column_mapping.text names the column "body", which no row has',
    );
  });

  it('name invalid rows by number', async () => {
    const file = await parquet(
      `SELECT CASE WHEN i = 2999 THEN '' ELSE 'a' || i END AS text, 'x' AS label FROM range(3000) t(i)`,
    );
    const { errors, total } = await processed(file, { datasetType: 'classification' });
    expect({ errors, total }).toEqual({ errors: [{ row: 3000, field: 'text', reason: 'is empty' }], total: 1 });
  });

  it('are refused in one line if they have no rows or are invalid', async () => {
    const good = await parquet(`SELECT 'a' || i AS text, 'x' AS label FROM range(5000) t(i)`);
    const damaged = (at: number, length: number) => Buffer.from(good).fill(0xff, at, at + length);
    const cases: [Buffer | string, RegExp][] = [
      [await parquet(`SELECT 'a' AS text, 'b' AS label WHERE false`), /holds no rows/],
      [good.subarray(0, good.length - 5), /Parquet file cannot be read/],
      [good.subarray(0, good.length / 2), /Parquet file cannot be read/],
      [Buffer.concat([good, good.subarray(0, 50)]), /Parquet file cannot be read/],
      [damaged(good.length - 8, 4), /Parquet file cannot be read/],
      [damaged(good.length - 200, 100), /Parquet file cannot be read/],
      [damaged(8, 40), /Parquet file cannot be read/],
      [Buffer.from('PARE' + 'x'.repeat(100) + 'PARE'), /Parquet file cannot be read|[Ee]ncrypted/],
    ];
    for (const [file, reason] of cases) {
      const attempt = processed(file, custom);
      await expect(attempt).rejects.toThrow(UnreadableFileError);
      await expect(attempt).rejects.toThrow(reason);
      await expect(attempt).rejects.not.toThrow(/[\n]|parquet-|reading-/);
    }
    const named = processed('{"text":"a","label":"b"}', { fileName: 'rows.parquet' });
    await expect(named).rejects.toThrow('the file was uploaded as Parquet, but does not begin with PAR1');
  });

  it('are refused for binary columns, or values above the memory limit', async () => {
    const binary = await parquet(`SELECT 'a' AS text, 'x' AS label, '\\xFF\\xD8'::BLOB AS image`);
    await expect(processed(binary)).rejects.toThrow('bytes that are no UTF-8 text');
    const text = await parquet(`SELECT 'a' AS text, 'x' AS label, 'abc'::BLOB AS image`);
    expect((await processed(text)).rows).toEqual([{ text: 'a', label: 'x', image: 'abc' }]);
    const huge = await parquet(
      `SELECT repeat('a', 30000000) AS text, 'x' AS label FROM range(4)`,
      ', COMPRESSION zstd',
    );
    await expect(processed(huge, { limits: { tableMiB: 64 } })).rejects.toThrow(/needs more than 64 MiB of memory/);
    const long = await parquet(`SELECT repeat('a', 2000 * i) AS text, 'x' AS label FROM range(1, 9) t(i)`);
    await expect(processed(long, { limits: { rowBytes: 9000 } })).rejects.toThrow('row 5 is longer than 9000 bytes');
  });
});
