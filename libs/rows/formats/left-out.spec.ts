import type { JsonObject } from '#domain/json.js';
import { readAs } from './layouts/reading.js';
import { processed } from './reading.fixture.js';

type Options = Parameters<typeof processed>[1];

const kinds = { datasetType: 'classification' } as const;
const lines = (rows: readonly (object | string)[]) =>
  rows.map((row) => (typeof row === 'string' ? row : JSON.stringify(row))).join('\n');

/** What is stored of a file, what is left out, and how the version says that it was read. */
async function read(file: string, options: Options = {}) {
  const { rows, reason, contents, conversion } = await processed(file, { ...kinds, ...options });
  const { leftOut = null } = conversion.verdict.refused ? {} : conversion.verdict;
  const { lines: listed = Buffer.alloc(0), ...told } = leftOut ?? {};
  const list = listed.toString().split('\n').filter(Boolean);
  return {
    ...{ rows, reason, leftOut: leftOut && told, list: list.map((line) => JSON.parse(line) as JsonObject) },
    as: contents && readAs(contents, leftOut ?? undefined),
  };
}

describe.each([{ threads: 0 }, { threads: 2 }])(
  'rows that are not valid, in blocks for $threads threads',
  (threads) => {
    const small = { ...threads, blockBytes: 300 };
    const good = (row: number) => ({ text: `row ${row}`, label: row % 2 ? 'odd' : 'even' });
    const file = Array.from({ length: 200 }, (_, index) => {
      if (index % 50 === 10) return '{"text": "cut off';
      return index % 50 === 20 ? { text: `row ${index}`, label: index } : good(index);
    });

    it('are left out within the tolerated share, listed with their reasons, and not stored', async () => {
      const { rows, leftOut, list, as } = await read(lines(file), { ...small, tolerance: 0.05 });
      expect(rows).toEqual(file.filter((_, index) => index % 50 !== 10 && index % 50 !== 20));
      expect(leftOut).toEqual({
        ...{ rows: 8, unlabelled: 0, of: 200, listed: 8 },
        reasons: [
          { reason: expect.stringMatching(/^is not JSON/), rows: 4, firstRow: 11 },
          { reason: expect.stringMatching(/^label must be a string/), rows: 4, firstRow: 21 },
        ],
      });
      expect(list.map(({ row }) => row)).toEqual([11, 21, 61, 71, 111, 121, 161, 171]);
      expect(list[0]).toMatchObject({ reason: expect.stringMatching(/^is not JSON/), data: '{"text": "cut off' });
      expect(list[7]).toMatchObject({
        reason: expect.stringMatching(/^label must be/),
        data: { text: 'row 170', label: 170 },
      });
      expect(as).toBe('8 of 200 rows left out, not valid');
    });

    it('fail the version beyond that share', async () => {
      for (const tolerance of [0, 0.03]) {
        const { reason, rows } = await read(lines(file), { ...small, tolerance });
        expect(reason).toMatch(/^8 rows are not valid; row 11: is not JSON/);
        expect(rows).toEqual([]);
      }
    });

    it('fail the version if no other row is left', async () => {
      const { reason } = await read(lines(['{', '[]']), { ...small, tolerance: 1 });
      expect(reason).toMatch(/^2 rows are not valid; row 1: /);
    });

    it('are never left out where rows contradict each other', async () => {
      const mixed = [...file.slice(0, 10), { text: 'a', labels: ['odd'] }];
      expect((await read(lines(mixed), { ...small, tolerance: 1 })).reason).toMatch(/^row 11: labels row 1 has label/);
    });

    it('do not excuse a column of the mapping that no row has', async () => {
      const missing = read(lines(file), { ...small, tolerance: 1, columnMapping: { text: 'body' } });
      await expect(missing).rejects.toThrow('column_mapping.text names the column "body", which no row has');
    });
  },
);

describe('the list of left-out rows', () => {
  const good = { text: 'a', label: 'x' };

  it('holds cells and rows as the file has them', async () => {
    const csv = await read('text,label\na,x\nb,y,z\n,x\n', { tolerance: 1 });
    expect(csv.list).toEqual([
      { row: 2, reason: 'has 3 cells, the first row has 2', data: ['b', 'y', 'z'] },
      { row: 3, reason: 'text is missing', data: { label: 'x' } },
    ]);
  });

  it('names each fault of a row', async () => {
    const { list } = await read(lines([good, { text: '', label: 4 }]), { tolerance: 1 });
    expect(list).toEqual([
      { row: 2, reason: expect.stringMatching(/^text is empty; label must be a string/), data: { text: '', label: 4 } },
    ]);
  });

  it('has no content of a row that is very long, and ends before it is', async () => {
    const long = { text: '', label: 'x'.repeat(300_000) };
    const { list, leftOut } = await read(lines([good, long]), { tolerance: 1 });
    expect(leftOut).toMatchObject({ rows: 1, listed: 1 });
    expect(list).toEqual([
      {
        row: 2,
        reason: expect.stringMatching(/^text is empty/),
        data: null,
        data_left_out: 'longer than 262144 bytes',
      },
    ]);
    const many = await read(lines([good, ...Array.from({ length: 10_005 }, () => ({ text: '', label: 'x' }))]), {
      tolerance: 1,
    });
    expect(many.leftOut).toMatchObject({ rows: 10_005, listed: 10_000, of: 10_006 });
    expect(many.list.at(-1)).toMatchObject({ row: 10_001 });
  });
});

