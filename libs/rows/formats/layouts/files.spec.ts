import { gzipSync } from 'node:zlib';
import { processed } from '../reading.fixture.js';
import { zipOf } from '../zip.fixture.js';
import { readAs } from './reading.js';

type Options = Parameters<typeof processed>[1];
const read = async (file: string | Uint8Array, options: Options = {}, chunkSize?: number) => {
  const { rows, reason, contents } = await processed(file, options, chunkSize);
  expect(reason).toBeNull();
  return { rows, as: contents && readAs(contents) };
};
const reasonOf = async (file: string | Uint8Array, options: Options = {}) =>
  processed(file, options).then(
    ({ reason }) => reason,
    (error: Error) => error.message,
  );

describe('CoNLL files', () => {
  // As the shared task of 2003 has it: token, part of speech, chunk, entity in IOB1.
  const conll2003 = [
    '-DOCSTART- -X- O O',
    '',
    'EU NNP I-NP I-ORG',
    'rejects VBZ I-VP O',
    'German JJ I-NP I-MISC',
    'call NN I-NP O',
    '. . O O',
    '',
    'Peter NNP I-NP I-PER',
    'Blackburn NNP I-NP I-PER',
    '',
  ].join('\n');
  const rows = [
    {
      text: 'EU rejects German call.',
      entities: [
        { text: 'EU', label: 'ORG', start: 0 },
        { text: 'German', label: 'MISC', start: 11 },
      ],
    },
    { text: 'Peter Blackburn', entities: [{ text: 'Peter Blackburn', label: 'PER', start: 0 }] },
  ];

  it.each<[string, string | Buffer, Options]>([
    ['with columns between blanks', conll2003, {}],
    ['with line breaks of Windows', conll2003.replaceAll('\n', '\r\n'), {}],
    ['with tabs and two columns', conll2003.replaceAll(/ .* /g, '\t'), { fileName: 'train.tsv' }],
    [
      'with numbered tokens and comments',
      `# id = 1\n1\tEU\tI-ORG\n2\trejects\tO\n3\tGerman\tI-MISC\n4\tcall\tO\n5\t.\tO\n\n1\tPeter\tI-PER\n2\tBlackburn\tI-PER`,
      {},
    ],
    ['in gzip', gzipSync(conll2003), {}],
    ['by their name', conll2003, { fileName: 'eng.train.conll' }],
    ['by `format`', conll2003, { format: 'conll' }],
  ])('are read %s', async (_name, file, options) => {
    for (const size of [1 << 16, 1, 7])
      expect(await read(file, options, size)).toEqual({
        rows,
        as: expect.stringMatching(/CoNLL.*; tokens with tags, 2 sentences$/),
      });
  });

  it('have no blanks around Chinese and Japanese characters', async () => {
    const tokens = ['2005', '年', '、', 'ノルウェー', 'の', 'Oslo', 'Opera', '（', 'A', '）', 'x', '·', 'y'];
    const { rows: joined } = await read(tokens.map((token) => `${token}\tO\n`).join(''), { format: 'conll' });
    expect(joined).toEqual([{ text: '2005年、ノルウェーのOslo Opera（A）x · y', entities: [] }]);
  });

  const two = (...lines: readonly string[]) => `${lines.join('\n')}\n`;
  it.each<[string, string, string, readonly unknown[]]>([
    [
      'with a number behind the tag',
      two('Lena B-PER 0.98', 'sings O 0.7', '', 'Graz B-LOC 0.9'),
      'tokens in column 1, tags in column 2',
      [
        ['Lena', 'PER', 0],
        ['Graz', 'LOC', 0],
      ],
    ],
    [
      'with the name of an annotator',
      two('# sent_id = 7', '1\tLena\tB-PER\t-\tkim', '2\tsings\tO\t-\tkim'),
      'tokens in column 2, tags in column 3',
      [['Lena', 'PER', 0]],
    ],
    [
      'with the tag in front',
      two('O\tsongs', 'O\tof', 'B-singer\tLena', '', 'O\tnone'),
      'tokens in column 2, tags in column 1',
      [['Lena', 'singer', 9]],
    ],
    [
      'with a layer of tags within another',
      two('#\thttp://example.org\t[2009]', '1\tRadio\tB-ORG\tO', '2\tGraz\tI-ORG\tB-LOCpart', '3\tsang\tO\tO'),
      'tokens in column 2, tags in column 3, tags of spans within these in column 4',
      [
        ['Radio Graz', 'ORG', 0],
        ['Graz', 'LOCpart', 6],
      ],
    ],
    [
      'with tags among the attributes of CoNLL-U',
      two(
        '# text = Im Dorf singt Lena.',
        ...['1-2\tIm\t_\t_', '1\tin\t_\t_', '2\tdem\t_\t_', '3\tDorf\t_\tNER=B-LOC', '3.1\tda\t_\t_'],
        ...['4\tsingt\t_\t_', '5\tLena\t_\tSpaceAfter=No|NER=B-PER', '6\t.\t_\t_'],
      ),
      'tokens in column 2, tags in column 4 NER',
      [
        ['Dorf', 'LOC', 3],
        ['Lena', 'PER', 14],
      ],
    ],
  ])('have the column of tags found by its values: %s', async (_name, file, said, spans) => {
    const { rows: found, as } = await read(file, { fileName: 'train.conllu' });
    expect(as).toContain(`CoNLL, ${said};`);
    const entities = found.flatMap((row) => (row as { entities: object[] }).entities.map(Object.values));
    expect(entities).toEqual(spans);
    expect((await read(file)).rows).toEqual(found);
  });

  it('keep the text of CoNLL-U', async () => {
    const file = two('1\tLena\tB-PER\tSpaceAfter=No', "2\t'\tO\tSpaceAfter=No", '3\tn\tO\t_', '4\tx\tO\t_');
    expect((await read(file)).rows).toMatchObject([{ text: "Lena'n x" }]);
  });

  it('are refused with two opinions on the tags until column_mapping chooses, and without tags', async () => {
    const file = two('Lena B-PER O', 'met O O', 'Kim B-PER B-ORG');
    expect(await reasonOf(file)).toBe(
      'several columns hold tags: column 2 ("B-PER" in the line "Lena B-PER O"), column 3 ("B-ORG" in the line "Kim B-PER B-ORG"); ' +
        'column_mapping says which one has the entities, as in {"entities": "column 2"}',
    );
    const { rows: found } = await read(file, { columnMapping: { entities: 'column 3' } });
    expect(found).toMatchObject([{ text: 'Lena met Kim', entities: [{ text: 'Kim', label: 'ORG' }] }]);
    const other = { columnMapping: { entities: 'column 4' } };
    expect(await reasonOf(file, other)).toMatch(/^column_mapping names "column 4".* to "column 3"$/);
    expect(await reasonOf('Lena 0.5\nsings 0.1\n', { format: 'conll' })).toMatch(
      /^no column of the file holds tags.*column 1 "Lena", column 2 "0.5"/,
    );
  });

  it('are distinguished from tables', async () => {
    const { rows: table } = await read('text\tlabel\nAda B-1\tO\nBob\tB-2\n', { datasetType: 'classification' });
    expect(table).toEqual([
      { text: 'Ada B-1', label: 'O' },
      { text: 'Bob', label: 'B-2' },
    ]);
  });

  it('may begin with a bracket', async () => {
    for (const bracket of ['[', '{']) {
      const { rows: bracketed, as } = await read(`${bracket} O\nAda B-PER\n] O\n\nBo B-PER\n`, { fileName: 'a.txt' });
      expect(bracketed).toMatchObject([{ entities: [{ text: 'Ada', label: 'PER' }] }, { text: 'Bo' }]);
      expect(as).toMatch(/^CoNLL/);
    }
  });

  it('are refused for a line without a tag, and for a sentence that does not end', async () => {
    expect(await reasonOf(`${conll2003}\nAda\n`, { format: 'conll' })).toMatch(
      /^row 3: ner_tags has 0 tags for the 1 tokens under tokens; the line "Ada" has none$/,
    );
    const endless = 'Ada B-PER\n'.repeat(200);
    expect(await reasonOf(endless, { limits: { rowBytes: 1000 } })).toMatch(
      'row 1 is longer than 1000 bytes, the most that one row may be; a blank line ends a sentence',
    );
    const first = `Ada${'x'.repeat(5000)} B-PER`;
    expect(await reasonOf(first, { format: 'conll', limits: { rowBytes: 1000 } })).toMatch('row 1 is longer');
    const last = `${'Ada B-PER\n\n'.repeat(20)}${'x'.repeat(5000)}`;
    expect(await reasonOf(last, { format: 'conll', limits: { rowBytes: 1000 } })).toMatch('row 21 is longer');
  });
});

