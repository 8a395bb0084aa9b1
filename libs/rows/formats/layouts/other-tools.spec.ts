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

  it('of LightTag are read from its examples', async () => {
    const annotations = [{ tag: 'PER', value: 'Ada', start: 0, end: 3, correct: true }];
    const { rows } = await read({ examples: [{ content: text, annotations, classifications: [] }], relations: [] });
    expect(rows[0]).toMatchObject({ text, entities: [entities[0]] });
  });

  it.each([
    ['Argilla 2', 'a.jsonl', '{"fields":{"text":"Ada"},"responses":{"spans":[]}}', /1 without a response left out/],
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