describe('rows without a label among others', () => {
  const good = { text: 'a', label: 'x' };
  const without = { rows: 1, unlabelled: 1, reasons: [{ reason: 'has no label', rows: 1, firstRow: 2 }], listed: 1 };

  it.each<[string, string, Options]>([
    ['null', lines([good, { text: 'b', label: null }]), {}],
    ['an empty text', lines([good, { text: 'b', label: ' ' }]), {}],
    ['NaN of Python', lines([good, '{"text": "b", "label": NaN}']), {}],
    [
      '-1',
      lines([
        { text: 'a', label: 0 },
        { text: 'b', label: -1 },
      ]),
      { labelNames: { label: ['x'] } },
    ],
    ['an empty cell', 'text,label\na,x\nb,\n', {}],
    ...['NaN', 'nan', 'None', 'null', 'NULL', 'N/A', 'n/a', 'NA', '<NA>', '#N/A'].map(
      (cell): [string, string, Options] => [`${cell} in a cell`, `text,label\na,x\nb,${cell}\n`, {}],
    ),
    ['NaN in the column of a task', 'text,labels.topic\na,x\nb,NaN\n', {}],
    ['None in the columns of all tasks', 'text,labels.topic,labels.tone\na,x,y\nb,None,NA\n', {}],
    [
      'null for entities',
      lines([
        { text: 'a', entities: [] },
        { text: 'b', entities: null },
      ]),
      { datasetType: 'ner' },
    ],
  ])('are left out and counted, but are no error: %s', async (_what, file, options) => {
    const { rows, leftOut, as, list } = await read(file, options);
    expect(rows).toHaveLength(1);
    expect(leftOut).toEqual({ ...without, of: 2 });
    expect(as).toBe('1 of 2 rows left out, without a label');
    expect(list).toMatchObject([{ row: 2, reason: 'has no label' }]);
    if (options?.labelNames) expect(list[0]).toMatchObject({ data: { label: -1 } });
  });

  it.each<[string, string, string]>([
    ['levels of a class', 'text,Cat1,Cat2\na,x,y\nb,,\n', 'without a class'],
    ['a table with other names', 'review,category\nA fine film,x\nDull and long,\n', 'without a class'],
    ['fastText', '__label__x a fine film\ndull and long\n', 'without a class'],
    [
      'doccano',
      lines([
        { id: 1, text: 'a', label: ['x'] },
        { id: 2, text: 'b', label: [] },
      ]),
      'without a class',
    ],
    [
      'Prodigy',
      lines([
        { text: 'a', label: 'x', answer: 'accept' },
        { text: 'b', answer: 'accept' },
      ]),
      'accepted without an annotation',
    ],
  ])('are left out and counted in files of other layouts: %s', async (layout, file, said) => {
    for (const datasetType of ['classification', 'ner'] as const) {
      const format = layout === 'fastText' ? 'fasttext' : null;
      const { rows, leftOut, list, as } = await read(file, { datasetType, format });
      expect(rows).toHaveLength(1);
      expect(leftOut).toEqual({ ...without, of: 2 });
      expect(list).toMatchObject([{ row: 2, reason: 'has no label' }]);
      expect(as).toMatch(new RegExp(`1 ${said}.*; 1 of 2 rows left out, without a label$`));
    }
  });

  it('are errors if no row has one, or if the row does not say that it has none', async () => {
    expect((await read(lines([{ text: 'a', label: null }]))).reason).toMatch(/^row 1: label is missing/);
    expect((await read('text,label\na,\nb,\n')).reason).toMatch(/^2 rows are not valid; row 1: label is missing/);
    expect((await read(lines([good, { text: 'b' }]))).reason).toMatch(/^row 2: label is missing/);
  });

  it('are those of cells with such words alone, unless label_names has the word', async () => {
    const classes = async (file: string, options: Options = {}) => (await read(file, options)).rows;
    expect(await classes('text,label\na,none\nb,NA team\n')).toMatchObject([{ label: 'none' }, { label: 'NA team' }]);
    const labelNames = { label: ['None', 'x'] };
    expect(await classes('text,label\na,0\nb,None\n', { labelNames })).toMatchObject([
      { label: 'None' },
      { label: 'None' },
    ]);
    expect(await classes(lines([{ text: 'a', label: 'None' }]))).toMatchObject([{ label: 'None' }]);
    expect((await read('text,label\na,None\nb,NA\n')).reason).toMatch(/^2 rows are not valid; row 1: label is empty/);
  });

  it('keep the labels of their other tasks, and read_as counts those that are none', async () => {
    const { rows, leftOut, as } = await read('text,labels.topic,labels.tone\na,x,y\nb,NaN,z\n');
    expect(rows).toEqual([
      { text: 'a', labels: { topic: 'x', tone: 'y' } },
      { text: 'b', labels: { tone: 'z' } },
    ]);
    expect(leftOut).toBeNull();
    expect(as).toBe('2 rows, 1 labels of tasks such as NaN or None read as no label');
  });

  it('keep NaN and Infinity of other columns as null, in the stored row too', async () => {
    const file = '{"text": "NaN \\"NaN", "label": "x", "score": NaN, "range": [-Infinity, Infinity]}';
    const { rows } = await read(file);
    expect(rows).toEqual([{ text: 'NaN "NaN', label: 'x', score: null, range: [null, null] }]);
  });
});

