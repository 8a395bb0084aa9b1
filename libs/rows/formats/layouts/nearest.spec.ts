import { processed } from '../reading.fixture.js';

const lines = (...rows: readonly unknown[]) => rows.map((row) => JSON.stringify(row)).join('\n');
const reasonOf = async (row: unknown, format?: string) =>
  (await processed(JSON.stringify(row), format === undefined ? {} : { layout: format })).reason;

describe('a file whose rows match no layout', () => {
  it('is refused, naming its first row and the layout that lacks least', async () => {
    const row = {
      id: 7,
      data: { text: 'Maria flew to Ghent' },
      api_key: 'abc',
      note: 'a note that is longer than others',
      of: [1],
    };
    expect(await reasonOf(row)).toBe(
      'row 1: text is missing; the first row was read as {"id": 7, "data": an object, "api_key": a secret, ' +
        '"note": "a note that is longer th...", "of": a list}; the nearest layout is Label Studio JSON (format label-studio), ' +
        'which also has "annotations" with a list of results each',
    );
    expect(await reasonOf({ entity_group: 'PER', word: 'Ada', start: 0, end: 3, text: 'Ada', score: 0.9 })).toMatch(
      /the nearest layout is texts with spans \(format spans\), which also has \[start, end, label\], /,
    );
    expect(await reasonOf({ value: 'hf_abcdef', n: 7 })).toMatch(
      /read as \{"value": a secret, "n": 7\}; no layout is near it; format may name label-studio, /,
    );
  });

  it('is told what else the output of GLiNER2 may have, if it has other keys', async () => {
    expect(await reasonOf({ input: 'Ada in Rome', output: { entities: { city: ['Rome'] }, notes: 'x' } })).toMatch(
      /the nearest layout is GLiNER2 training rows \(format gliner2\), which also has no other keys in "output" than these and entity_descriptions, /,
    );
  });

  it.each([
    [
      [
        { Betreff: 'Rechnung 7', Inhalt: 'Die Rechnung ist falsch', Art: 'Beschwerde' },
        { Betreff: 'Danke', Inhalt: 'Alles ist angekommen', Art: 'Lob' },
        { Betreff: 'Kaputt', Inhalt: 'Der Griff ist abgebrochen', Art: 'Beschwerde' },
      ],
      'classification',
      { text: 'Inhalt', label: 'Art' },
    ],
    [[{ Inhalt: 'Ada wohnt in Rom', Funde: [['Rom', 'Ort']] }], 'ner', { text: 'Inhalt', entities: 'Funde' }],
    [
      [{ Inhalt: 'Ada wohnt in Rom', Funde: [{ start: 13, end: 16, tag: 'Ort' }] }],
      'ner',
      { text: 'Inhalt', entities: 'Funde' },
    ],
    [[{ text: 'Ada wohnt in Rom', Art: ['Leben', 'Ort'] }], 'classification', { labels: 'Art' }],
  ] as const)('says a column_mapping that reads it: %j', async (given, datasetType, columnMapping) => {
    const rows = lines(...given);
    const { reason } = await processed(rows, { datasetType });
    const [, said = ''] = /"column_mapping": (\{[^}]*\}) reads the rows/.exec(reason ?? '') ?? [];
    expect(JSON.parse(said)).toEqual(columnMapping);
    expect((await processed(rows, { datasetType, columnMapping })).contents?.rows).toBe(given.length);
  });

  it('is refused, naming the type of its rows if they are of another', async () => {
    const messages = [
      { role: 'user', content: 'How far?' },
      { role: 'assistant', content: 'Near.' },
    ];
    expect(await reasonOf({ messages })).toMatch(/; the first row is a chat or a pair of answers, .* "decoder" holds$/);
    for (const row of [
      { text: 'a', label: 'x' },
      { review: 'a', sentiment: 'x' },
    ])
      expect((await processed(JSON.stringify(row), { datasetType: 'decoder' })).reason).toMatch(
        /; the first row is a text with labels, .* "classification" holds$/,
      );
  });

  it('is refused with the texts that the suggested column_mapping leaves out, and keeps the column of labels', async () => {
    const pairs = Array.from({ length: 8 }, (_, row) => ({
      before: `Somebody rides horse ${row % 3}`,
      after: `Somebody sits on number ${row}`,
      label: ['yes', 'no', null][row % 3],
    }));
    expect((await processed(lines(...pairs), { datasetType: 'classification' })).reason).toContain(
      '"column_mapping": {"text":"after"} reads the rows, without "before"',
    );
  });

  it.each([
    [[{ id: '1', quesion: 'How far?', answer: 'Near' }], { prompt: 'quesion', completion: 'answer' }],
    [[{ Frage: 'How far?', reference_answer: 'Near', n: 7 }], { prompt: 'Frage', completion: 'reference_answer' }],
    [[{ Frage: 'How far?', Antwort: 'Near' }], null],
    [[{ a: 'How far?', b: 'Really', answer: 'Near' }], null],
  ])(
    'of chats is refused with its first row, and a column_mapping where one column is an answer: %j',
    async (given, columnMapping) => {
      const { reason } = await processed(lines(...given), { datasetType: 'decoder' });
      expect(reason).toMatch(/; the first row was read as \{/);
      const [, said = 'null'] = /"column_mapping": (\{[^}]*\}) reads the rows/.exec(reason ?? '') ?? [];
      expect(JSON.parse(said)).toEqual(columnMapping);
      if (columnMapping === null) return;
      const { rows } = await processed(lines(...given), { datasetType: 'decoder', columnMapping });
      expect(rows).toMatchObject([{ messages: [{ content: 'How far?' }, { content: 'Near' }] }]);
    },
  );

  it('of chats is refused by the fault alone where it has turns', async () => {
    const { reason } = await processed(lines({ messages: [{ role: 'user', content: 'Hi' }] }), {
      datasetType: 'decoder',
    });
    expect(reason).not.toMatch('first row');
  });

  it('is refused with the format of tokens and labels alone, which reads it', async () => {
    for (const [between, fileName] of [
      ['\t', 'a.tsv'],
      [' ', 'a.txt'],
    ] as const) {
      const tokens = [['Lena', 'person'], ['sang', 'O'], ['there', 'O'], [], ['It', 'O'], ['rained', 'O'], []];
      const file = `${tokens.map((each) => each.join(between)).join('\n')}\n`;
      expect((await processed(file, { fileName })).reason).toContain('"format": "conll" reads them');
      expect((await processed(file, { fileName, format: 'conll' })).rows).toMatchObject([
        { entities: [{ text: 'Lena', label: 'person' }] },
        { entities: [] },
      ]);
    }
  });

  it("is refused without a layout if its rows are Anneal's own with a fault", async () => {
    expect(await reasonOf({ text: 'Ada', entities: [['Eve', 'person']] })).not.toMatch('layout');
    expect(await reasonOf({ text: '', label: 'a' })).toBe('row 1: text is empty');
  });

  it('is refused by the rules of the layout that its request names', async () => {
    expect(await reasonOf({ text: 'Ada' }, 'prodigy')).toBe('row 1: answer must be accept, reject or ignore');
  });
});
