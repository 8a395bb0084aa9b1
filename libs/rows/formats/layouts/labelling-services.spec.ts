import { processed } from '../reading.fixture.js';
import { readAs } from './reading.js';

type Options = Parameters<typeof processed>[1];
const read = async (file: string, options: Options = {}, chunkSize?: number) => {
  const { rows, reason, contents } = await processed(file, options, chunkSize);
  expect(reason).toBeNull();
  return { rows, as: contents && readAs(contents) };
};
const reasonOf = async (file: string | Buffer, options: Options = {}) =>
  processed(file, options).then(
    ({ reason }) => reason,
    (error: Error) => error.message,
  );
/** As a file has it, and indented: files of both kinds are common. */
const written = (value: unknown) => [JSON.stringify(value), JSON.stringify(value, null, 2)];
const lines = (...rows: readonly unknown[]) => rows.map((row) => `${JSON.stringify(row)}\n`).join('');

describe('utterances with an intent and entities', () => {
  const rows = [
    { text: '😀 Open Blake’s mail', entities: [{ text: 'Blake', label: 'Sender', start: 7 }], label: 'Read' },
    { text: 'Close', entities: [], label: 'Shut' },
  ];
  const projects: readonly (readonly [string, unknown, string])[] = [
    [
      'a project of Azure Language',
      {
        projectFileVersion: '2022-10-01-preview',
        metadata: { language: 'en' },
        assets: {
          intents: [{ category: 'Read' }],
          entities: [{ category: 'Sender' }],
          utterances: [
            { text: rows[0]!.text, intent: 'Read', entities: [{ category: 'Sender', offset: 8, length: 5 }] },
            { text: 'Close', intent: 'Shut', entities: [] },
          ],
        },
      },
      'only the list "utterances" of a JSON object; "projectFileVersion", "metadata", "intents", "entities" left out; utterances of Azure Language, 2 utterances',
    ],
    [
      'a project of LUIS',
      {
        luis_schema_version: '3.2.0',
        intents: [{ name: 'Read' }],
        entities: [{ name: 'Sender' }],
        utterances: [
          { text: rows[0]!.text, intent: 'Read', entities: [{ entity: 'Sender', startPos: 8, endPos: 12 }] },
          { text: 'Close', intent: 'Shut', entities: [] },
        ],
        settings: [],
      },
      'only the list "utterances" of a JSON object; "luis_schema_version", "intents", "entities", "settings" left out; utterances of Azure Language, 2 utterances',
    ],
    [
      'training data of Rasa, whose values may be synonyms',
      {
        rasa_nlu_data: {
          common_examples: [
            {
              text: rows[0]!.text,
              intent: 'Read',
              entities: [{ start: 7, end: 12, value: 'blake@x', entity: 'Sender' }],
            },
            { text: 'Close', intent: 'Shut' },
          ],
          regex_features: [],
        },
      },
      'only the list "common_examples" of a JSON object; "regex_features" left out; Rasa JSON, 2 utterances',
    ],
  ];

  it.each(projects)('are read from %s', async (_, project, as) => {
    for (const file of written(project))
      for (const size of [1, 1 << 16])
        expect(await read(file, { fileName: 'project.json' }, size)).toEqual({ rows, as });
  });

  it('are refused where an entity of a later row has other keys', async () => {
    const first = { text: 'Close it', intent: 'Shut', entities: [{ entity: 'what', start: 6, end: 8 }] };
    expect(await reasonOf(lines(first, { ...first, entities: [{ label: 'what' }] }), { fileName: 'a.jsonl' })).toMatch(
      /^row 2: must have "text", "intent" and "entities", a list of \{"entity", "start", "end"\}/,
    );
  });
});

describe('intents with their examples', () => {
  it.each([
    [
      'intents.json',
      {
        intents: [
          { tag: 'hi', patterns: ['Hello', ''], responses: ['x'] },
          { tag: 'bye', patterns: ['See you'] },
        ],
      },
    ],
    [
      'corpus.json',
      {
        name: 'c',
        data: [
          { intent: 'hi', utterances: ['Hello', ''] },
          { intent: 'bye', utterances: ['See you'] },
        ],
      },
    ],
  ])('are a row for each example: %s', async (fileName, corpus) => {
    for (const file of written(corpus)) {
      const { rows, as } = await read(file, { fileName });
      expect(rows).toEqual([
        { text: 'Hello', label: 'hi' },
        { text: 'See you', label: 'bye' },
      ]);
      expect(as).toMatch(
        /intents with examples, 2 intents, 1 empty examples left out(, 1 column not used: "responses")?$/,
      );
    }
  });
});

describe('augmented manifests of Ground Truth', () => {
  it('have spans, a class, or several', async () => {
    const entities = [{ startOffset: 0, endOffset: 3, label: 'PER' }];
    const spans = {
      source: 'Ada sings',
      'a-job': { annotations: { entities } },
      'a-job-metadata': { type: 'groundtruth/text-span' },
    };
    expect(await read(lines(spans))).toEqual({
      rows: [{ text: 'Ada sings', entities: [{ text: 'Ada', label: 'PER', start: 0 }] }],
      as: 'an augmented manifest of Ground Truth, 1 rows',
    });
    const one = { source: 'Fine', job: 0, 'job-metadata': { 'class-name': 'good' } };
    expect((await read(lines(one))).rows).toEqual([{ text: 'Fine', label: 'good' }]);
    const several = { source: 'Fine', job: [0, 2], 'job-metadata': { 'class-map': { '0': 'a', '2': 'c' } } };
    expect((await read(lines(several))).rows).toEqual([{ text: 'Fine', labels: ['a', 'c'] }]);
  });

  it('are refused for answers of several jobs, and for answers that are neither', async () => {
    const two = { source: 'x', a: 0, 'a-metadata': { 'class-name': 'p' }, b: 0, 'b-metadata': { 'class-name': 'q' } };
    expect(await reasonOf(lines(two))).toMatch(/^row 1: has the answers of several jobs \(a, b\)/);
    expect(await reasonOf(lines({ source: 'x', a: 0, 'a-metadata': {} }))).toMatch(/^row 1: a must hold annotations/);
  });
});

