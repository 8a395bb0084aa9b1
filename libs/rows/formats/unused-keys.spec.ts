import { readAs } from './layouts/reading.js';
import { processed } from './reading.fixture.js';

const text = 'Lena sang in Graz';
const asOf = async (row: object) => {
  const { contents, reason } = await processed(JSON.stringify([row]));
  return reason ?? (contents && readAs(contents));
};

describe('keys of rows that are not used', () => {
  it.each<[object, string]>([
    [{ text, label: 'gig', mood: 'good' }, '1 rows, 1 column not used: "mood"'],
    [
      { text, label: 'gig', structures: [{ gig: { who: 'Lena' } }], relation: 'x' },
      '1 rows, 2 columns not used: "structures" (did you mean json_structures?) "relation" (did you mean relations?)',
    ],
    [
      { text, entities: [[0, 4, 'person']], lables: ['x'] },
      'texts with spans, 1 rows, 1 column not used: "lables" (did you mean labels?)',
    ],
    [
      { tokens: ['Lena', 'sang'], ner_tags: ['B-person', 'O'], fine_ner_tags: ['B-singer', 'O'] },
      'tokens with tags, 1 sentences, 1 column not used: "fine_ner_tags"',
    ],
    [
      { review: text, sentiment: 'good', stars: '5' },
      'texts with a class, 1 rows, 1 with the text under "review" and the class under "sentiment", 1 column not used: "stars"',
    ],
    [
      { text, annotations: { entities: [[0, 4, 'person']], links: [] } },
      'spaCy JSON, 1 texts, 1 column not used: "links"',
    ],
    [
      { text, ents: [{ start: 0, end: 4, label: 'person' }], mood: 'good' },
      'spaCy JSON, 1 texts, 1 column not used: "mood"',
    ],
  ])('are named: %j', async (row, said) => {
    expect(await asOf(row)).toBe(said);
  });

  it('are named in chats and pairs of answers', async () => {
    const messages = [
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: 'Hello' },
    ];
    const rows = [
      { messages, tools: [], id: 7, tool: [], mood: 'good' },
      { question: 'Hi', input: 'again', chosen: 'Hello', rejected: 'Go' },
      { input: 'Hi', expectedOutput: 'Hello', mood: 'good' },
    ];
    const said = await Promise.all(
      rows.map(async (row) => {
        const { contents } = await processed(JSON.stringify(row), { datasetType: 'decoder' });
        return contents && readAs(contents);
      }),
    );
    expect(said).toEqual([
      '1 rows, 2 columns not used: "tool" "mood"',
      '1 rows, 1 column not used: "input"',
      'a dataset of Langfuse, 1 items',
    ]);
  });

  it('are not those that are known, and none of a free row', async () => {
    expect(await asOf({ text, label: 'gig', id: 7, meta: { page: 1 } })).toBeNull();
    const { contents } = await processed('{"note":"a","mood":"b"}', { datasetType: 'custom' });
    expect(contents && readAs(contents)).toBeNull();
  });

  it.each([
    [',text,label\n0,Lena sang,gig\n1,Max left,talk\n', '2 rows, 1 column not used: one without a name'],
    [
      ',review,sentiment,\n0,Lena sang,gig,x\n1,Max left,talk,y\n',
      'texts with a class, 2 rows, 2 with the text under "review" and the class under "sentiment", 2 columns not used: one without a name "column 4"',
    ],
  ])('are named if they have no name: %j', async (file, said) => {
    const { contents } = await processed(file, { fileName: 'a.csv' });
    expect(contents && readAs(contents)).toBe(said);
  });

  it('are named up to a bound', async () => {
    const many = Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`column${index}`, 1]));
    expect(await asOf({ text, label: 'gig', ...many })).toMatch(/^1 rows, 40 columns not used: .*"column19" and more$/);
  });

  it.each([
    ['entitys', [['Lena', 'person']], 'entities'],
    ['Entites', [['Lena', 'person']], 'entities'],
    ['lables', ['gig'], 'labels'],
    ['structures', [{ gig: { who: 'Lena' } }], 'json_structures'],
    ['relation', [{ sang_in: { head: 'Lena', tail: 'Graz' } }], 'relations'],
  ])('are an error in a row without labels, if nearly those of labels: %s', async (key, value, meant) => {
    for (const datasetType of ['custom', 'ner'] as const) {
      const { errors } = await processed(JSON.stringify({ text, [key]: value }), { datasetType });
      expect(errors).toMatchObject([{ field: key, reason: expect.stringContaining(`did you mean ${meant}?`) }]);
    }
    const mapped = await processed(JSON.stringify({ text, [key]: value }), { columnMapping: { [meant]: key } });
    expect(mapped.rows).toEqual([{ text, [meant]: value }]);
  });

  it.each([{ level: 'x' }, { table: 'x' }, { relation: 'aunt' }, { entity: 'person' }, { structures: [1] }])(
    'are free in a free row if they are other words, or hold something else: %j',
    async (row) => {
      expect((await processed(JSON.stringify({ text, ...row }), { datasetType: 'custom' })).rows).toHaveLength(1);
    },
  );
});
