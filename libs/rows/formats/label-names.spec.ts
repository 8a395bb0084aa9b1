import { DuckDBInstance } from '@duckdb/node-api';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { labelNamesOf } from './index.js';
import { processed } from './reading.fixture.js';

const SENTIMENT = { names: ['negative', 'positive'], _type: 'ClassLabel' };
const TAGS = { names: ['O', 'B-person', 'I-person'], _type: 'ClassLabel' };
const NAMES = { label: SENTIMENT.names, ner_tags: TAGS.names };

describe('the label names for a column of numbers', () => {
  let folder: string;
  beforeAll(async () => void (folder = await mkdtemp(join(tmpdir(), 'labels-'))));
  afterAll(() => rm(folder, { recursive: true }));

  /** A file as the `datasets` library writes it. */
  async function parquet(select: string, features: object): Promise<Buffer> {
    const instance = await DuckDBInstance.create();
    const connection = await instance.connect();
    const file = join(folder, 'file.parquet');
    const metadata = JSON.stringify({ info: { features } });
    await connection.run(
      `COPY (${select}) TO '${file}' (FORMAT parquet, KV_METADATA {huggingface: '${metadata}', pandas: '{}'})`,
    );
    connection.closeSync();
    instance.closeSync();
    return readFile(file);
  }
  const custom = { datasetType: 'custom' } as const;

  it.each([
    ['a Parquet file', { label: SENTIMENT, ner_tags: { feature: TAGS, _type: 'Sequence' } }],
    ['a Parquet file of a later version', { label: SENTIMENT, ner_tags: { feature: TAGS, _type: 'List' } }],
    ['a list in brackets', { label: SENTIMENT, ner_tags: [TAGS], text: { dtype: 'string', _type: 'Value' } }],
    [
      'a card',
      [
        { name: 'label', dtype: { class_label: { names: { 0: 'negative', 1: 'positive' } } } },
        { name: 'ner_tags', sequence: { class_label: { names: { 0: 'O', 1: 'B-person', 2: 'I-person' } } } },
        { name: 'text', dtype: 'string' },
      ],
    ],
  ])('are found in the features of %s', (_, features) => {
    expect(labelNamesOf(features)).toEqual(NAMES);
  });

  it('are found inside objects and lists of objects', () => {
    const inside = { spans: { kind: TAGS.names } };
    expect(labelNamesOf({ spans: [{ start: { dtype: 'int64', _type: 'Value' }, kind: TAGS }] })).toEqual(inside);
    expect(labelNamesOf({ spans: { feature: { kind: TAGS }, _type: 'Sequence' } })).toEqual(inside);
    const card = { name: 'kind', dtype: { class_label: { names: { 0: 'O', 1: 'B-person', 2: 'I-person' } } } };
    expect(labelNamesOf([{ name: 'spans', list: [{ name: 'start', dtype: 'int64' }, card] }])).toEqual(inside);
    expect(labelNamesOf([{ name: 'spans', list: [card] }])).toEqual(inside);
  });

  it.each([
    [null],
    ['label'],
    [{ label: { names: 'x', _type: 'ClassLabel' } }],
    [{ label: { names: [1], _type: 'ClassLabel' } }],
    [[{ name: 'label', dtype: { class_label: { names: { 0: 'a', 2: 'c' } } } }]],
    [[{ name: 7, dtype: { class_label: { names: { 0: 'a' } } } }]],
    [JSON.parse(`${'{"a":'.repeat(50)}1${'}'.repeat(50)}`)],
  ])('are not found in %j', (features) => {
    expect(labelNamesOf(features)).toEqual({});
  });

  it('replace the numbers of a Parquet file; -1 means no value', async () => {
    const file = await parquet(
      `SELECT 'row ' || i AS text, i - 1 AS label, [0, 1, 2] AS ner_tags, [{'kind': 2}] AS spans FROM range(3) t(i)`,
      { label: SENTIMENT, ner_tags: { feature: TAGS, _type: 'Sequence' }, spans: [{ kind: TAGS }] },
    );
    const others = { ner_tags: TAGS.names, spans: [{ kind: 'I-person' }] };
    const { rows, contents } = await processed(file, { ...custom, threads: 1 });
    expect(rows).toEqual([
      { text: 'row 0', ...others },
      { text: 'row 1', label: 'negative', ...others },
      { text: 'row 2', label: 'positive', ...others },
    ]);
    expect(contents?.labels).toEqual(['negative', 'positive']);
    const raw = await processed(file, { ...custom, areRaw: true });
    expect(raw.rows[2]).toEqual({ text: 'row 2', label: 'positive', ...others });
  });

  it('given by the request replace the numbers of any file, and override those of the file', async () => {
    const labelNames = { sentiment: ['bad', 'good'] };
    const options = { labelNames, columnMapping: { label: 'sentiment' } };
    const expected = [
      { text: 'a', label: 'good' },
      { text: 'b', label: 'bad' },
    ];
    const jsonl = '{"text":"a","sentiment":1}\n{"text":"b","sentiment":0}\n';
    for (const file of [jsonl, 'text,sentiment\na,1\nb,0\n', 'text,sentiment\na,good\nb,0\n'])
      expect((await processed(file, options)).rows).toEqual(expected);
    const own = await parquet(`SELECT 'a' AS text, 1 AS label`, { label: SENTIMENT });
    const { rows } = await processed(own, { labelNames: { label: ['bad', 'good'] } });
    expect(rows).toEqual([{ text: 'a', label: 'good' }]);
  });

  it.each<[string, Record<string, string>, string]>([
    ['Inhalt,Art\na,1\nb,0\n', { text: 'Inhalt', label: 'Art' }, 'label'],
    ['Inhalt,Art\na,1\nb,0\n', { text: 'Inhalt', label: 'Art' }, 'Art'],
    ['Inhalt,Art,label\na,1,7\nb,0,7\n', { text: 'Inhalt', label: 'Art' }, 'label'],
    ['Text,Label\na,1\nb,0\n', {}, 'label'],
    ['Text,Label\na,1\nb,0\n', {}, 'Label'],
  ])('may name a column by our name, or as the file does: %j', async (file, columnMapping, name) => {
    const options = { columnMapping, labelNames: { [name]: SENTIMENT.names } };
    expect((await processed(file, options)).rows.map((row) => row?.label)).toEqual(['positive', 'negative']);
  });

  it('may name the column of a task by our name', async () => {
    const options = { columnMapping: { 'labels.tone': 'Ton' }, labelNames: { 'labels.tone': SENTIMENT.names } };
    const { rows } = await processed('text,Ton\na,1\nb,0\n', options);
    expect(rows.map((row) => row?.labels)).toEqual([{ tone: 'positive' }, { tone: 'negative' }]);
  });

  it('are refused for one column under both names', async () => {
    const labelNames = { label: ['a', 'b'], Art: ['c', 'd'] };
    await expect(processed('text,Art\na,1\nb,0\n', { columnMapping: { label: 'Art' }, labelNames })).rejects.toThrow(
      'label_names has names for the column "Art" twice, as "label" and as "Art"',
    );
  });

  it('missing for a number are an error of its row', async () => {
    const { errors } = await processed('{"text":"a","label":2}\n{"text":"b","label":0.5}', {
      labelNames: { label: SENTIMENT.names },
    });
    expect(errors).toEqual([
      { row: 1, field: 'label', reason: '2 has no name; label_names has names for 0 to 1' },
      { row: 2, field: 'label', reason: '0.5 has no name; label_names has names for 0 to 1' },
    ]);
  });

  it('are said to be unused where no row has their column', async () => {
    const file = '{"text":"a","label":"x"}\n{"text":"b","label":"y"}';
    const given = { labelNames: { topic: ['p', 'q'], label: ['x', 'y'] } };
    const { contents } = await processed(file, given);
    expect(contents?.container).toBe('label_names for "topic" not used, which the first rows lack');
    expect((await processed(file)).contents?.container).toBeUndefined();
  });

  it('are requested if labels are numbers without names', async () => {
    const { reason } = await processed('{"text":"a","label":1}');
    expect(reason).toBe('row 1: label must be a string, is a number; label_names says which names numbers stand for');
    const csv = 'text,label\na,1\nb,0\n';
    await expect(processed(csv)).rejects.toThrow(
      'the labels are the numbers 0 to 1, which most likely stand for names: say them with label_names, as in {"label":["negative","positive"]}; {"label":["0","1"]} keeps the numbers as labels',
    );
    expect((await processed(csv, { labelNames: { label: ['0', '1'] } })).contents?.labels).toEqual(['0', '1']);
    expect((await processed('text,label\na,1\nb,5\n')).contents?.labels).toEqual(['1', '5']);
    await expect(processed('text,label\na,1\nb,2\n')).rejects.toThrow('the labels are the numbers 1 to 2');
    await expect(processed('text,label\na,1.0\nb,0.0\n')).rejects.toThrow('the labels are the numbers 0 to 1');
    for (const [first, second] of [
      ['-1', '1'],
      ['1.5', '2.5'],
      ['-1', '5'],
    ] as const) {
      const file = `text,label\na,${second}\nb,${first}\n`;
      const kept = JSON.stringify({ label: [first, second] });
      await expect(processed(file)).rejects.toThrow(
        `the labels are the numbers ${first}, ${second}, which most likely stand for names`,
      );
      await expect(processed(file)).rejects.toThrow(`${kept} as label_names keeps the numbers as labels`);
      const { rows } = await processed(file, { labelNames: { label: [first, second] } });
      expect(rows.map((row) => row?.label)).toEqual([second, first]);
    }
    await expect(processed('text,label\na,0\nb,1\nc,-1\n')).rejects.toThrow('the labels are the numbers -1, 0, 1,');
    await expect(processed('text,labels.tone\na,1\nb,-1\n')).rejects.toThrow('{"labels.tone":["-1","1"]}');
    expect((await processed('text,label\na,-1\nb,cold\n')).contents?.labels).toEqual(['-1', 'cold']);
    const named = await processed('text,label\na,1.0\nb,0.0\n', { labelNames: { label: ['bad', 'good'] } });
    expect(named.rows.map((row) => row?.label)).toEqual(['good', 'bad']);
  });
});
