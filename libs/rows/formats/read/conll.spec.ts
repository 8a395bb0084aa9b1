import { readAs } from '../layouts/reading.js';
import { processed } from '../reading.fixture.js';

type Options = Parameters<typeof processed>[1];
const lines = (...all: readonly string[]) => `${all.join('\n')}\n`;
const spansOf = async (file: string, options: Options = { fileName: 'train.conll' }) => {
  const { rows, contents, reason } = await processed(file, options);
  expect(reason).toBeNull();
  const spans = rows.flatMap((row) => (row as { entities: { text: string; label: string }[] }).entities);
  return { spans: spans.map(({ text, label }) => [text, label]), rows, as: readAs(contents!) };
};
const reasonOf = async (file: string, options: Options = { fileName: 'train.conll' }) =>
  processed(file, options).then(
    ({ reason }) => reason,
    (error: Error) => error.message,
  );

describe('the header line of a CoNLL file', () => {
  it.each([
    ['train.conll', lines('Token\tPOS\tNER', 'Lena\tNNP\tB-PER', 'sang\tVBD\tO'), 'Token POS NER', [['Lena', 'PER']]],
    ['train.conll', lines('token\tlabel', '', 'Lena\tB-PER', 'sang\tO'), 'token label', [['Lena', 'PER']]],
    [
      'train.iob',
      lines('word ner', 'Lena I-PER', 'sang O', '', 'word ner', 'Graz I-LOC'),
      'word ner',
      [
        ['Lena', 'PER'],
        ['Graz', 'LOC'],
      ],
    ],
    [
      'a.bio',
      lines('pos,form,ner-tag'.replaceAll(',', '\t'), 'NNP\tLena\tB-PER', 'VBD\tsang\tO'),
      'pos form ner-tag',
      [['Lena', 'PER']],
    ],
    ['a.bio', lines('token label', 'Lena PER', 'sang O', 'here O'), 'token label', [['Lena', 'PER']]],
  ])('is left out of %s, and said', async (fileName, file, header, spans) => {
    const found = await spansOf(file, { fileName });
    expect(found.spans).toEqual(spans);
    expect(found.rows[0]).toMatchObject({ text: expect.stringMatching(/^Lena sang/) });
    expect(found.as).toContain(`without the header line "${header}"`);
  });

  it('names columns for column_mapping', async () => {
    const file = lines('word\tner\tteam', 'Lena\tB-PER\tO', 'sang\tO\tB-ACT');
    const mapped = { fileName: 'a.conll', columnMapping: { entities: 'team' } };
    expect((await spansOf(file, mapped)).spans).toEqual([['sang', 'ACT']]);
  });

  it('is no sentence of such words', async () => {
    const { rows, as } = await spansOf(lines('Token O', 'label O', 'Graz B-LOC'));
    expect(rows).toMatchObject([{ text: 'Token label Graz' }]);
    expect(as).not.toContain('header');
  });
});

describe('a CoNLL file with lines that have no tag', () => {
  const good = (count: number) => 'Lena B-PER\nsang O\n\n'.repeat(count);

  it.each([
    ['a line of a token alone', lines('John B-PER', 'ran', 'to O', 'London B-LOC')],
    ['one of two lines', lines('John B-PER', 'ran')],
    ['a comment', lines('// note', 'John B-PER', 'ran O')],
    ['a word instead of a tag', lines('John B-PER', 'ran fast', 'to O', 'Graz B-LOC')],
    ['words of free text', lines('John ran home', 'O', 'and slept')],
  ])('is refused if it is small: %s', async (name, file) => {
    const reason = name.includes('free')
      ? /^no column of the file holds tags/
      : /^row 1: ner_tags has \d tags for the \d tokens under tokens; the line "\S+(?: \S+)?" has none/;
    expect(await reasonOf(file)).toMatch(reason);
  });

  it.each(['ran\n\n', '// note\nran O\n\n'])('loses the row of %j alone if it is large', async (wrong) => {
    const { spans, rows } = await spansOf(`${good(20)}John B-PER\n${wrong}${good(20)}`, {
      fileName: 'train.conll',
      tolerance: 0.05,
    });
    expect(new Set(spans.map(([text]) => text))).toEqual(new Set(['Lena']));
    expect(rows.filter((row) => row !== null)).toHaveLength(40);
  });
});