describe('WebAnno TSV 3', () => {
  const NAMED = 'de.tudarmstadt.ukp.dkpro.core.api.ner.type.NamedEntity';
  const POS = 'de.tudarmstadt.ukp.dkpro.core.api.lexmorph.type.pos.POS';
  const file = (layers: string, ...tokens: readonly string[]) =>
    ['#FORMAT=WebAnno TSV 3.3', layers, '', '', ...tokens, ''].join('\n');
  const document = file(
    `#T_SP=${POS}|PosValue\n#T_SP=${NAMED}|identifier|value\n#T_RL=a.B|kind|BT_${NAMED}`,
    '#Text=😀 Ada Lovelace met\\tBob.',
    '1-1\t0-2\t😀\tSYM\t_\t_\t_\t_\t',
    '1-2\t3-6\tAda\tNE\t*[1]\tPER[1]|PER[2]\t_\t_\t',
    '1-3\t7-15\tLovelace\tNE\t*[1]\tPER[1]\t_\t_\t',
    '1-4\t16-19\tmet\tV\t_\t_\t_\t_\t',
    '1-5\t20-23\tBob\tNE\t*\tfirst\\_name\t_\t_\t',
    '1-6\t23-24\t.\t.\t*\t*\t_\t_\t',
    '',
    '#Text=Eve left.',
    '2-1\t25-28\tEve\tNE\t_\tPER\t_\t_\t',
    '2-1.1\t25-26\tE\t_\t_\tLETTER\t_\t_\t',
    '2-2\t29-33\tleft\tV\t_\t_\t_\t_\t',
  );

  it('gives a row for each sentence, with the labels of named entities', async () => {
    const expected = {
      rows: [
        {
          text: '😀 Ada Lovelace met\tBob.',
          entities: [
            { text: 'Ada Lovelace', label: 'PER', start: 2 },
            { text: 'Ada', label: 'PER', start: 2 },
            { text: 'Bob', label: 'first_name', start: 19 },
          ],
        },
        {
          text: 'Eve left.',
          entities: [
            { text: 'Eve', label: 'PER', start: 0 },
            { text: 'E', label: 'LETTER', start: 0 },
          ],
        },
      ],
      as: `WebAnno TSV 3, layer ${NAMED}, 2 other layers left out; texts with spans, 2 rows, 1 spans without a label left out`,
    };
    for (const size of [1, 7, 1 << 16]) expect(await read(document, { fileName: 'a.tsv' }, size)).toEqual(expected);
    expect(await read(document, { format: 'webanno' })).toEqual(expected);
  });

  it('is refused where several layers or features may be meant, and where a token is not in its place', async () => {
    const text = ['#Text=Ada', '1-1\t0-3\tAda\tx\ty\t'];
    expect(await reasonOf(file('#T_SP=a.One|v\n#T_SP=a.Two|v', ...text))).toMatch(
      /several layers of spans \(a.One, a.Two\)/,
    );
    expect(await reasonOf(file('#T_SP=a.One|v|w', ...text))).toMatch(/has the features v, w; export it with the one/);
    expect(await reasonOf(file('#T_SP=a.One|', ...text))).toMatch(/the layer a.One .* has no feature/);
    expect(await reasonOf(file(`#T_SP=${POS}|PosValue`, ...text))).toMatch(/no layer of spans that may be entities/);
    expect(await reasonOf(file('#T_SP=a.One|v', '#Text=Bob', '1-1\t0-3\tAda\tx\t'))).toMatch(
      /the token 1-1 .* is not at 0-3/,
    );
    expect(await reasonOf('a\tb\n', { format: 'webanno' })).toMatch(/does not begin with #FORMAT=WebAnno TSV 3/);
  });
});

describe('files of others that hold no rows', () => {
  const azure = { projectFileVersion: '2022-05-01', assets: { documents: [{ location: 'a.txt' }] } };
  const snips = { language: 'en', intents: { meet: { utterances: [{ data: [{ text: 'Hi' }] }] } } };

  it.each<[string, string | Buffer, string, RegExp]>([
    [
      'documents of Azure',
      JSON.stringify(azure, null, 2),
      'a.json',
      /^the file is a project of Azure Language.*open\(d\["location"\]\)/,
    ],
    ['Snips', JSON.stringify(snips, null, 2), 'a.json', /^the file is a data set of Snips NLU.*"label": intent\}$/],
    [
      'annotations of Comprehend',
      'File, Line, Begin Offset, End Offset, Type\na.txt, 0, 0, 3, PER\n',
      'a.csv',
      /^the file holds the annotations of Amazon Comprehend without the documents/,
    ],
    [
      'ARFF',
      "@relation 'x'\n@attribute text string\n@data\n'a'\n",
      'a.arff',
      /^the file is ARFF; save its table as CSV/,
    ],
    ['SQLite', Buffer.from('SQLite format 3\0\x10\0'), 'a.db', /^the file is a database of SQLite.*SELECT text, label/],
    ['pickle', Buffer.from([0x80, 4, 0x95, 1, 0, 0, 0, 0]), 'a.pkl', /^the file is a pickle of Python/],
  ])('are refused with the way to write them: %s', async (_, file, fileName, reason) => {
    expect(await reasonOf(file, { fileName })).toMatch(reason);
  });
});
