import { gzipSync } from 'node:zlib';
import { readAs } from './layouts/reading.js';
import { processed } from './reading.fixture.js';

type Options = Parameters<typeof processed>[1];
const read = async (file: string | Buffer, options: Options = {}, chunkSize?: number) => {
  const { rows, errors, contents } = await processed(file, { fileName: 'a.csv', ...options }, chunkSize);
  expect(errors).toEqual([]);
  return { rows, as: contents && readAs(contents) };
};
const reasonOf = async (file: string | Buffer, options: Options = {}) =>
  processed(file, { fileName: 'a.csv', ...options }).then(
    ({ reason }) => reason,
    (error: Error) => error.message,
  );

/** The header of a file in a tar archive, gzipped. */
const tar = (name: string) => {
  const header = Buffer.alloc(1024);
  header.write(name);
  header.write('ustar', 257);
  return gzipSync(header);
};

describe('tables with a token in each row', () => {
  const rows = [
    { text: 'Ada sings in New York.', entities: [{ text: 'New York', label: 'geo', start: 13 }] },
    { text: 'Bo naps', entities: [] },
  ];

  it.each<[string, string]>([
    [
      'Kaggle, with the number of a sentence in its first row alone',
      'Sentence #,Word,POS,Tag\nSentence: 1,Ada,NNP,O\n,sings,V,O\n,in,IN,O\n,New,NNP,B-geo\n,York,NNP,I-geo\n,.,.,O\nSentence: 2,Bo,N,O\n,naps,V,O\n',
    ],
    [
      'simpletransformers',
      'sentence_id,words,labels\n0,Ada,O\n0,sings,O\n0,in,O\n0,New,B-geo\n0,York,I-geo\n0,.,O\n1,Bo,O\n1,naps,O\n',
    ],
    [
      'documents with sentences counted in each',
      'doc_id,sent_idx,token,ner_tag\na,0,Ada,O\na,0,sings,O\na,0,in,O\na,0,New,B-geo\na,0,York,I-geo\na,0,.,O\nb,0,Bo,O\nb,0,naps,O\n',
    ],
    ['empty rows between sentences', 'token,tag\nAda,O\nsings,O\nin,O\nNew,B-geo\nYork,I-geo\n.,O\n\nBo,O\nnaps,O\n'],
    [
      'rows of empty cells between sentences',
      'token,tag\nAda,O\nsings,O\nin,O\nNew,B-geo\nYork,I-geo\n.,O\n,\nBo,O\nnaps,O\n',
    ],
  ])('give a row for each sentence: %s', async (_, file) => {
    const expected = { rows, as: 'CSV with a token in each row; tokens with tags, 2 sentences' };
    expect(await read(file)).toEqual(expected);
    expect(await read(file, { blockBytes: 40 }, 7)).toEqual(expected);
  });

  it('are read with tabs as separators and quotes as tokens', async () => {
    const file = 'sentence_id\tword\ttag\n1\t"\tO\n1\tAda\tB-per\n1\t"\tO\n';
    expect((await read(file, { fileName: 'a.tsv' })).rows).toMatchObject([
      { entities: [{ text: 'Ada', label: 'per' }] },
    ]);
  });

  it('are refused if nothing identifies the sentence of a token', async () => {
    expect(await reasonOf('id,token,tag\n1,Ada,B-per\n2,sings,O\n')).toBe(
      'each row is a token (columns "token" and "tag"), and nothing says which sentence it is in: add a column sentence_id, or an empty row behind each sentence',
    );
  });

  it('are distinguished from tables with a sentence in each row, and from mapped ones', async () => {
    const lists = `sentence_id,tokens,ner_tags\n1,"['Ada', 'sings']","['B-per', 'O']"\n`;
    expect((await read(lists)).rows).toMatchObject([{ text: 'Ada sings', entities: [{ label: 'per' }] }]);
    const mapped = { columnMapping: { text: 'word', label: 'tag' }, datasetType: 'classification' as const };
    expect((await read('sentence_id,word,tag\n1,Ada,B-per\n1,sings,O\n', mapped)).rows).toMatchObject([
      { text: 'Ada', label: 'B-per' },
      { text: 'sings', label: 'O' },
    ]);
    const kaggle = `Sentence #,Sentence,POS,Tag\n1,Ada sings,"['NNP', 'V']","['B-per', 'O']"\n`;
    expect((await read(kaggle)).rows).toMatchObject([{ text: 'Ada sings', entities: [{ label: 'per' }] }]);
  });
});

