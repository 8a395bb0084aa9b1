import { processed } from '../../reading.fixture.js';
import { readAs } from '../reading.js';

const read = async (file: string) => {
  const { rows, reason, contents, conversion } = await processed(file, { datasetType: 'classification' });
  const leftOut = 'leftOut' in conversion.verdict ? conversion.verdict.leftOut : null;
  return { reason, labels: rows.map((row) => row?.labels), as: contents && readAs(contents, leftOut ?? undefined) };
};

describe('texts with a column for each class', () => {
  it.each([
    ['whole numbers', '1', '0'],
    ['numbers of pandas', '1.0', '0.0'],
    ['booleans', 'True', 'FALSE'],
    ['cells with blanks', ' 1', '0 '],
    ['words', 'yes', 'No'],
    ['letters', 'y', 'n'],
    ['words of another language', 'ja', 'nein'],
    ['marks', 'x', ''],
    ['numbers and nothing', '1', ''],
  ])('have them as %s', async (_name, yes, no) => {
    const file = `comment_text,toxic,insult\nYou fool,${yes},${yes}\nHello,${no},${no}\nOh no,${no},${yes}\n`;
    expect(await read(file)).toEqual({
      reason: null,
      labels: [['toxic', 'insult'], [], ['insult']],
      as: 'texts with a column for each class, 3 rows, 3 with classes in "toxic" "insult"',
    });
  });

  it('are read by marks of which no row has two', async () => {
    const { labels } = await read('Text;Price;Service\nToo dear;x;\nRude;;x\nFine;;\n');
    expect(labels).toEqual([['Price'], ['Service'], []]);
  });

  it('are none with marks of several kinds, which may be names', async () => {
    expect((await read('text,Group,Part\nToo dear,x,y\nRude,x,n\n')).reason).toMatch(/^2 rows are not valid/);
  });

  it('are none with one such column', async () => {
    expect((await read('text,is_spam\nFree entry,1\nHello,0\n')).reason).toMatch(
      /^2 rows are not valid; row 1: label is missing/,
    );
  });

  it('are left out and counted where a class is -1 or empty, also if those come first', async () => {
    const file =
      'id,comment_text,toxic,insult\na,Hidden,-1,-1\nb,Half,1,-1.0\nc,Empty,,0\nd,You fool,1,1\ne,Hello,0,0\n';
    expect(await read(file)).toMatchObject({
      labels: [['toxic', 'insult'], []],
      as:
        'texts with a column for each class, 5 rows, 3 not annotated, with -1 or nothing in the column of a class, ' +
        '2 with classes in "toxic" "insult"; 3 of 5 rows left out, without a label',
    });
  });

  it.each([
    'is_train',
    'is_test',
    'isTrain',
    'in_test',
    'fold',
    'kfold',
    'split',
    'Index',
    'Unnamed: 0',
    'user_id',
    'is_validation',
  ])('have no class in the column %s', async (name) => {
    const file = `comment_text,toxic,insult,${name}\nYou fool,1,1,1\nHello,0,0,0\n`;
    const { labels, as } = await read(file);
    expect(labels).toEqual([['toxic', 'insult'], []]);
    expect(as).toContain(name.endsWith('id') ? 'in "toxic" "insult"' : `1 column not used: "${name}"`);
  });

  it('are texts with a class where a column such as sentiment names it', async () => {
    const file = 'review,sentiment,verified,recommended\nGood,positive,1,0\nBad,negative,0,1\n';
    const { reason, as } = await read(file);
    expect(reason).toBeNull();
    expect(as).toMatch(/^texts with a class, .* 2 columns not used: "verified" "recommended"$/);
  });
});
