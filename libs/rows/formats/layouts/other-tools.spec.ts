import { processed } from '../reading.fixture.js';
import { readAs } from './reading.js';

const text = 'Ada met Bob in Paris 😀 with Eve';
const entities = [
  { text: 'Ada', label: 'PER', start: 0 },
  { text: 'Eve', label: 'PER', start: 28 },
];
const read = async (rows: unknown, options: Parameters<typeof processed>[1] = {}) => {
  const done = await processed(JSON.stringify(rows), options);
  expect(done.reason).toBeNull();
  return { rows: done.rows, as: done.contents && readAs(done.contents) };
};
const reasonOf = async (content: string, fileName: string): Promise<string> =>
  processed(content, { fileName }).then(
    ({ reason }) => reason ?? 'read',
    (error: Error) => error.message,
  );

describe('spaCy JSON of version 2', () => {
  const words = text.split(' ');
  const token = (orth: string) => ({ orth, ner: orth === 'Ada' || orth === 'Eve' ? 'U-PER' : 'O', tag: '-' });
  const sentences = [{ tokens: words.slice(0, 3).map(token) }, { tokens: words.slice(3).map(token) }];

  it("gives a row for each paragraph, with the paragraph's text", async () => {
    const cats = [
      { label: 'good', value: 1 },
      { label: 'bad', value: 0 },
    ];
    const raw = text.replace('met', ' met');
    const paragraphs = [
      { raw, sentences, cats },
      { sentences, cats },
    ];
    const { rows, as } = await read([{ id: 0, paragraphs }]);
    expect(rows).toEqual([
      { text: raw, entities: [entities[0], { ...entities[1], start: 29 }], label: 'good' },
      { text, entities, label: 'good' },
    ]);
    expect(as).toBe('spaCy JSON of version 2, 1 documents');
  });

  it('omits entities if its tokens have no tags, and counts the untagged tokens between', async () => {
    const unknown = sentences.map(({ tokens }) => ({ tokens: tokens.map(({ orth }) => ({ orth, ner: '-' })) }));
    const half = [sentences[0]!, unknown[1]!];
    const { rows, as } = await read([{ paragraphs: [{ raw: text, sentences: half }] }]);
    expect(rows).toEqual([{ text, entities: [entities[0]] }]);
    expect(as).toContain('5 tokens that say nothing of entities read as outside of any');
    const cats = [{ label: 'good', value: 1 }];
    const classes = { datasetType: 'classification' as const };
    const { rows: bare } = await read([{ paragraphs: [{ raw: text, sentences: unknown, cats }] }], classes);
    expect(bare).toEqual([{ text, label: 'good' }]);
  });

  it('is refused if a later document differs', async () => {
    const file = JSON.stringify([{ paragraphs: [{ sentences }] }, { paragraphs: [{ sentences: 'none' }] }]);
    expect(await reasonOf(file, 'train.json')).toMatch(/row 2: paragraphs must be a list of objects with sentences/);
  });
});