describe('tables with other column names', () => {
  it('take the only column named like a class and the only one named like a text', async () => {
    expect(await read('review,sentiment,stars\n"A fine film",positive,5\nDull,negative,1\n')).toEqual({
      rows: [
        { text: 'A fine film', label: 'positive', stars: '5' },
        { text: 'Dull', label: 'negative', stars: '1' },
      ],
      as: 'texts with a class, 2 rows, 2 with the text under "review" and the class under "sentiment", 1 column not used: "stars"',
    });
    expect((await read('text,category\nWhere is my card?,card_arrival\n')).rows).toEqual([
      { text: 'Where is my card?', label: 'card_arrival' },
    ]);
  });

  it('are refused if several columns are possible, or classes are numbers', async () => {
    expect(await reasonOf('review,sentiment\nFine,1\nDull,0\n')).toMatch(/the labels are the numbers 0 to 1/);
    const names = { labelNames: { sentiment: ['0', '1'] } };
    expect((await read('review,sentiment\nFine,1\nDull,0\n', names)).rows).toMatchObject([
      { label: '1' },
      { label: '0' },
    ]);
    expect(await reasonOf('{"review":"Fine","sentiment":1}', { fileName: 'a.jsonl' })).toMatch(
      /^row 1: sentiment has the number 1/,
    );
    expect(await reasonOf('review,sentiment,topic\nFine,good,\nDull,bad,film\n')).toMatch(
      /several columns may be the text or the class; column_mapping says which/,
    );
  });

  it('take the classes whose column contains 1', async () => {
    const file = 'id,comment_text,toxic,obscene\n1,Hello,0,0\n2,Go away,1,0\n3,Beep,1,1\n';
    expect(await read(file)).toEqual({
      rows: [
        { text: 'Hello', labels: [], id: '1' },
        { text: 'Go away', labels: ['toxic'], id: '2' },
        { text: 'Beep', labels: ['toxic', 'obscene'], id: '3' },
      ],
      as: 'texts with a column for each class, 3 rows, 3 with classes in "toxic" "obscene"',
    });
    expect((await read('{"text":"Hi","a":true,"b":false}', { fileName: 'a.jsonl' })).rows).toEqual([
      { text: 'Hi', labels: ['a'] },
    ]);
  });

  it('are refused for a later row whose class is neither 0 nor 1', async () => {
    const rows = Array.from({ length: 200 }, (_, row) => `text ${row},${row % 2},1`).join('\n');
    expect(await reasonOf(`text,a,b\n${rows}\nlast,-2,1\n`)).toBe('row 201: a must be 0 or 1, as in the first rows');
  });

  it('may be tables of Markdown', async () => {
    expect(await read('| text | label |\n|:---|---:|\n| bye, you | bad |\n| hello | good |\n')).toEqual({
      rows: [
        { text: 'bye, you', label: 'bad' },
        { text: 'hello', label: 'good' },
      ],
      as: 'CSV separated by bars',
    });
  });

  it('may be separated by bars, and have unnamed empty columns at the end', async () => {
    expect(await read('text|label\nbye, you|bad\n')).toEqual({
      rows: [{ text: 'bye, you', label: 'bad' }],
      as: 'CSV separated by bars',
    });
    expect((await read('text,label,,,\nbye,bad,,,\n')).rows).toEqual([{ text: 'bye', label: 'bad' }]);
  });
});

describe('classes of several levels', () => {
  it('are the path of their columns', async () => {
    const { rows, as } = await read('text,Cat1,Cat2,price\nA phone,Electronics,Phones,9\nA book,Books,,3\n');
    expect(rows).toEqual([
      { text: 'A phone', label: 'Electronics > Phones', price: '9' },
      { text: 'A book', label: 'Books', price: '3' },
    ]);
    expect(as).toMatch(/2 with the class made of "Cat1" "Cat2", such as "A > B", 1 column not used: "price"$/);
  });

  it('are classes of their own in a list', async () => {
    for (const column of ['label', 'category', 'categories']) {
      const { rows, as } = await read(
        `text,${column}\nA phone,"[""Electronics"", ""Phones""]"\n`.replace('text,label', 'text,topic'),
      );
      expect(rows).toEqual([{ text: 'A phone', labels: ['Electronics', 'Phones'] }]);
      expect(as).toMatch(/1 with a list of classes under "\w+", each a class of its own$/);
    }
  });
});

