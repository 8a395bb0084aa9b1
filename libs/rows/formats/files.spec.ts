import { gzipSync } from 'node:zlib';
import { UnreadableFileError } from './index.js';
import { processed } from './reading.fixture.js';

const rows = [
  {
    text: 'Zoë flew to Malmö 🛫',
    entities: [
      ['Zoë', 'person'],
      ['Malmö', 'city'],
    ],
  },
  { text: 'nothing', entities: [] },
];
const jsonl = rows.map((row) => JSON.stringify(row)).join('\n');
const csv = 'text,entities\r\n"Zoë flew to Malmö 🛫","[[""Zoë"",""person""],[""Malmö"",""city""]]"\r\nnothing,[]\r\n';
const files: Record<string, string | Buffer> = {
  'a JSON array': JSON.stringify(rows),
  'an indented JSON array': JSON.stringify(rows, null, 2),
  JSONL: jsonl,
  'JSONL with a last newline': `${jsonl}\n`,
  'JSONL with CRLF and blank lines': `\r\n${jsonl.replace('\n', '\r\n\r\n  \r\n')}\r\n`,
  'JSONL with a byte order mark': `\ufeff${jsonl}`,
  CSV: csv,
  'CSV with a byte order mark': `\ufeff${csv}`,
  'CSV with LF and CRLF mixed': csv.replace('\r\n', '\n'),
  'gzipped JSON': gzipSync(JSON.stringify(rows)),
  'gzipped JSONL': gzipSync(jsonl),
  'gzipped CSV': gzipSync(csv),
  'JSONL in two gzip members': Buffer.concat([
    gzipSync(`${jsonl.split('\n')[0]}\n`),
    gzipSync(jsonl.split('\n')[1] ?? ''),
  ]),
};