describe('rows of other tools', () => {
  it('of Vertex AI have segments or classes', async () => {
    const segment = { startOffset: '12', endOffset: '16', displayName: 'city' };
    const entities = { textSegmentAnnotations: [{ endOffset: 3, displayName: 'person' }, segment] };
    expect(await read([{ ...entities, textContent: 'Ada flew to Rome' }])).toEqual({
      rows: [
        {
          text: 'Ada flew to Rome',
          entities: [
            { text: 'Ada', label: 'person', start: 0 },
            { text: 'Rome', label: 'city', start: 12 },
          ],
        },
      ],
      as: 'Vertex AI JSONL, 1 items',
    });
    const one = { classificationAnnotation: { displayName: 'good' }, textContent: 'nice' };
    const several = { classificationAnnotations: [{ displayName: 'a' }, { displayName: 'b' }], textContent: 'nice' };
    expect((await read([one])).rows).toEqual([{ text: 'nice', label: 'good' }]);
    expect((await read([several])).rows).toEqual([{ text: 'nice', labels: ['a', 'b'] }]);
  });

  it('of Dataturks have inclusive ends, and lose surrounding blanks', async () => {
    const points = (start: number, end: number, text: string) => [{ start, end, text }];
    const annotation = [
      { label: ['Name'], points: points(0, 3, 'Ada ') },
      { label: ['City'], points: points(12, 15, 'Rome') },
    ];
    expect(
      await read([
        { content: 'Ada flew to Rome', annotation, extras: null },
        { content: 'x', annotation: null },
      ]),
    ).toEqual({
      rows: [
        {
          text: 'Ada flew to Rome',
          entities: [
            { text: 'Ada', label: 'Name', start: 0 },
            { text: 'Rome', label: 'City', start: 12 },
          ],
        },
      ],
      as: 'Dataturks JSON, 2 documents, 1 without annotations',
    });
  });

  it('of doccano have intents besides slots', async () => {
    const row = {
      id: 1,
      text: 'Fly to Rome',
      entities: [{ id: 1, label: 'to', start_offset: 7, end_offset: 11 }],
      cats: ['fly'],
    };
    expect((await read([row])).rows).toEqual([
      { text: 'Fly to Rome', entities: [{ text: 'Rome', label: 'to', start: 7 }], label: 'fly', id: 1 },
    ]);
  });

  it('of Argilla 1 have the label before the offsets', async () => {
    const annotation = [
      ['PER', 0, 3],
      ['PER', 28, 31],
    ];
    const { rows } = await read([{ text, annotation, prediction: null }]);
    expect(rows[0]).toMatchObject({ text, entities });
  });

  it('of Argilla 2 have responses, or else suggestions', async () => {
    const span = { start: 0, end: 3, label: 'PER' };
    const nested = {
      ...{ id: 'r1', status: 'completed', _server_id: 's', vectors: {}, metadata: {}, fields: { text } },
      responses: { ner: [{ value: [span, { start: 28, end: 31, label: 'PER' }], user_id: 'u' }] },
      suggestions: { mood: { value: 'calm', score: null, agent: null }, ner: { value: [], score: null, agent: null } },
    };
    const inColumns = {
      ...{ id: 'r2', status: 'pending', _server_id: 's', text, 'mood.responses': ['gay', 'calm'] },
      ...{ 'mood.responses.users': ['u', 'v'], 'mood.responses.status': ['draft', 'submitted'] },
      ...{ 'ner.suggestion': { start: [0], end: [3], label: ['PER'] }, 'ner.suggestion.score': null },
      ...{ 'mood.suggestion': null, 'mood.suggestion.agent': null },
    };
    const { rows, as } = await read([nested, inColumns, { ...inColumns, status: 'discarded' }]);
    expect(rows).toEqual([
      { text, entities, label: 'calm', id: 'r1' },
      { text, entities: [entities[0]], label: 'calm', id: 'r2' },
    ]);
    expect(as).toBe('records of Argilla, 3 records, 2 with a suggestion that nobody has answered, 1 discarded');
  });

  it('of Argilla have a response for each who answered', async () => {
    const responses = ['b', 'a', 'a'].map((value, at) => ({
      ...{ user_id: at, status: at === 0 ? 'discarded' : 'submitted' },
      values: { tags: { value: [value] }, why: { value: 'because of what it says here, which is '.repeat(2) } },
    }));
    const suggestions = [{ question_name: 'tags', value: ['c'] }];
    const { rows, as } = await read([{ fields: { title: 'Ada', body: 'sings' }, responses, suggestions }]);
    expect(rows).toEqual([{ text: 'Ada\nsings', label: 'a' }]);
    expect(as).toBe(
      'records of Argilla, 1 records, 1 answers to the question "why" left out, which are neither labels nor spans, 1 with the texts of "title" "body", a line each',
    );
  });

  it.each<[string, readonly unknown[]]>([
    ['texts', ['wrong tone here', 'fine as it is', 'see the guide', 'not sure of it']],
    ['words', ['ok', 'hm', 'yes', 'no', 'why', 'redo']],
    [
      'orders',
      [
        ['a', 'b'],
        ['b', 'a'],
        ['a', 'b'],
      ],
    ],
    ['ranks', [[{ value: 'a', rank: 1 }], [{ value: 'a', rank: 2 }]]],
  ])('of Argilla have no classes in answers that are %s', async (_name, answers) => {
    const tones = ['glad', 'sad'];
    const file = answers.map((value, at) => ({
      fields: { text: `Ada sings ${at}` },
      responses: {
        tone: [{ value: tones[at % 2]!, status: 'submitted' }],
        note: [{ value, status: 'submitted' }],
      },
    }));
    const { rows, as } = await read(file);
    expect(rows).toEqual(answers.map((_, at) => ({ text: `Ada sings ${at}`, label: tones[at % 2] })));
    expect(as).toContain(
      `${answers.length} answers to the question "note" left out, which are neither labels nor spans`,
    );
  });

  it('of spaCy have entities or groups of spans', async () => {
    const ents = [
      { start: 0, end: 3, label: 'PER' },
      { start: 28, end: 31, label: 'PER' },
    ];
    const tokens = [{ id: 0, start: 0, end: 3, tag: 'NNP' }];
    const { rows, as } = await read([
      { text, ents, tokens, sents: [{ start: 0, end: 31 }] },
      { text, ents, title: null },
      { text, ents: [], spans: { sc: ents } },
    ]);
    expect(rows).toEqual([
      { text, entities },
      { text, entities },
      { text, entities },
    ]);
    expect(as).toBe('spaCy JSON, 3 texts, 3 columns not used: "tokens" "sents" "title"');
  });

  it('of doccano have relations, with or without an id of the row', async () => {
    const row = {
      text: 'Fly to Rome',
      entities: [
        { id: 5, label: 'act', start_offset: 0, end_offset: 3 },
        { id: 6, label: 'to', start_offset: 7, end_offset: 11 },
      ],
      relations: [{ from_id: 5, to_id: 6, type: 'goes' }],
    };
    const { rows, as } = await read([row]);
    expect(rows).toMatchObject([{ relations: [{ goes: { head: 'Fly', tail: 'Rome' } }] }]);
    expect(rows[0]).not.toHaveProperty('id');
    expect(as).toBe('doccano JSONL, 1 examples');
  });

  it('of doccano have classes joined by a mark, if the labels show it', async () => {
    const csv = (...labels: readonly string[]) =>
      `id,text,label\n${labels.map((label, at) => `${at},text ${at},${label}\n`).join('')}`;
    const joined = await processed(csv('cars#law', 'law', ''), { fileName: 'a.csv', datasetType: 'classification' });
    expect(joined.rows.map((row) => row?.labels)).toEqual([['cars', 'law'], ['law'], []]);
    expect(readAs(joined.contents!)).toMatch(/doccano CSV, its classes joined by "#", 3 examples$/);
    const plain = await processed(csv('C#', 'C', 'f#a'), { fileName: 'a.csv', datasetType: 'classification' });
    expect(plain.rows.map((row) => row?.label)).toEqual(['C#', 'C', 'f#a']);
  });

  it('of GLiNER2 have relations with fields of other names', async () => {
    const row = (ends: object) => ({ input: text, output: { relations: [{ met: ends }] } });
    const { rows, as } = await read([row({ who: 'Ada', whom: 'Bob' }), row({ whom: 'Eve', who: 'Ada' })]);
    expect(rows).toEqual([
      { text, relations: [{ met: { head: 'Ada', tail: 'Bob' } }] },
      { text, relations: [{ met: { head: 'Ada', tail: 'Eve' } }] },
    ]);
    expect(as).toBe('GLiNER2 training rows, 2 rows, 2 relations "met" from "who" (head) to "whom" (tail)');
  });

  it('of LightTag are read from its examples', async () => {
    const annotations = [{ tag: 'PER', value: 'Ada', start: 0, end: 3, correct: true }];
    const { rows } = await read({ examples: [{ content: text, annotations, classifications: [] }], relations: [] });
    expect(rows[0]).toMatchObject({ text, entities: [entities[0]] });
  });

  it.each([
    [
      'Argilla 2',
      'a.jsonl',
      '{"fields":{"text":"Ada"},"responses":{"spans":[]}}',
      /records of Argilla.*1 without an answer$/,
    ],
    [
      'UBIAI',
      'a.json',
      '[{"document":"Ada","tokens":[{"text":"Ada","entityLabel":"PER"}]}]',
      /nearest layout is texts with/,
    ],
    [
      'Rasa YAML',
      'nlu.yml',
      'version: "3.1"\nnlu:\n- intent: greet\n  examples: |\n    - hey [Bob](name)\n',
      /YAML.*JSON/,
    ],
    ['Dialogflow', 'a.json', '[{"id":"x","data":[{"text":"Paris","alias":"city"}]}]', /first row was read as \{"id"/],
    ['XML', 'a.xml', '<?xml version="1.0"?><root/>', /XML.*JSON/],
    ['numbers of tags without names', 'a.jsonl', '{"tokens":["Ada"],"ner_tags":[1]}', /label_names says them/],
  ])('are refused, naming the missing part: %s', async (_, name, content, reason) => {
    expect(await reasonOf(content, name)).toMatch(reason);
  });
});
