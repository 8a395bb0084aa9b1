import fc from 'fast-check';
import type { DatasetType } from '#domain/dataset/index.js';
import type { JsonObject } from '#domain/json.js';
import { withoutFormulas, writeCsv } from '../index.js';
import { processed } from '../reading.fixture.js';

const asCsv = async (rows: readonly JsonObject[], datasetType: DatasetType) => {
  async function* each() {
    yield* rows;
  }
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  return Buffer.concat(await Array.fromAsync(writeCsv(each(), columns, datasetType)));
};

const awkward = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom(
    '',
    ' ',
    '"',
    '""',
    ',',
    '\r\n',
    '\n',
    '\r',
    '[',
    '[]',
    '{"a":1}',
    '"x"',
    ' [1]',
    '5',
    'null',
    "'",
    '\ufeff',
    '=1+1',
    '\u0000',
  ),
);
// UTF-8 can encode only well-formed strings.
const text = awkward.filter((value) => value.isWellFormed());
const json = fc.oneof(
  fc.array(fc.oneof(text, fc.integer(), fc.boolean(), fc.constant(null)), { maxLength: 3 }),
  fc.dictionary(text, fc.oneof(text, fc.integer()), { maxKeys: 3, noNullPrototype: true }),
);
const plain = fc.stringMatching(/^[a-zA-Z_]([a-zA-Z0-9_. ,"-]{0,8}[a-zA-Z0-9])?$/).filter((name) => name !== 'text');
const column = fc.oneof(
  plain,
  plain.map((name) => ` ${name}\t`),
  fc.constantFrom('', ' ', '"', '\ufeffa', '\r', 'a\r\nb', '5', '[]'),
);

describe('CSV', () => {
  it('is read back as the same rows, whatever their text contains', async () => {
    const row = fc.dictionary(column, fc.oneof(text, json), { minKeys: 1, maxKeys: 5, noNullPrototype: true });
    await fc.assert(
      fc.asyncProperty(
        fc.array(row, { minLength: 1, maxLength: 6 }),
        fc.integer({ min: 1, max: 40 }),
        async (rows, size) => {
          const free = rows.map((each) => ({ ...each, marker: 'x' }));
          const { rows: read } = await processed(
            await asCsv(free, 'custom'),
            { datasetType: 'custom', format: 'csv' },
            size,
          );
          expect(read).toEqual(free);
        },
      ),
      { numRuns: 300 },
    );
  });

  it('keeps texts and labels unchanged, even if they look like JSON', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(text, text), { minLength: 1, maxLength: 6 }), async (pairs) => {
        const rows = pairs.map(([sentence, label]) => ({ text: `t${sentence}`, label: `${label}l` }));
        const { rows: read } = await processed(await asCsv(rows, 'classification'), { format: 'csv' });
        expect(read).toEqual(rows);
      }),
      { numRuns: 300 },
    );
  });

  it('for spreadsheets has no text that begins as a formula, also after white space, in full width, or after another separator', async () => {
    const signs = ['=', '+', '-', '@', '＝', '＋', '－', '＠'];
    const formulas = [...signs, ...signs.map((sign) => ` \n${sign}`), '\t', '\r', '\n'].map((start) => `${start}1+1`);
    for (const formula of formulas) expect(withoutFormulas(formula)).toBe(`'${formula}`);
    for (const text of ['a=1', '1-1', ' a', '']) expect(withoutFormulas(text)).toBe(text);
    const csv = (
      await asCsv(
        ['a;=1+1', 'a\t=1+1', 'a|=1+1'].map((text) => ({ text })),
        'custom',
      )
    ).toString();
    expect(csv.split('\r\n').slice(1, -1)).toEqual(['"a;=1+1"', '"a\t=1+1"', '"a|=1+1"']);
  });

  it('has a column for every key of any row, in order of appearance', async () => {
    const csv = await asCsv(
      [
        { text: 'a', label: 'x' },
        { text: 'b', entities: [['b', 'y']] },
      ],
      'ner',
    );
    expect(csv.toString()).toBe('text,label,entities\r\na,x,\r\nb,,"[[""b"",""y""]]"\r\n');
  });
});

describe('JSON and JSONL', () => {
  it('are read back as the same rows, however the bytes arrive', async () => {
    const value = fc.oneof(
      text,
      json,
      fc.double({ noNaN: true, noDefaultInfinity: true }).map((n) => n + 0),
      fc.boolean(),
    );
    const row = fc.dictionary(column, value, { maxKeys: 5, noNullPrototype: true });
    await fc.assert(
      fc.asyncProperty(
        fc.array(row, { minLength: 1, maxLength: 6 }),
        fc.integer({ min: 1, max: 40 }),
        async (rows, size) => {
          const free = rows.map((each) => ({ ...each, marker: 'x' }));
          for (const file of [
            JSON.stringify(free),
            JSON.stringify(free, null, 1),
            free.map((r) => JSON.stringify(r)).join('\n'),
          ])
            expect((await processed(file, { datasetType: 'custom' }, size)).rows).toEqual(free);
        },
      ),
      { numRuns: 200 },
    );
  });
});