describe('reasons of refused files', () => {
  it.each<[string, string, string | Buffer, RegExp]>([
    [
      'a table without a header row',
      'a.csv',
      '"0","146","I am so happy today"\n"4","147","b"\n',
      /the first line looks like a row/,
    ],
    [
      'several lists',
      'a.json',
      '{"first":[{"text":"a"}],"second":[{"text":"b"}]}',
      /one object with the lists "first", "second"/,
    ],
    [
      'a split too long to see the next',
      'a.json',
      `{"test":[{"text":"${'b'.repeat(2 ** 20)}"}],"train":[]}`,
      /list "test".*put "train" first/,
    ],
    ['a comma behind each row', 'a.jsonl', '{"text":"a","label":"b"},\n', /there is a comma behind it/],
    ['a comma before a bracket', 'a.jsonl', '{"text":"a","label":"b",}\n', /a comma before a closing bracket/],
    ['rows printed by Python', 'a.jsonl', `{'text':'a','label':'b'}\n`, /single quotes, as Python prints them/],
    ['a tar archive', 'a.tar.gz', tar('a.csv'), /is a tar archive; upload the files in it one by one/],
    ['rows on several lines', 'a.jsonl', '{\n "text":"a"\n}\n', /rows of JSONL stand on a line each/],
  ])('say how to write the file: %s', async (_, fileName, file, reason) => {
    expect(await reasonOf(file, { fileName })).toMatch(reason);
  });
});

describe('an object of splits', () => {
  const train = [{ text: 'Ada sings', label: 'music' }];
  const test = [{ text: 'Bo naps', label: 'rest' }];

  it.each([
    ['the one for training', { test, train, version: 2 }, train, 'only the list "train".*"test", "version" left out'],
    [
      'one with rows',
      { train: [], valid: [], test, eval: train },
      test,
      'only the list "test".*"train", "valid", "eval" left out',
    ],
    ['the first of the others', { valid: test, eval: train }, test, 'only the list "valid".*"eval" left out'],
  ])('is read by one of its lists: %s', async (_, file, rows, as) => {
    for (const indent of [0, 2])
      for (const size of [1, 1 << 16])
        expect(await read(JSON.stringify(file, null, indent), { fileName: 'a.json' }, size)).toEqual({
          rows,
          as: expect.stringMatching(as),
        });
  });
});

describe('a table that is one JSON object', () => {
  const rows = [
    { text: 'good film', label: 'pos' },
    { text: 'bad film', label: 'neg' },
  ];

  it.each<[string, string]>([
    [
      'a table of pandas in the orientation "columns"',
      '{"text":{"0":"good film","4":"bad film"},"label":{"0":"pos","4":"neg"}}',
    ],
    [
      'a table of pandas in the orientation "index"',
      '{"0":{"text":"good film","label":"pos"},"4":{"text":"bad film","label":"neg"}}',
    ],
    [
      'a table of pandas in the orientation "split"',
      '{"columns":["text","label"],"index":[0,4],"data":[["good film","pos"],["bad film","neg"]]}',
    ],
    ['one JSON object with a list for each column', '{"text":["good film","bad film"],"label":["pos","neg"]}'],
    [
      'a serialised table of polars',
      '{"columns":[{"name":"text","datatype":"String","bit_settings":"","values":["good film","bad film"]},{"name":"label","datatype":"String","bit_settings":"","values":["pos","neg"]}]}',
    ],
  ])('is read: %s', async (container, file) => {
    for (const chunkSize of [1 << 16, 7]) {
      const { rows: found, as } = await read(file, { datasetType: 'classification', fileName: 'a.json' }, chunkSize);
      expect(found).toEqual(rows);
      expect(as).toBe(container);
    }
  });

  it('gives its columns our names', async () => {
    const file = '{"Body":["good film","bad film"],"Kind":["pos","neg"]}';
    const columnMapping = { text: 'Body', label: 'Kind' };
    expect((await read(file, { datasetType: 'classification', fileName: 'a.json', columnMapping })).rows).toEqual(rows);
  });

  it('is no row of lists, such as the only sentence of a file of tokens', async () => {
    for (const row of [
      { tokens: ['Ada', 'sings'], ner_tags: ['B-person', 'O'] },
      { sentence: ['Ada', 'sings'], labels: ['B-person', 'O'] },
    ])
      expect((await read(JSON.stringify(row), { fileName: 'a.json' })).rows).toEqual([
        { text: 'Ada sings', entities: [{ text: 'Ada', label: 'person', start: 0 }] },
      ]);
  });

  it('is refused by its name if polars left out the values', async () => {
    const file = '{"columns":[{"name":"text","datatype":"String"}]}';
    expect(await reasonOf(file, { fileName: 'a.json' })).toBe(
      'the file is a table that polars serialised, without its values as JSON; write its rows by write_ndjson(path)',
    );
  });
});

