import { createHash } from 'node:crypto';
import { UnreadableFileError } from './index.js';
import { processed } from './reading.fixture.js';

const row = (number: number, label = 'x') => ({ text: `row ${number}`, label });
const lines = (rows: readonly object[]) => rows.map((each) => JSON.stringify(each)).join('\n');

describe.each([{ threads: 0 }, { threads: 2 }])(
  'a file that is read in many blocks, by $threads threads',
  (threads) => {
    const small = { ...threads, blockBytes: 500, datasetType: 'classification' as const };

    it('keeps its rows in order, with an index and a hash of the stored bytes', async () => {
      const rows = Array.from({ length: 3500 }, (_, index) => row(index));
      for (const file of [lines(rows), JSON.stringify(rows, null, 1)]) {
        const { text, conversion, ...read } = await processed(file, small);
        expect(read.rows).toEqual(rows);
        expect(conversion.size).toBe(Buffer.byteLength(text));
        expect(conversion.sha256).toBe(createHash('sha256').update(text).digest('hex'));
        expect(conversion.index).toMatchObject({ step: 1000, rows: 3500 });
        for (const [entry, offset] of conversion.index.offsets.entries())
          expect(text.slice(offset).split('\n')[0]).toBe(JSON.stringify(row(entry * 1000)));
        expect(conversion.index.offsets).toHaveLength(4);
      }
    });

    it('names rows by their number in the file', async () => {
      const rows = Array.from({ length: 1200 }, (_, index) =>
        index % 400 === 399 ? { text: '', label: 'x' } : row(index),
      );
      const { errors, total, reason } = await processed(lines(rows), small);
      expect(errors.map((error) => error.row)).toEqual([400, 800, 1200]);
      expect([total, reason]).toEqual([3, '3 rows are not valid; row 400: text is empty']);
    });

    it('has one label mode throughout, and names the row with another one', async () => {
      const rows = Array.from({ length: 400 }, (_, index) => (index < 350 ? row(index) : { text: 'a', labels: ['b'] }));
      const { errors, total } = await processed(lines(rows), small);
      const reason = 'row 1 has label; the rows of a dataset all have label, or all labels';
      expect([total, errors[0]]).toEqual([50, { row: 351, field: 'labels', reason }]);
    });

    it('is refused for its first fault', async () => {
      const good = Array.from({ length: 300 }, (_, index) => row(index));
      const long = JSON.stringify(row(301, 'x'.repeat(2000)));
      const file = Buffer.concat([Buffer.from(`${lines(good)}\n${long}\n${lines(good)}\n`), Buffer.from([0xff])]);
      const limits = { rowBytes: 1000 };
      await expect(processed(file, { ...small, limits })).rejects.toThrow(/^line 301 is longer than 1000 bytes/);
      const places = await processed(file, small).catch((error: unknown) => (error as UnreadableFileError).message);
      expect(places).toMatch(/^row 602: byte \d+ is not UTF-8/);
    });

    it('counts labels over all blocks', async () => {
      const rows = Array.from({ length: 300 }, (_, index) => row(index, `l${index}`));
      const { contents } = await processed(lines(rows), small);
      expect(contents?.labels).toHaveLength(300);
      await expect(processed(lines(rows), { ...small, limits: { labels: 200 } })).rejects.toThrow(
        'more than 200 different',
      );
    });

    it('of CSV is split only between records', async () => {
      const texts = Array.from({ length: 500 }, (_, index) => `"quoted, ${index}\r\nline\n" and ""more`);
      const csv = `text,label\r\n${texts.map((text) => `"${text.replaceAll('"', '""')}",x`).join('\r\n')}\r\n`;
      for (const size of [7, 1 << 16]) {
        const { rows } = await processed(csv, small, size);
        expect(rows.map((each) => each?.text)).toEqual(texts);
      }
      const stray = `text,label\n${'a,b\n'.repeat(300)}a"b,c\n${'a,b\n'.repeat(300)}`;
      await expect(processed(stray, small)).rejects.toThrow(/^row 301 has a quote in the wrong place/);
      const open = `text,label\n${'a,b\n'.repeat(300)}"ab,c\n${'a,b\n'.repeat(300)}`;
      await expect(processed(open, small)).rejects.toThrow(/^row 301 is not whole: the file ends inside a quoted cell/);
    });
  },
);

it('rows that need no change are stored unchanged', async () => {
  const file = '{"text": "a",  "label": "\\u00e9", "n": 1.50}\r\n\n {"text":"b","label":"y","entities":null}\n';
  const { text } = await processed(file);
  expect(text).toBe('{"text": "a",  "label": "\\u00e9", "n": 1.50}\n{"text":"b","label":"y"}\n');
});

describe('the limits of dataset events', () => {
  const text = 'x';
  it.each([
    ['labels of other scripts', (i: number) => ({ text, label: `${'語'.repeat(190)}${i}` })],
    ['labels that JSON writes longer', (i: number) => ({ text, label: `${'\u0001'.repeat(190)}${i}` })],
    ['fields of structures', (i: number) => ({ text, json_structures: [{ ['s'.repeat(200)]: { [`f${i}`]: text } }] })],
  ])('hold for %s', async (_, made) => {
    const of = (count: number) => lines(Array.from({ length: count }, (__, i) => made(i)));
    const file = { datasetType: 'custom' as const };
    await expect(processed(of(500), file)).rejects.toThrow('more than 100000 bytes of them');
    const { contents } = await processed(of(80), file);
    expect(Buffer.byteLength(JSON.stringify(contents))).toBeLessThan(512 * 1024);
  });
});

describe('the column names of CSV', () => {
  const csv = (name: number, count: number) => `text,label,${'n'.repeat(name)}\n${'a,b,c\n'.repeat(count)}`;
  const file = { datasetType: 'classification' as const };

  it('count in every row towards the limit of an unpacked file', async () => {
    const limits = { unpackedBytes: 1_000_000 };
    expect((await processed(csv(100, 5000), { ...file, limits })).rows).toHaveLength(5000);
    await expect(processed(csv(1000, 5000), { ...file, limits })).rejects.toThrow('the rows are longer than');
  });

  it('must fit in memory', async () => {
    const limits = { rowBytes: 100_000 };
    await expect(processed(csv(10_000, 50_000), { ...file, limits })).rejects.toThrow('names of their columns');
  });
});