describe('BRAT archives', () => {
  const txt = 'Sony formed a joint venture with Ericsson,\na mobile phone company based in Sweden 😀.\n';
  const ann = [
    'T1\tOrganization 0 4\tSony',
    'T2\tOrganization 33 41\tEricsson',
    'T3\tDescription 33 51\tEricsson, a mobile',
    'T4\tPlace 0 4;33 41\tSony Ericsson',
    'T5\tMark 82 83\t😀',
    'R1\tPartner Arg1:T1 Arg2:T2\t',
    'E1\tMerge-Org:T1 Org:T2',
    '#1\tAnnotatorNotes T1\tseen',
    '',
  ].join('\n');
  const archive = (files: Record<string, string>) => zipOf({ 'annotation.conf': '[entities]', ...files });

  it('give the entities and relations of each pair of files', async () => {
    const { rows, as } = await read(
      archive({ 'a/1.txt': txt, 'a/1.ann': ann, 'a/2.txt': 'Nothing', 'a/2.ann': '', 'a/3.txt': 'x' }),
    );
    expect(rows).toEqual([
      {
        text: txt,
        entities: [
          { text: 'Sony', label: 'Organization', start: 0 },
          { text: 'Ericsson', label: 'Organization', start: 33 },
          { text: 'Ericsson,\na mobile', label: 'Description', start: 33 },
          { text: '😀', label: 'Mark', start: 82 },
        ],
        relations: [{ Partner: { head: 'Sony', tail: 'Ericsson' } }],
        id: 'a/1',
      },
      { text: 'Nothing', entities: [], id: 'a/2' },
    ]);
    expect(as).toBe(
      'pairs of .txt and .ann files in a zip archive; BRAT standoff, 3 documents, 1 spans in several pieces left out, ' +
        '2 events, attributes and notes left out, 1 without annotations',
    );
  });

  it('are refused for an .ann file without its .txt, and for spans that do not match the text', async () => {
    expect(await reasonOf(archive({ '1.txt': txt, '1.ann': ann, '2.ann': ann }))).toBe(
      'row 2: text is missing: 2.ann has no .txt file beside it',
    );
    expect(await reasonOf(archive({ '1.txt': txt, '1.ann': 'T1\tOrganization 1 5\tSony' }))).toBe(
      'row 1: T1 "Sony" does not stand at 1 to 5, where text has "ony "',
    );
    expect(await reasonOf('{"text":"a"}', { format: 'brat' })).toMatch('is not a zip archive of .txt and .ann files');
  });

  it('are limited in size, per file and in total, and their file names are never used as paths', async () => {
    const bomb = archive({ '1.txt': 'x'.repeat(50_000), '1.ann': '' });
    const limits = { rowBytes: 20_000 };
    expect(await reasonOf(bomb, { limits })).toBe('"1.txt" is longer than 20000 bytes, the most that one row may be');
    const files = Object.fromEntries(Array.from({ length: 40 }, (_, at) => [`${at}.txt`, 'x'.repeat(10_000)]));
    const together = { limits: { ratio: 10, ratioFromBytes: 20_000 } };
    expect(await reasonOf(archive({ ...files, '0.ann': '' }), together)).toMatch(/taken for an attack/);
    const { rows } = await read(archive({ '/etc/passwd.txt': 'Ada', '/etc/passwd.ann': 'T1\tX 0 3\tAda' }));
    expect(rows).toMatchObject([{ text: 'Ada', id: '/etc/passwd' }]);
  });
});