describe('tables of spreadsheets', () => {
  const kinds = { datasetType: 'classification' } as const;
  const rows = [
    { text: 'Anna', label: 'pos' },
    { text: 'Bob', label: 'neg' },
  ];

  it.each<[string, string, string | null]>([
    ['a first line that names the separator', 'sep=;\ntext;label\nAnna;pos\nBob;neg\n', 'CSV separated by semicolons'],
    [
      'such a line in quotes, before another separator',
      '"sep=|"\r\ntext|label\r\nAnna|pos\r\nBob|neg\r\n',
      'CSV separated by bars',
    ],
    ['such a line, cells with other separators', 'sep=,\ntext,label,"a;b;c"\nAnna,pos,\nBob,neg,\n', null],
    ['empty rows', 'text,label\n,\nAnna,pos\n,\n , \nBob,neg\n,,,\n', null],
    ['empty rows before the header row', ';;\n;;\ntext;label\nAnna;pos\nBob;neg\n;\n', 'CSV separated by semicolons'],
  ])('are read with %s', async (_what, file, as) => {
    expect(await read(file, kinds)).toEqual({ rows, as });
  });

  it('are read with line breaks in quotes between tabs', async () => {
    const file = 'text\tlabel\n"Anna\nKyiv ""x"" b"\tpos\nBob\tneg\n"a\n\nb\tc"\tneg\n';
    expect(await read(file, { ...kinds, fileName: 'a.tsv' }, 9)).toEqual({
      rows: [
        { text: 'Anna\nKyiv "x" b', label: 'pos' },
        { text: 'Bob', label: 'neg' },
        { text: 'a\n\nb\tc', label: 'neg' },
      ],
      as: 'lines of cells separated by tabs',
    });
    const open = 'text\tlabel\n"Anna said\tpos\nBob"\tneg\n';
    expect((await read(open, { ...kinds, fileName: 'a.tsv' })).rows).toEqual([
      { text: '"Anna said', label: 'pos' },
      { text: 'Bob"', label: 'neg' },
    ]);
  });
});

describe('cells printed by Python', () => {
  it('are read as lists', async () => {
    expect((await read(`text,entities\nAda sings,"[(0, 3, 'per')]"\n`)).rows).toEqual([
      { text: 'Ada sings', entities: [{ text: 'Ada', label: 'per', start: 0 }] },
    ]);
    expect((await read(`text,labels\nAda,"['a', ""b's""]"\n`)).rows).toEqual([{ text: 'Ada', labels: ['a', "b's"] }]);
  });
});

describe('text in Windows-1252', () => {
  const western = (text: string) => Buffer.from(text, 'latin1');

  it('is read in tables, and the version reports it', async () => {
    const file = western('text,label\ncaf\xe9 noir,good\nit\x92s 5 \x80 \x97 \xfcber,bad\n');
    const expected = {
      rows: [
        { text: 'café noir', label: 'good' },
        { text: 'it’s 5 € — über', label: 'bad' },
      ],
      as: 'in Windows-1252',
    };
    for (const size of [1, 7, 1 << 16]) expect(await read(file, {}, size)).toEqual(expected);
    expect((await read(western('text,label\nok,caf\xe9'))).rows).toEqual([{ text: 'ok', label: 'café' }]);
  });

  it.each<[string, Buffer]>([
    ['Polish of Latin-2', Buffer.from([0x62, 0xb3, 0xb9, 0x64, 0x2c, 0xbf, 0xf3, 0xb3, 0x77])],
    ['Turkish', western('\xe7ok g\xfczel \xfe\xfdk de\xf0il,iyi')],
    ['Russian', Buffer.from([0xef, 0xf0, 0xe8, 0xe2, 0xe5, 0xf2, 0x2c, 0xe4, 0xe0])],
    ['Chinese', Buffer.from([0xc4, 0xe3, 0xba, 0xc3, 0x2c, 0xca, 0xc0, 0xbd, 0xe7])],
    ['a byte without a character', Buffer.from([0x61, 0x81, 0x2c, 0x62])],
  ])('is not assumed for %s', async (_, cells) => {
    const file = Buffer.concat([Buffer.from('text,label\n'), cells, Buffer.from('\n')]);
    expect(await reasonOf(file)).toBe(
      'the file is not UTF-8, and no text of Western Europe in Windows-1252 either; save it as UTF-8',
    );
  });

  it.each<[string, Buffer, string]>([
    ['JSON', western('{"text":"caf\xe9","label":"a"}'), 'a.jsonl'],
    [
      'a table with a character of UTF-8 before',
      Buffer.concat([Buffer.from('text,label\né,a\n'), western('\xe9,b\n')]),
      'a.csv',
    ],
    [
      'a table that begins with the mark of UTF-8',
      Buffer.concat([Buffer.from('\ufefftext,label\n'), western('\xe9,b\n')]),
      'a.csv',
    ],
  ])('is refused in %s', async (_, file, fileName) => {
    expect(await reasonOf(file, { fileName })).toMatch(/is not UTF-8; save it as UTF-8/);
  });
});