describe('dataset files', () => {
  it.each(Object.keys(files))('are read: %s, however the bytes arrive', async (name) => {
    const file = files[name] ?? '';
    for (const size of [1, 2, 3, 7, 1 << 16]) {
      const { rows: read, reason } = await processed(file, {}, size);
      expect(reason).toBeNull();
      expect(read).toEqual(rows);
    }
  });

  it('report their contents', async () => {
    const { contents } = await processed(jsonl);
    expect(contents).toEqual({
      rows: 2,
      heads: ['entities'],
      labels: ['city', 'person'],
      entityLabels: ['city', 'person'],
      classLabels: [],
      multiLabel: false,
      format: 'jsonl',
      columns: ['text', 'entities'],
    });
  });

  it.each([
    [{ fileName: 'a.csv' }, 'text,label\nx,y', 'csv'],
    [{ fileName: 'a.JSONL.GZ' }, '{"text":"x","label":"y"}', 'jsonl'],
    [{ fileName: 'a.json' }, '{"text":"x","label":"y"}', 'jsonl'],
    [{ format: 'jsonl' as const }, '[{"text":"x","label":"y"}]', 'json'],
    [{ format: 'csv' as const, fileName: 'a.jsonl' }, 'text,label\nx,y', 'csv'],
    [{}, 'text,label\nx,y', 'csv'],
  ])('with %j are recognised correctly', async (options, file, format) => {
    const { contents, rows: read } = await processed(file, options);
    expect(contents?.format).toBe(format);
    expect(read).toEqual([{ text: 'x', label: 'y' }]);
  });

  it('have their columns mapped to the known ones', async () => {
    const options = { columnMapping: { text: 'sentence', label: 'intent' } };
    const expected = [{ text: '[1] go', label: 'a', note: 'kept' }];
    expect((await processed('sentence,intent,note\n[1] go,a,kept', options)).rows).toEqual(expected);
    expect((await processed('{"sentence":"[1] go","intent":"a","note":"kept"}', options)).rows).toEqual(expected);
    await expect(processed('{"text":"x","intent":"y"}', options)).rejects.toThrow(
      'column_mapping.text names the column "sentence", which no row has',
    );
  });

  it('may have any known column under its own name, in every format', async () => {
    const text = 'Ada met Bob';
    const heads = {
      entities: [['Ada', 'person']],
      labels: ['a', 'b'],
      json_structures: [{ meeting: { who: ['Ada', 'Bob'] } }],
      relations: [{ met: { head: 'Ada', tail: 'Bob' } }],
    };
    const names = { text: 'body', entities: 'spans', labels: 'tags', json_structures: 'records', relations: 'links' };
    const theirs = {
      body: text,
      spans: heads.entities,
      tags: heads.labels,
      records: heads.json_structures,
      links: heads.relations,
    };
    const cells = [text, ...Object.values(heads).map((value) => JSON.stringify(value))];
    const csv = `${Object.values(names).join()}\n${cells.map((cell) => `"${cell.replaceAll('"', '""')}"`).join()}`;
    for (const file of [JSON.stringify(theirs), JSON.stringify([theirs]), csv])
      expect((await processed(file, { columnMapping: names })).rows).toEqual([{ text, ...heads }]);
    const messages = [
      { role: 'user', content: '[1]' },
      { role: 'assistant', content: 'one' },
    ];
    const decoder = { datasetType: 'decoder' as const };
    expect(
      (await processed(JSON.stringify({ chat: messages }), { ...decoder, columnMapping: { messages: 'chat' } })).rows,
    ).toEqual([{ messages }]);
    const asked = { prompt: 'question', completion: 'answer' };
    expect((await processed('question,answer\n[1],one', { ...decoder, columnMapping: asked })).rows).toEqual([
      { messages },
    ]);
  });

  it("with a wrong value in a mapped column are refused with the known field's name", async () => {
    const { errors } = await processed('{"body":7,"spans":"x"}', {
      columnMapping: { text: 'body', entities: 'spans' },
    });
    expect(errors).toMatchObject([
      { row: 1, field: 'text', reason: 'must be a string, is a number' },
      { row: 1, field: 'entities', reason: expect.stringContaining('must be a list, is a string') },
    ]);
    for (const ours of ['label', 'labels', 'entities', 'json_structures', 'relations'])
      await expect(processed('{"text":"a","label":"b"}', { columnMapping: { [ours]: 'none' } })).rejects.toThrow(
        `column_mapping.${ours} names the column "none", which no row has`,
      );
  });

  it('keep keys like __proto__ as plain keys', async () => {
    const line = '{"text":"x","label":"y","__proto__":{"polluted":1},"constructor":"c","toString":"t"}';
    const {
      rows: [row],
    } = await processed(`${line}\n`);
    expect(JSON.stringify(row)).toBe(line);
    const {
      rows: [fromCsv],
    } = await processed('text,label,__proto__\nx,y,z\n');
    expect(JSON.stringify(fromCsv)).toBe('{"text":"x","label":"y","__proto__":"z"}');
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });

  it('take the last of duplicate keys, as JSON readers do', async () => {
    expect((await processed('{"text":"a","text":"b","label":"c"}')).rows).toEqual([{ text: 'b', label: 'c' }]);
  });
});