describe('rows of tools that nobody has labelled', () => {
  const spans = { start: 0, end: 3, text: 'Ada', labels: ['PER'] };
  const task = (annotations: readonly object[]) => ({ data: { text: 'Ada sings' }, annotations });
  const asked = (value: string | null) => ({
    fields: { text: 'Ada sings' },
    responses: value === null ? {} : { tone: [{ value, status: 'submitted' }] },
  });

  it.each<[string, readonly object[]]>([
    [
      'without annotations',
      [task([{ result: [{ type: 'labels', value: spans, from_name: 'l', to_name: 't' }] }]), task([])],
    ],
    [
      'skipped',
      [
        task([{ result: [{ type: 'labels', value: spans, from_name: 'l', to_name: 't' }] }]),
        task([{ result: [], was_cancelled: true }]),
      ],
    ],
    ['without an answer', [asked('glad'), asked(null)]],
    [
      'ignored',
      [
        { text: 'Ada sings', label: 'glad', answer: 'accept' },
        { text: 'Ada sings', answer: 'ignore' },
      ],
    ],
    [
      'without tags',
      [
        { tokens: ['Ada'], ner_tags: ['B-PER'] },
        { tokens: ['Ada'], ner_tags: [null] },
      ],
    ],
  ])('are listed as left out, and named: %s', async (why, file) => {
    const { rows, leftOut, list, as } = await read(lines(file), { datasetType: 'ner' });
    expect(rows).toHaveLength(1);
    expect(leftOut).toMatchObject({ rows: 1, unlabelled: 1, of: 2 });
    expect(as).toMatch(new RegExp(`, 1 ${why}.*; 1 of 2 rows left out, without a label$`));
    expect(list).toEqual([{ row: 2, reason: 'has no label', data: file[1] }]);
  });
});

describe('lists of native rows', () => {
  it('lose their nulls and empty spans, which are counted', async () => {
    const file = lines([
      { text: 'Ada', entities: [null, ['Ada', 'person'], { text: '', label: 'x', start: 1, end: 1 }] },
      { text: 'Bob', labels: ['a', null] },
    ]);
    const { rows, as } = await read(file, { datasetType: 'ner' });
    expect(rows).toEqual([
      { text: 'Ada', entities: [['Ada', 'person']] },
      { text: 'Bob', labels: ['a'] },
    ]);
    expect(as).toBe('2 rows, 2 null entries of lists left out, 1 empty spans left out');
  });
});

describe('texts that only say where a text is', () => {
  const rows = (texts: readonly string[]) => lines(texts.map((text) => ({ text, label: 'x' })));

  it.each([
    ['docs/a.txt', 'docs/b.txt'],
    ['C:\\My Documents\\a b.docx', '/data/c d.PDF'],
    ['s3://bucket/call 1.wav'.replace(' ', '-'), 'file:///data/x'],
    ['https://example.com/page?q=1', 'http://example.com/'],
    [...Array.from({ length: 19 }, (_, file) => `${file}.jpg`), 'a sentence'],
  ])('are refused: %j', async (...texts) => {
    await expect(read(rows(texts))).rejects.toThrow(
      /^the texts of \d+ of \d+ rows are paths or addresses, such as ".*put the texts themselves/,
    );
  });

  it('are refused as prompts of chats and pairs too', async () => {
    const says = /^the texts of 2 of 2 rows are paths or addresses, such as "docs\/a\.txt"/;
    for (const row of [{ completion: 'yes' }, { chosen: 'yes', rejected: 'no' }]) {
      const file = lines(['docs/a.txt', 's3://bucket/b.wav'].map((prompt) => ({ prompt, ...row })));
      await expect(read(file, { datasetType: 'decoder' })).rejects.toThrow(says);
    }
    const asked = lines(['What is in docs/a.txt?', 'docs/b.txt'].map((prompt) => ({ prompt, completion: 'yes' })));
    expect((await read(asked, { datasetType: 'decoder' })).rows).toHaveLength(2);
  });

  it.each([
    ['see https://example.com/a.txt', 'docs/a.txt and docs/b.txt'],
    ['docs/a.txt', 'a sentence', 'another sentence'],
    ['and/or', 'v1.2', 'e.g.', 'Ada'],
  ])('are no others: %j', async (...texts) => {
    expect((await read(rows(texts))).rows).toHaveLength(texts.length);
  });

  it('are accepted if the request names our own rows', async () => {
    expect((await read(rows(['https://a.example', 'https://b.example']), { layout: 'rows' })).rows).toHaveLength(2);
  });
});
