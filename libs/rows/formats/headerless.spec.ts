import { readAs } from './layouts/reading.js';
import { processed } from './reading.fixture.js';

type Options = Parameters<typeof processed>[1];
const read = async (file: string, options: Options = {}, chunkSize?: number) => {
  const { rows, reason, contents } = await processed(file, { fileName: 'train.csv', ...options }, chunkSize);
  expect(reason).toBeNull();
  return { rows, as: contents && readAs(contents) };
};
const reasonOf = async (file: string, options: Options = {}) =>
  processed(file, { fileName: 'train.csv', ...options }).then(
    ({ reason }) => reason,
    (error: Error) => error.message,
  );

describe('a table without a header row', () => {
  it("is read if a later row has the first row's class, and all other cells are prose", async () => {
    const comprehend =
      'sports,"The team won, 3 to 1"\npolitics,The senate passed the bill\nsports,A late goal decided the final\n';
    const expected = {
      rows: [
        { label: 'sports', text: 'The team won, 3 to 1' },
        { label: 'politics', text: 'The senate passed the bill' },
        { label: 'sports', text: 'A late goal decided the final' },
      ],
      as: 'CSV without a header row, with the class in column 1 and the text in column 2',
    };
    for (const size of [1, 7, 1 << 16]) expect(await read(comprehend, {}, size)).toEqual(expected);
    expect(
      await read('Go to the shop, now, please\tham\nFree entry, text WIN\tspam\nSee you there then\tham\n'),
    ).toEqual({
      rows: [
        { text: 'Go to the shop, now, please', label: 'ham' },
        { text: 'Free entry, text WIN', label: 'spam' },
        { text: 'See you there then', label: 'ham' },
      ],
      as: 'lines of cells separated by tabs without a header row, with the class in column 2 and the text in column 1',
    });
    const chinese = '好,这本书写得非常好看\n坏,质量太差了不值得买\n好,孩子很喜欢这个玩具\n';
    expect((await read(chinese)).rows[0]).toEqual({ label: '好', text: '这本书写得非常好看' });
  });

  it('joins several text columns to one text, a line each', async () => {
    const news =
      '"3","Bears claw back","Short-sellers see green again."\n"4","A new chip is out","It is fast."\n"3","Oil","Prices go up again."\n';
    expect(await read(news)).toMatchObject({
      rows: [
        { label: '3', text: 'Bears claw back\nShort-sellers see green again.' },
        { label: '4' },
        { text: 'Oil\nPrices go up again.' },
      ],
      as: 'CSV without a header row, with the class in column 1 and the text in columns 2 and 3',
    });
  });

  it('has the class names of Sentiment140', async () => {
    const row = (polarity: number, text: string) =>
      `"${polarity}","1467810369","Mon Apr 06 22:19:45 PDT 2009","NO_QUERY","ada","${text}"\n`;
    const { rows, as } = await read(row(0, 'is upset') + row(4, 'what a day, really') + row(2, 'ok'));
    expect(rows).toMatchObject([
      { label: 'negative', text: 'is upset', user: 'ada' },
      { label: 'positive', text: 'what a day, really' },
      { label: 'neutral' },
    ]);
    expect(as).toBe(
      'CSV without a header row, in the columns of Sentiment140; 3 rows, 3 columns not used: "date" "query" "user"',
    );
  });

  it('needs label names for numbers from 0', async () => {
    const file = 'So slow a film\t0\nNot sure who was lost\t0\nI loved all of it\t1\n';
    expect(await reasonOf(file)).toMatch(/the labels are the numbers 0 to 1, which most likely stand for names/);
    const named = await read(file, { labelNames: { label: ['bad', 'good'] } });
    expect(named.rows).toMatchObject([{ label: 'bad' }, { label: 'bad' }, { label: 'good' }]);
  });

  it('is read by column numbers in column_mapping', async () => {
    const mapped = { columnMapping: { text: 'column 3', label: 'column 1' } };
    expect((await read('a,7,Ada sings\nb,8,Bo naps\n', mapped)).rows).toEqual([
      { label: 'a', 'column 2': '7', text: 'Ada sings' },
      { label: 'b', 'column 2': '8', text: 'Bo naps' },
    ]);
    expect(await reasonOf('label,text\nb,Bo naps\n', { columnMapping: { text: 'column 3' } })).toMatch(
      /names the column "column 3", which no row has/,
    );
  });

  it.each<[string, string]>([
    [
      'the class of the first row is not proven',
      'sports,The team won it again\npolitics,The senate passed the bill\nart,A show opened this week\n',
    ],
    [
      'two columns may be the class',
      'a,x,The team won it again\nb,x,The senate passed the bill\na,x,A show opened this week\n',
    ],
    [
      'a column holds dates',
      'a,2024-01-01,The team won it again\nb,2024-01-02,The senate passed\na,2024-01-03,A show opened this week\n',
    ],
    [
      'a cell holds several classes',
      'a|b,The team won it again\nb,The senate passed the bill\na|b,A show opened this week\n',
    ],
  ])('is refused with the header line to add if %s', async (_, file) => {
    expect(await reasonOf(file)).toMatch(/write one before it, such as text,label, or name its columns by numbers/);
  });

  it('is distinguished from one with a header row', async () => {
    const { rows, as } = await read('label,text\na,The team won it again\na,The senate passed\nb,A show opened\n');
    expect(rows).toHaveLength(3);
    expect(as).toBeNull();
  });
});

describe('lines of fastText', () => {
  const lines =
    '__label__sauce __label__cheese How much potato starch?\n\n__label__safety Acidic environments __label__sauce\nno label here\n';

  it('may have labels anywhere, and the rest is the text', async () => {
    const expected = {
      rows: [
        { text: 'How much potato starch?', labels: ['sauce', 'cheese'] },
        { text: 'Acidic environments', labels: ['safety', 'sauce'] },
      ],
      as: 'fastText, 2 lines',
    };
    const labelled = lines.replace('no label here\n', '');
    for (const size of [1, 7, 1 << 16])
      expect(await read(labelled, { fileName: 'cooking.train' }, size)).toEqual(expected);
    expect((await read('__label__a x y\n__label__b z\n', { fileName: 'a.txt' })).rows).toEqual([
      { text: 'x y', label: 'a' },
      { text: 'z', label: 'b' },
    ]);
  });

  it('are read by `format` even if a line has no label, and the version reports it', async () => {
    const one = '__label__a x y\nno label here\n__label__b z\n';
    const { rows, as } = await read(one, { format: 'fasttext' });
    expect(rows).toEqual([
      { text: 'x y', label: 'a' },
      { text: 'z', label: 'b' },
    ]);
    expect(as).toBe('fastText, 3 lines, 1 without a class');
  });

  it('are refused if a line exceeds the row limit', async () => {
    const file = `__label__a ${'x'.repeat(2_000)}\n`;
    expect(await reasonOf(file, { format: 'fasttext', limits: { rowBytes: 1_000 } })).toMatch(/^line 1 is longer than/);
    expect(await reasonOf('__label__a x\n__label__b\n', { format: 'fasttext' })).toMatch(/^row 2: text/);
  });
});

describe('a row whose text is not a string', () => {
  it('is refused without suggesting another layout', async () => {
    expect(await reasonOf('{"text":7}', { fileName: 'a.jsonl' })).toBe('row 1: text must be a string, is a number');
  });
});