describe('hostile files are refused with a reason', () => {
  const limits = { rowBytes: 1000, nesting: 10, unpackedBytes: 100_000, ratio: 50, ratioFromBytes: 10_000 };
  const good = '{"text":"a","label":"b"}';
  const cases: [string, string | Buffer, RegExp][] = [
    ['nothing', '', /is empty/],
    ['white space', ' \n\n ', /is empty/],
    ['only a byte order mark', '\ufeff', /is empty/],
    ['an empty array', '[]', /holds no rows/],
    ['only a header row', 'text,label\n', /holds no rows/],
    ['an enormous line', `${good}\n{"text":"${'x'.repeat(2000)}"}`, /^line 2 is longer than 1000 bytes/],
    ['an enormous line without end', 'x'.repeat(90_000).replace(/^./, '{'), /^line 1 is longer/],
    ['an enormous element', `[${good},{"text":"${'x'.repeat(2000)}"}]`, /^row 2 is longer than 1000 bytes/],
    ['an enormous cell', `text,label\na,b\n${'x'.repeat(2000)},b\n`, /^row 2 is longer than 1000 bytes/],
    ['a quote that is never closed', `text,label\n"${'a,b\n'.repeat(500)}`, /^row 1 is longer|inside a quoted cell/],
    ['a quote in the wrong place', 'text,label\na "b" c"d,"x\n', /^row 1|quoted cell/],
    ['a column named twice', 'text,text\na,b\n', /names the column "text" twice/],
    ['a bomb of gzip', gzipSync(`${good}\n`.repeat(50_000)), /unpacks to more than 50 times its size/],
    ['too long a file', `${`${good}\n`.repeat(5000)}`, /longer than 100000 bytes once unpacked/],
    ['gzip that is cut off', gzipSync(good.repeat(50)).subarray(0, 25), /ends too early/],
    [
      'gzip that is damaged',
      Buffer.concat([gzipSync(good).subarray(0, 12), Buffer.alloc(40, 7)]),
      /gzip data is damaged/,
    ],
    ['gzip in gzip', gzipSync(gzipSync(good)), /packed twice/],
    ['bad UTF-8', Buffer.concat([Buffer.from(`${good}\n`), Buffer.from([0x22, 0xff])]), /^row 2: byte 27 is not UTF-8/],
    [
      'bad UTF-8 in CSV',
      Buffer.concat([Buffer.from('text,label\né,b\n'), Buffer.from([0xc3, 0x28])]),
      /byte 17 is not UTF-8/,
    ],
    [
      'a character that is cut off',
      Buffer.concat([Buffer.from(`${good}\n"`), Buffer.from([0xf0, 0x9f])]),
      /byte 27 is not/,
    ],
    ['an overlong NUL', Buffer.from([0x7b, 0xc0, 0x80]), /byte 2 is not UTF-8/],
    ['Parquet that is cut off', 'PAR1....', /Parquet file cannot be read: .*too small to be a Parquet file/],
    ['a zip archive that is none', Buffer.from([0x50, 0x4b, 3, 4, 1, 2, 3]), /zip archive is damaged/],
    ['a tower of brackets in an array', `[${'['.repeat(500)}`, /row 1 nests deeper than 10/],
    ['an array that is not closed', `[${good},`, /before the list of rows is closed/],
    ['an element that is not closed', `[${good},{"text":"a`, /ends inside row 2/],
    ['a comma too many', `[${good},,${good}]`, /comma too many before row 2/],
    ['a comma at the end', `[${good},]`, /comma too many before row 2/],
    ['a missing comma', `[${good} ${good}]`, /after row 1 there must be a comma/],
    ['something behind the array', `[${good}] x`, /after the \]/],
  ];
  it.each(cases)('%s', async (_name, file, reason) => {
    for (const size of [1 << 16, 1, 5]) {
      const attempt = processed(file, { limits }, size);
      await expect(attempt).rejects.toThrow(UnreadableFileError);
      await expect(attempt).rejects.toThrow(reason);
    }
  });

  it('too many labels', async () => {
    const file = Array.from({ length: 30 }, (_, row) => `{"text":"a","label":"l${row}"}`).join('\n');
    await expect(processed(file, { limits: { labels: 20 } })).rejects.toThrow('more than 20 different labels');
    await expect(processed(file, { limits: { labelBytes: 20 } })).rejects.toThrow('more than 20 bytes');
  });

  it('unreadable rows are named by number, and the others are still checked', async () => {
    const file = [
      good,
      '{"text":"a","label":nan}',
      `{"text":${'['.repeat(20)}`,
      '[1]',
      '"text"',
      'null',
      '{"text":5,"label":"b"}',
      good,
    ];
    const { errors, total, reason } = await processed(file.join('\n'), { limits });
    expect(total).toBe(6);
    expect(errors).toMatchObject([
      { row: 2, field: '', reason: expect.stringContaining('is not JSON') },
      { row: 3, field: '', reason: 'nests deeper than 10 levels' },
      { row: 4, field: '', reason: expect.stringContaining('is a list') },
      { row: 5, field: '', reason: expect.stringContaining('is a string') },
      { row: 6, field: '', reason: expect.stringContaining('is null') },
      { row: 7, field: 'text', reason: 'must be a string, is a number' },
    ]);
    expect(reason).toMatch(/^6 rows are not valid; row 2: is not JSON/);
  });

  it('cells without a column, and cells nested too deeply, are row errors', async () => {
    const file = `text,entities\na,[],more\n${'b'}\nc,${'['.repeat(20)}\n`;
    const { errors } = await processed(file, { limits });
    expect(errors).toMatchObject([
      { row: 1, reason: 'has 3 cells, the first row has 2' },
      { row: 2, reason: 'has 1 cells, the first row has 2' },
      { row: 3, field: 'entities', reason: 'nests deeper than 10 levels' },
    ]);
  });

  it('columns are listed unless there are too many', async () => {
    const row = (count: number) =>
      JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, i])));
    const { contents } = await processed(row(1000), { datasetType: 'custom' });
    expect(contents?.columns).toHaveLength(1000);
    expect((await processed(row(1001), { datasetType: 'custom' })).contents?.columns).toBeNull();
    const header = Array.from({ length: 200_000 }, (_, column) => `k${column}`).join(',');
    expect(
      (await processed(`${header}\n${header}`, { datasetType: 'custom', format: 'csv' })).contents?.columns,
    ).toBeNull();
  });

  it('reasons fit in one line, whatever they quote', async () => {
    const file = JSON.stringify({ text: 'a', json_structures: [{ 'na\nme': { 'fi\u2028eld': 'b' } }] });
    const { reason, errors } = await processed(file);
    expect(reason).toMatch(
      /^row 1: json_structures\[0\]\.na me\.fi eld "b" does not occur in text; if it is one of .*$/,
    );
    expect(errors[0]?.field).toBe('json_structures[0].na\nme.fi\u2028eld');
    expect(new UnreadableFileError('row 1: got "\r\n" instead').message).toBe('row 1: got " " instead');
  });

  it('a wrong list in CSV gets a hint how to write one', async () => {
    const { reason } = await processed('text,labels\nhi,fast\n', { datasetType: 'classification' });
    expect(reason).toBe('row 1: labels must be a list, is a string; in CSV a list is written as JSON: ["red","fast"]');
  });

  it('the first 100 row errors are reported, 20 of a kind, and all are counted', async () => {
    const faults = [
      '{"text":"","label":"a"}',
      '{"text":1,"label":"a"}',
      '{"label":"a"}',
      '{"text":"a","label":1}',
      '[]',
      'a',
    ];
    const file = Array.from({ length: 250 }, () => faults).flat();
    const { errors, total, reason, conversion } = await processed(file.join('\n'), { datasetType: 'classification' });
    expect(errors).toHaveLength(100);
    expect(total).toBe(1500);
    expect(reason).toMatch(/^1500 rows are not valid; row 1: text is empty/);
    expect(conversion.verdict.refused?.rowErrors.reasons).toMatchObject([
      { reason: 'text is empty', rows: 250, firstRow: 1 },
      { reason: 'text must be a string, is a number', rows: 250, firstRow: 2 },
      { reason: 'text is missing', rows: 250, firstRow: 3 },
      { reason: expect.stringContaining('label must be a string'), rows: 250, firstRow: 4 },
      { reason: expect.stringContaining('is a list'), rows: 250, firstRow: 5 },
      { reason: expect.stringContaining('is not JSON'), rows: 250, firstRow: 6 },
    ]);
  });

  it('rows with one fault that differ only in their texts are one kind', async () => {
    const file = Array.from({ length: 101 }, (_, row) => ({ text: 'Ada', entities: [[`Bob ${row}`, 'person']] }));
    const { errors, conversion } = await processed(file.map((row) => JSON.stringify(row)).join('\n'));
    expect(errors.map(({ row }) => row)).toEqual(Array.from({ length: 20 }, (_, index) => index + 1));
    expect(errors[18]?.reason).toMatch(/letter by letter$/);
    expect(errors[19]?.reason).toMatch(/letter by letter; and 81 more rows$/);
    expect(conversion.verdict.refused?.rowErrors.reasons).toEqual([
      {
        reason: 'entities[…] "…" does not occur in text; a span must be copied from it letter by letter',
        rows: 101,
        firstRow: 1,
      },
    ]);
  });
});