describe('two texts that are classified together', () => {
  it.each([
    ['premise', 'hypothesis', 'label'],
    ['sentence1', 'sentence2', 'gold_label'],
    ['Text_A', 'text_b', 'Label'],
  ])('are lines of one text: %s', async (first, second, task) => {
    const lines = [
      [first, second, task],
      ['Lena sings', 'She sings', '0'],
      ['Lena sings', 'She sleeps', '1'],
      ['It rains', 'It may', '-1'],
    ];
    const { rows, contents } = await processed(lines.map((cells) => cells.join(',')).join('\n'), {
      fileName: 'a.csv',
      labelNames: { [task]: ['yes', 'no'] },
    });
    expect(rows).toEqual([
      { text: 'Lena sings\nShe sings', label: 'yes' },
      { text: 'Lena sings\nShe sleeps', label: 'no' },
    ]);
    expect(contents && readAs(contents)).toContain(
      `with the texts under "${first}" "${second}" as lines of one and the class`,
    );
  });

  it('are refused by their row where one is missing', async () => {
    const pair = { premise: 'Lena sings', hypothesis: 'She sings', label: 'yes' };
    const { errors } = await processed(
      [pair, { ...pair, hypothesis: null }].map((row) => JSON.stringify(row)).join('\n'),
    );
    expect(errors).toEqual([{ row: 2, field: 'hypothesis', reason: 'is no text' }]);
  });
});

describe('a list in a cell of the column `label`', () => {
  const labels = async (cells: readonly string[], options: Parameters<typeof processed>[1] = {}) => {
    const lines = cells.map((cell, row) => `Lena sang in Graz ${row},"${cell.replaceAll('"', '""')}"`);
    const { rows, reason } = await processed(`text,label\n${lines.join('\n')}\n`, options);
    return reason ?? rows.map((row) => row?.labels ?? row?.entities ?? row?.label);
  };

  it.each([[`["gig", "home"]`], [`['gig', 'home']`], [`['gig' 'home']`], [`('gig', 'home')`], [`{'gig', 'home'}`]])(
    'of texts is several labels: %s',
    async (cell) => {
      expect(await labels([cell, `['gig']`, '[]'])).toEqual([['gig', 'home'], ['gig'], []]);
    },
  );

  it('of spans is entities, whatever the type of the dataset', async () => {
    const cells = ['[{"start": 13, "end": 17, "label": "city"}]', '[]', "[(0, 4, 'person')]"];
    const entities = [[{ text: 'Graz', label: 'city', start: 13 }], [], [{ text: 'Lena', label: 'person', start: 0 }]];
    for (const datasetType of ['ner', 'classification'] as const)
      expect(await labels(cells, { datasetType })).toEqual(entities);
  });

  it('is refused if it is neither, and so is an object', async () => {
    expect(await labels(['{"gig": 1}'])).toBe('row 1: label must be a string, is an object');
    expect(await labels(['{"topic": "gig"}'])).toBe(
      'row 1: label must be a string, is an object; classes by task stand under labels: column_mapping says so, as in {"labels":"label"}',
    );
    expect(await labels(['[[1, 2]]'])).toMatch(/^row 1: label/);
    expect(await labels(['gig', "['gig', 'home']"])).toMatch(/^row 2: labels row 1 has label/);
  });

  it('is no label where it is empty and others have one class each', async () => {
    const rows = [
      { text: 'a', label: ['gig'] },
      { text: 'b', label: [] },
      { text: 'c', label: ['home'] },
    ];
    const { contents, rows: made } = await processed(rows.map((row) => JSON.stringify(row)).join('\n'));
    expect(made).toEqual([
      { text: 'a', label: 'gig' },
      { text: 'c', label: 'home' },
    ]);
    expect(contents && readAs(contents)).toMatch(/ 1 without a class$/);
  });

  it('is a label where brackets only begin it', async () => {
    expect(await labels(['[WIP] gig', '{x}'])).toEqual(['[WIP] gig', '{x}']);
  });

  it('is read in the class column of any table', async () => {
    const { rows } = await processed(`review,category\nGreat gig,"['loud', 'long']"\nA nice evening,"['long']"\n`);
    expect(rows.map((row) => row?.labels)).toEqual([['loud', 'long'], ['long']]);
  });
});