describe('labels without prefixes in a CoNLL file', () => {
  it.each([
    [lines('Lena PER', 'sang O', 'in O', 'Graz LOC')],
    [lines('O\tsang', 'O\tthen', 'PER\tLena', 'LOC\tGraz')],
    [lines('1\tLena\tPER', '2\tsang\t_', '3\tin\t_', '4\tthen\t_', '', '1\tKim\tPER', '2\tsang\t_')],
  ])('are believed where they are rare', async (file) => {
    expect((await spansOf(file)).spans).toContainEqual(['Lena', 'PER']);
  });

  it.each([
    ['one lemma', lines('Lena NNP -', 'went VBD go', 'home RB -', 'again RB -')],
    ['lemmas', lines(...Array<string>(9).fill('Lena NNP -\nsaid VBD say\nso RB -'))],
    ['many words', lines('Lena x', 'sang y', 'so z', 'well O')],
  ])('are not made of %s', async (_name, file) => {
    expect(await reasonOf(file)).toMatch(/^no column of the file holds tags/);
  });
});

describe('the brackets of CoNLL-2012', () => {
  const word = (at: number, token: string, lemma: string, ner: string, ...roles: readonly string[]) =>
    ['bc/cctv/00', '0', String(at), token, 'NN', '(TOP*', lemma, '-', '-', 'speaker', ner, ...roles, '-'].join('   ');
  const file = lines(
    '#begin document (bc/cctv/00); part 000',
    word(0, 'Kim', '-', '(PERSON)', '(ARG0*)', '*'),
    word(1, 'left', 'leave', '*', '(V*)', '*'),
    word(2, 'New', '-', '(GPE*', '(ARG1*', '(ARG0*)'),
    word(3, 'York', '-', '*)', '*)', '*'),
    word(4, 'today', '-', '*', '*', '(V*)'),
    '',
    word(0, 'Yes', '-', '*'),
    word(1, 'Lena', '-', '(PERSON)'),
    '#end document',
  );

  it.each(['a.v4_gold_conll', 'a.conll', 'a.txt', null])('are spans in %s', async (fileName) => {
    const { spans, rows, as } = await spansOf(file, { fileName });
    expect(spans).toEqual([
      ['Kim', 'PERSON'],
      ['New York', 'GPE'],
      ['Lena', 'PERSON'],
    ]);
    expect(rows).toMatchObject([{ text: 'Kim left New York today' }, { text: 'Yes Lena' }]);
    expect(as).toContain('tokens in column 4, tags in column 11');
  });

  it.each([
    ['that do not close', ['(GPE*', '*', '*']],
    ['that close what is not open', ['*', '*)', '(GPE)']],
    ['in others', ['(GPE*', '(LOC)', '*)']],
  ])('are errors of their row %s', async (_name, ner) => {
    const wrong = lines('x *', 'y (PER)', '', ...ner.map((tag) => `word ${tag}`));
    expect(await reasonOf(wrong)).toMatch(/^row 2: ner_tags has 2 tags for the 3 tokens/);
  });
});

describe('tokens with blanks in a CoNLL file', () => {
  it.each([
    ['of two columns', lines('Maria     B-PER', 'lives     O', 'New York  B-LOC', '', 'Bob       B-PER')],
    ['in its first line', lines('New York      B-LOC', 'is            O', 'big           O', '', 'Maria   B-PER')],
    ['with more columns', lines('Maria   NNP  B-NP  B-PER', 'in      IN   O     O', 'New York  NNP  B-NP  B-LOC')],
    ['with numbers', lines('1  Maria     B-PER', '2  in        O', '3  New York  B-LOC')],
  ])('are whole where columns stand below each other: %s', async (_name, file) => {
    expect((await spansOf(file)).spans.toSorted()).toContainEqual(
      expect.arrayContaining([expect.stringMatching('New York'), 'LOC']),
    );
  });

  it.each([
    ['New York B-LOC', lines('Maria B-PER', 'lives O', 'in O', 'New York B-LOC', '', 'Bob B-PER')],
    ['Rio d Jan B-LOC', lines('Maria     B-PER', 'is        O', 'in        O', 'or        O', 'Rio d Jan B-LOC')],
    [
      'New York NNP B-NP B-LOC',
      lines('Maria NNP B-NP B-PER', 'lives VB O O', 'in IN O O', 'New York NNP B-NP B-LOC', '', 'Bob NNP B-NP B-PER'),
    ],
    ['New York B-LOC', lines('New York B-LOC', 'is a O', 'very big O', 'place O', '', 'Maria B-PER', 'very slow O')],
  ])('are refused with their line where nothing tells: %s', async (line, file) => {
    expect(await reasonOf(file)).toMatch(new RegExp(`the line "${line}" has none$`));
  });
});
