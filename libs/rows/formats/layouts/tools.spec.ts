import { processed } from '../reading.fixture.js';
import { readAs } from './reading.js';

const lines = (...rows: readonly unknown[]) => rows.map((row) => JSON.stringify(row)).join('\n');
type Options = Parameters<typeof processed>[1];
const read = async (file: string, options: Options = {}) => {
  const { rows, reason, contents } = await processed(file, options);
  expect(reason).toBeNull();
  return { rows, as: contents && readAs(contents) };
};
const reasonOf = async (file: string, options: Options = {}) =>
  processed(file, options).then(
    ({ reason }) => reason,
    (error: Error) => error.message,
  );

describe('Label Studio JSON', () => {
  const region = (id: string, start: number, end: number, text: string, label: string) => ({
    ...{ value: { start, end, text, labels: [label] }, id, from_name: 'label', to_name: 'text' },
    ...{ type: 'labels', origin: 'manual' },
  });
  const choice = (...choices: readonly string[]) => ({
    ...{ value: { choices }, id: 'c1', from_name: 'sentiment', to_name: 'text', type: 'choices', origin: 'manual' },
  });
  const annotation = (result: readonly unknown[], others: object = {}) => ({
    ...{ id: 1001, completed_by: 1, result, was_cancelled: false, ground_truth: false },
    ...{ created_at: '2026-03-09T22:16:08.728353Z', updated_at: '2026-03-09T22:16:08.728378Z' },
    ...{ lead_time: 4.288, prediction: {}, result_count: result.length, unique_id: 'f0', task: 1, project: 3 },
    ...others,
  });
  const task = (id: number, text: string, annotations: readonly unknown[]) => ({
    ...{ id, annotations, file_upload: '1-a.json', drafts: [], predictions: [], data: { text }, meta: {} },
    ...{ created_at: '2026-03-09T21:52:49Z', updated_at: '2026-03-09T22:16:08Z', inner_id: id, project: 3 },
  });
  const text = 'Maria flew to Ghent';
  const maria = region('a', 0, 5, 'Maria', 'person');
  const ghent = region('b', 14, 19, 'Ghent', 'city');

  it('gives entities, classes and relations', async () => {
    const flew = { from_id: 'a', to_id: 'b', type: 'relation', direction: 'right', labels: ['flew_to'] };
    const { rows, as } = await read(
      JSON.stringify([task(1, text, [annotation([maria, ghent, flew, choice('good')])])]),
    );
    expect(rows).toEqual([
      {
        text,
        entities: [
          { text: 'Maria', label: 'person', start: 0 },
          { text: 'Ghent', label: 'city', start: 14 },
        ],
        label: 'good',
        relations: [{ flew_to: { head: 'Maria', tail: 'Ghent' } }],
        id: 1,
      },
    ]);
    expect(as).toBe('Label Studio JSON, 1 tasks');
  });

  it('names fields of the task that are not used', async () => {
    const own = { ...task(1, text, [annotation([maria])]), data: { text, ticket: 7 }, colour: 'red' };
    expect((await read(JSON.stringify([own]))).as).toBe(
      'Label Studio JSON, 1 tasks, 2 columns not used: "colour" "ticket"',
    );
  });

  it('omits unannotated and skipped tasks, and takes one annotation of several', async () => {
    const earlier = annotation([maria], { updated_at: '2026-03-08T00:00:00Z' });
    const truth = annotation([ghent], { updated_at: '2026-03-07T00:00:00Z', ground_truth: true });
    const file = [
      task(1, text, [annotation([maria, ghent]), earlier]),
      task(2, text, []),
      task(3, text, [annotation([], { was_cancelled: true })]),
      task(4, text, [earlier, truth]),
      task(5, text, [annotation([])]),
    ];
    const { rows, as } = await read(JSON.stringify(file));
    expect(rows).toMatchObject([
      { id: 1, entities: [{ text: 'Maria' }, { text: 'Ghent' }] },
      { id: 4, entities: [{ text: 'Ghent' }] },
      { id: 5, entities: [] },
    ]);
    expect(as).toBe(
      'Label Studio JSON, 5 tasks, 2 with several annotations, of which one was taken, 1 without annotations, 1 skipped',
    );
  });

  it('counts UTF-16 code units, as browsers do', async () => {
    const happy = '😀 ( ( Maria';
    const { rows } = await read(
      JSON.stringify([task(1, happy, [annotation([region('a', 7, 12, 'Maria', 'person')])])]),
    );
    expect(rows).toMatchObject([{ entities: [{ text: 'Maria', label: 'person', start: 6 }] }]);
  });

  it('has `labels` if the first tasks have several choices', async () => {
    const file = [task(1, text, [annotation([choice('good')])]), task(2, text, [annotation([choice('bad', 'long')])])];
    const { rows } = await read(JSON.stringify(file), { datasetType: 'classification' });
    expect(rows).toMatchObject([{ labels: ['good'] }, { labels: ['bad', 'long'] }]);
  });

  it('has labels by task if choices answer several questions', async () => {
    const other = (...choices: string[]) => ({ ...choice(...choices), from_name: 'length' });
    const file = [
      task(1, text, [annotation([choice('good')])]),
      task(2, text, [annotation([other('long', 'wide')])]),
      task(3, text, [annotation([choice('bad'), other('long')])]),
    ];
    const { rows } = await read(JSON.stringify(file), { datasetType: 'classification' });
    const labels = [{ sentiment: 'good' }, { length: ['long', 'wide'] }, { sentiment: 'bad', length: ['long'] }];
    expect(rows).toMatchObject(labels.map((each) => ({ labels: each })));
  });

  it.each(['ner', 'classification'] as const)(
    'leaves out tasks that were submitted empty where others have choices alone, for the type %s',
    async (datasetType) => {
      const file = [task(1, text, [annotation([])]), task(2, text, [annotation([choice('good')])])];
      const { rows, as } = await read(JSON.stringify(file), { datasetType });
      expect(rows).toEqual([{ text, label: 'good', id: 2 }]);
      expect(as).toBe('Label Studio JSON, 2 tasks, 1 annotated with nothing');
    },
  );

  it('has nothing to learn from if its results are of other kinds alone, which a task with spans may have besides', async () => {
    const stars = { value: { rating: 4 }, id: 'r', from_name: 'stars', to_name: 'text', type: 'rating' };
    const kinds = { ...stars, value: { taxonomy: [['a', 'b']] }, type: 'taxonomy' };
    for (const other of [stars, kinds])
      for (const datasetType of ['ner', 'classification'] as const) {
        const file = [task(1, text, [annotation([])]), task(2, text, [annotation([other])])];
        await expect(read(JSON.stringify(file), { datasetType })).rejects.toThrow(
          /nothing to learn from; it was read as Label Studio JSON, 2 tasks, .*1 results of type (rating|taxonomy) left out/,
        );
      }
    const file = [task(1, text, [annotation([maria, stars])]), task(2, text, [annotation([stars])])];
    const { rows } = await read(JSON.stringify(file));
    expect(rows).toMatchObject([{ entities: [{ text: 'Maria' }] }, { id: 2, entities: [] }]);
  });

  it('is refused if a question is first answered behind the first rows', async () => {
    const other = { ...choice('long'), from_name: 'length' };
    const first = Array.from({ length: 200 }, (_, at) => task(at + 1, text, [annotation([choice('good')])]));
    expect(await reasonOf(JSON.stringify([...first, task(201, text, [annotation([other])])]))).toMatch(
      'row 1 has a class of "sentiment", and row 201 one of "length", of which the first rows say nothing; make row 201 the first',
    );
  });

  it('is refused if the annotated text is ambiguous, or an offset is wrong', async () => {
    const two = { ...task(1, text, [annotation([])]), data: { title: 'a', body: 'b' } };
    expect(await reasonOf(JSON.stringify([two]))).toBe('row 1: data has several texts (title, body), none called text');
    const wrong = task(1, text, [annotation([region('a', 1, 6, 'Maria', 'person')])]);
    expect(await reasonOf(JSON.stringify([wrong]))).toMatch('"Maria" does not stand at 1 to 6, where text has "aria "');
  });

  it('as JSON-MIN has its answers between the task and the annotator', async () => {
    const record = {
      ...{ text, source: 'mail', id: 5297 },
      label: [{ start: 0, end: 5, text: 'Maria', labels: ['person'] }],
      sentiment: 'Positive',
      ...{ annotator: 1, annotation_id: 7, created_at: '2026-03-09T22:16:08Z', updated_at: '2026-03-09T22:16:08Z' },
      lead_time: 3.2,
    };
    const { rows, as } = await read(JSON.stringify([record, { ...record, sentiment: undefined, label: undefined }]));
    expect(rows).toEqual([
      { text, entities: [{ text: 'Maria', label: 'person', start: 0 }], label: 'Positive', id: 5297 },
      { text, entities: [] },
    ]);
    expect(as).toBe('Label Studio JSON-MIN, 2 annotations, 1 annotated with nothing, 1 column not used: "source"');
  });
});

describe('CSV of Label Studio', () => {
  const meta = '7,ada,2026-01-01,5,';
  const head = 'annotation_id,annotator,created_at,id,';

  it('has its answers among sorted columns', async () => {
    const classes = await read(`${head}sentiment,text\n${meta}good,Great\n`, { fileName: 'project.csv' });
    expect(classes).toEqual({
      rows: [{ text: 'Great', label: 'good', id: '5' }],
      as: 'Label Studio JSON-MIN, 1 annotations',
    });
    const spans = '"[{""start"":0,""end"":3,""text"":""Ada"",""labels"":[""person""]}]"';
    const file = `${head}label,text,url\n${meta}${spans},Ada sings,http://a\n${meta},Bo sings,http://b\n`;
    expect((await read(file, { fileName: 'project.csv' })).rows).toEqual([
      { text: 'Ada sings', entities: [{ text: 'Ada', label: 'person', start: 0 }], id: '5' },
      { text: 'Bo sings', entities: [] },
    ]);
  });

  it('is refused if several columns may be the answer', async () => {
    const file = `${head}sentiment,text,url\n${meta}good,Great,http://a\n`;
    expect(await reasonOf(file, { fileName: 'project.csv' })).toMatch(
      /^row 1: may have its class under "sentiment", "url"; leave the other columns out/,
    );
  });
});

describe('doccano JSONL', () => {
  it('gives entities of `label`', async () => {
    const { rows, as } = await read(
      lines(
        {
          id: 1,
          text: 'EU rejects German call',
          label: [
            [0, 2, 'ORG'],
            [11, 17, 'MISC'],
          ],
          Comments: [],
        },
        { id: 2, text: 'Nothing here', label: [], Comments: [] },
      ),
    );
    expect(rows).toMatchObject([
      {
        id: 1,
        entities: [
          { text: 'EU', label: 'ORG', start: 0 },
          { text: 'German', label: 'MISC', start: 11 },
        ],
      },
      { id: 2, entities: [] },
    ]);
    expect(as).toBe('doccano JSONL, 2 examples');
  });

  it('gives relations between entities with ids', async () => {
    const google = {
      ...{ id: 1, text: 'Google was founded in 1998 by Larry Page.' },
      entities: [
        { id: 10, label: 'ORG', start_offset: 0, end_offset: 6 },
        { id: 11, label: 'PERSON', start_offset: 30, end_offset: 40 },
      ],
      relations: [
        { id: 3, from_id: 10, to_id: 11, type: 'foundedBy' },
        { id: 4, from_id: 10, to_id: 99, type: 'x' },
      ],
      Comments: [],
    };
    const { rows, as } = await read(lines(google));
    expect(rows).toMatchObject([{ relations: [{ foundedBy: { head: 'Google', tail: 'Larry Page' } }] }]);
    expect(as).toMatch(/1 relations without both ends left out$/);
  });

  it('gives classes', async () => {
    const file = lines({ id: 1, text: 'Great', label: ['positive'] }, { id: 2, text: 'Bad', label: [] });
    const { rows, as } = await read(file, { datasetType: 'classification' });
    expect(rows).toEqual([{ text: 'Great', label: 'positive', id: 1 }]);
    expect(as).toBe('doccano JSONL, 2 examples, 1 without a class');
  });

  it('has no entities where no row has spans: examples without a class are left out', async () => {
    const file = lines(
      { id: 1, text: 'Hm', label: [] },
      { id: 2, text: 'Great', label: ['positive'] },
      { id: 3, text: 'Bad', label: [] },
    );
    const { rows, as } = await read(file);
    expect(rows).toEqual([{ text: 'Great', label: 'positive', id: 2 }]);
    expect(as).toBe('doccano JSONL, 3 examples, 2 without a class');
    const intents = await read(lines({ id: 1, text: 'Hm', label: [], cats: ['long'] }));
    expect(intents.rows).toMatchObject([{ label: 'long' }]);
  });
});

describe('Prodigy JSONL', () => {
  const answer = (others: object) => ({ _input_hash: 14, _task_hash: -33, ...others, _timestamp: 1_790_000_000 });
  const text = 'Apple updates its analytics service';

  it('gives entities of accepted answers, and reports rejected and ignored ones', async () => {
    const task = {
      text,
      tokens: [{ text: 'Apple', start: 0, end: 5, id: 0, ws: true }],
      spans: [{ start: 0, end: 5, token_start: 0, token_end: 0, label: 'ORG' }],
      ...{ _view_id: 'ner_manual', meta: { source: 'a' } },
    };
    const file = ['accept', 'reject', 'ignore'].map((each) => answer({ ...task, answer: each }));
    const { rows, as } = await read(lines(...file));
    expect(rows).toEqual([{ text, entities: [{ text: 'Apple', label: 'ORG', start: 0 }], meta: { source: 'a' } }]);
    expect(as).toBe('Prodigy JSONL, 3 answers, 1 rejected, 1 ignored');
  });

  it('gives the class in question, or the chosen one', async () => {
    const binary = answer({ text, label: 'TECH', answer: 'accept' });
    expect((await read(lines(binary))).rows).toEqual([{ text, label: 'TECH' }]);
    const options = [
      { id: 'A', text: 'a' },
      { id: 'B', text: 'b' },
    ];
    const chosen = answer({ text, options, accept: ['B'], answer: 'accept', _view_id: 'choice' });
    expect((await read(lines(chosen))).rows).toEqual([{ text, label: 'B' }]);
    const numbered = options.map(({ text: name }, id) => ({ id, text: name }));
    expect((await read(lines(answer({ text, options: numbered, accept: [1], answer: 'accept' })))).rows).toEqual([
      { text, label: 'b' },
    ]);
    const both = answer({ text, options, accept: ['A', 'B'], answer: 'accept' });
    expect((await read(lines(chosen, both))).rows).toEqual([
      { text, labels: ['B'] },
      { text, labels: ['A', 'B'] },
    ]);
  });

  it('gives relations', async () => {
    const relation = {
      ...{ head: 0, child: 3, label: 'OWNS' },
      head_span: { start: 0, end: 5, token_start: 0, token_end: 0, label: 'ORG' },
      child_span: { start: 18, end: 35, token_start: 3, token_end: 4, label: null },
    };
    const { rows } = await read(lines(answer({ text, spans: [], relations: [relation], answer: 'accept' })));
    expect(rows).toEqual([{ text, entities: [], relations: [{ OWNS: { head: 'Apple', tail: 'analytics service' } }] }]);
  });
});

describe('spaCy JSON', () => {
  const pair = [
    'Uber blew through $1 million',
    {
      entities: [
        [0, 4, 'ORG'],
        [18, 28, 'MONEY'],
      ],
    },
  ];
  const row = {
    text: pair[0],
    entities: [
      { text: 'Uber', label: 'ORG', start: 0 },
      { text: '$1 million', label: 'MONEY', start: 18 },
    ],
  };

  it.each([
    ['a list of pairs', JSON.stringify([pair]), ''],
    [
      'pairs under annotations',
      JSON.stringify({ classes: ['ORG'], annotations: [pair, null] }),
      ', 1 column not used: "classes"',
    ],
  ])('is read from %s', async (_name, file, others) => {
    const { rows, as } = await read(file);
    expect(rows).toEqual([row]);
    expect(as).toBe(`spaCy JSON, 1 texts${others}`);
  });

  it('has the classes whose value in cats is 1', async () => {
    const file = lines(
      { text: 'Great', cats: { POSITIVE: 1, NEGATIVE: 0 } },
      { text: 'Bad', cats: { POSITIVE: 0, NEGATIVE: 1 } },
    );
    expect((await read(file)).rows).toEqual([
      { text: 'Great', label: 'POSITIVE' },
      { text: 'Bad', label: 'NEGATIVE' },
    ]);
  });
});

describe('GLiNER training rows', () => {
  it('have relations between the places of their entities', async () => {
    const row = {
      tokenized_text: ['Lena', 'met', 'Kim'],
      ner: [
        [0, 0, 'person'],
        [2, 2, 'person'],
      ],
    };
    const relations = [[2, 1, 'met'], [0, 1, 'met'], { head: 1, tail: 0, type: 'knows' }];
    const { rows, as } = await read(lines({ ...row, relations, score: 1 }));
    expect(rows).toMatchObject([
      { relations: [{ met: { head: 'Lena', tail: 'Kim' } }, { knows: { head: 'Kim', tail: 'Lena' } }] },
    ]);
    expect(as).toBe('GLiNER training rows, 1 rows, 1 relations without both ends left out, 1 column not used: "score"');
  });

  it('count tokens, with inclusive ends', async () => {
    const words = ['Apple', 'Inc.', 'is', 'headquartered', 'in', 'Cupertino', '.'];
    const { rows, as } = await read(
      JSON.stringify([
        {
          tokenized_text: words,
          ner: [
            [0, 1, 'organization'],
            [5, 5, 'location'],
          ],
        },
      ]),
    );
    expect(rows).toEqual([
      {
        text: 'Apple Inc. is headquartered in Cupertino.',
        entities: [
          { text: 'Apple Inc.', label: 'organization', start: 0 },
          { text: 'Cupertino', label: 'location', start: 31 },
        ],
      },
    ]);
    expect(as).toBe('GLiNER training rows, 1 rows');
  });

  it('are refused for spans past their tokens', async () => {
    expect(await reasonOf(lines({ tokenized_text: ['a'], ner: [[0, 1, 'x']] }))).toBe(
      'row 1: ner[0] must be [first, last, label] of the 1 tokens, which count from 0',
    );
  });

  it('of GLiNER2 have every head by its name', async () => {
    const text = 'Elon Musk founded SpaceX. iPhone 15 costs $999.';
    const output = {
      entities: { person: ['Elon Musk'], company: ['SpaceX'], city: [] },
      entity_descriptions: { person: 'a name' },
      classifications: [{ task: 'topic', labels: ['space', 'food'], true_label: ['space'] }],
      json_structures: [
        { product: { name: 'iPhone 15', price: '$999', colour: '', kind: { value: 'phone', choices: ['phone'] } } },
      ],
      relations: [{ founded: { head: 'Elon Musk', tail: 'SpaceX' } }],
    };
    const { rows, as } = await read(lines({ input: text, output }));
    expect(rows).toEqual([
      {
        text,
        entities: [
          ['Elon Musk', 'person'],
          ['SpaceX', 'company'],
        ],
        label: 'space',
        json_structures: [
          { product: { name: 'iPhone 15', price: '$999', kind: { value: 'phone', choices: ['phone'] } } },
        ],
        relations: [{ founded: { head: 'Elon Musk', tail: 'SpaceX' } }],
      },
    ]);
    expect(as).toBe('GLiNER2 training rows, 1 rows, 1 with descriptions, which are not learned');
  });
});

describe('tokens with tags', () => {
  const tokens = ['EU', 'rejects', 'New', 'York', 'Paris', '.'];
  const text = 'EU rejects New York Paris.';
  const entities = [
    { text: 'EU', label: 'ORG', start: 0 },
    { text: 'New York', label: 'LOC', start: 11 },
    { text: 'Paris', label: 'LOC', start: 20 },
  ];

  it.each([
    ['IOB2', ['B-ORG', 'O', 'B-LOC', 'I-LOC', 'B-LOC', 'O']],
    ['IOB1', ['I-ORG', 'O', 'I-LOC', 'I-LOC', 'B-LOC', 'O']],
    ['BIOES', ['S-ORG', 'O', 'B-LOC', 'E-LOC', 'S-LOC', 'O']],
    ['BILOU', ['U-ORG', 'O', 'B-LOC', 'L-LOC', 'U-LOC', 'O']],
  ])('are read as %s', async (_scheme, ner_tags) => {
    const { rows, as } = await read(lines({ id: '0', tokens, pos_tags: ['N', 'V', 'N', 'N', 'N', '.'], ner_tags }));
    expect(rows).toEqual([{ text, entities, id: '0' }]);
    expect(as).toBe('tokens with tags, 1 sentences, 1 column not used: "pos_tags"');
  });

  it('never become numeric labels', async () => {
    expect(await reasonOf(lines({ tokens, ner_tags: [3, 0, 5, 6, 5, 0] }))).toBe(
      'row 1: ner_tags has numbers of tags, such as 3, whose names are not in the file; label_names says them',
    );
  });

  it('are ignored in a row with a label', async () => {
    const own = { text, label: 'news', tokens, ner_tags: ['O', 'O', 'O', 'O', 'O', 'O'] };
    const { rows, as } = await read(lines(own), { datasetType: 'classification' });
    expect([rows, as]).toEqual([[own], '1 rows, 2 columns not used: "tokens" "ner_tags"']);
  });
});

describe('Hugging Face pipeline output', () => {
  const text = 'My name is Clara Schmidt in Berkeley';

  it('is taken as aggregated spans', async () => {
    const output = [
      { entity_group: 'PER', score: 0.99, word: 'clara schmidt', start: 11, end: 24 },
      { entity_group: 'LOC', score: 0.99, word: 'berkeley', start: 28, end: 36 },
    ];
    const { rows, as } = await read(lines({ text, entities: output }, { text, entities: [] }));
    expect(rows).toMatchObject([
      {
        entities: [
          { text: 'Clara Schmidt', label: 'PER' },
          { text: 'Berkeley', label: 'LOC' },
        ],
      },
      { entities: [] },
    ]);
    expect(as).toBe('Hugging Face pipeline output, 2 rows');
  });

  it('is joined from tagged word pieces', async () => {
    const output = [
      { entity: 'B-PER', score: 0.9, index: 4, word: 'Clara', start: 11, end: 16 },
      { entity: 'I-PER', score: 0.9, index: 5, word: 'Sch', start: 17, end: 20 },
      { entity: 'I-PER', score: 0.9, index: 6, word: '##midt', start: 20, end: 24 },
      { entity: 'I-LOC', score: 0.9, index: 8, word: 'Berkeley', start: 28, end: 36 },
    ];
    const { rows } = await read(lines({ text, output }));
    expect(rows).toMatchObject([
      {
        entities: [
          { text: 'Clara Schmidt', label: 'PER' },
          { text: 'Berkeley', label: 'LOC' },
        ],
      },
    ]);
  });
});

describe('ai4privacy rows', () => {
  const source_text = 'Dear Ms Rossi, call 0032 9.';
  const entities = [{ text: 'Rossi', label: 'LASTNAME1', start: 8 }];

  it('are taken from privacy_mask', async () => {
    const row = {
      ...{
        source_text,
        locale: 'BE',
        language: 'en',
        split: 'train',
        uid: 1,
        masked_text: 'Dear Ms [LASTNAME1_1], call 0032 9.',
      },
      privacy_mask: [{ value: 'Rossi', start: 8, end: 13, label: 'LASTNAME1', label_index: 1 }],
      ...{ mbert_tokens: ['Dear'], mbert_token_classes: ['O'] },
    };
    expect(await read(lines(row))).toEqual({ rows: [{ text: source_text, entities }], as: 'ai4privacy rows, 1 rows' });
  });

  it.each([
    [
      'JSON',
      JSON.stringify([
        [0, 8, 'O'],
        [8, 13, 'LASTNAME_1'],
        [13, 27, 'O'],
      ]),
    ],
    ['Python', "[[0, 8, 'O'], [8, 13, 'LASTNAME_1'], [13, 27, 'O']]"],
  ])('are taken from span_labels written as %s', async (_name, span_labels) => {
    const row = {
      unmasked_text: source_text,
      privacy_mask: '{"[LASTNAME_1]": "Rossi"}',
      span_labels,
      bio_labels: ['O'],
    };
    expect((await read(lines(row))).rows).toEqual([
      { text: source_text, entities: [{ ...entities[0], label: 'LASTNAME' }] },
    ]);
  });
});

describe('answers of /inference as rows', () => {
  const text = 'Where is order 90210? It should be in Ghent by now.';
  const result = {
    entities: {
      order_number: [{ text: '90210', confidence: 0.9, start: 15, end: 20 }],
      city: [{ text: 'Ghent', confidence: 0.8 }],
      date: [],
    },
    classification: { label: 'delivery', confidence: 0.99 },
    shipment: [{ to: { text: 'Ghent', confidence: 0.7, start: 38, end: 43 }, kind: 'parcel', via: [] }],
    relation_extraction: { goes_to: [{ head: { text: '90210' }, tail: { text: 'Ghent' } }] },
  };
  const row = {
    text,
    entities: [{ text: '90210', label: 'order_number', start: 15 }, ['Ghent', 'city']],
    label: 'delivery',
    json_structures: [{ shipment: { to: 'Ghent', kind: { value: 'parcel' } } }],
    relations: [{ goes_to: { head: '90210', tail: 'Ghent' } }],
  };

  it('are read along with their text', async () => {
    const answer = {
      type: 'encoder',
      inference_id: 'i',
      result,
      model_id: 'm',
      model_used: 'm',
      latency_ms: 3,
      token_usage: 9,
    };
    const { rows, as } = await read(lines({ text, ...answer }));
    expect(rows).toEqual([row]);
    expect(as).toBe('answers of /inference, 1 answers');
  });

  it('have choices with what says them, or are left out where nothing tells that of a list', async () => {
    const said = (sides: unknown) => ({ text: '🙂 chips', result: { meal: [{ sides }] } });
    const fries = { text: 'fries', confidence: 0.9, start: 2, end: 7 };
    const { rows, as } = await read(lines(said([fries]), said(fries), said('fries'), said(['fries'])));
    const choice = { value: 'fries', text: 'chips' };
    expect(rows.map((row) => row?.['json_structures'])).toEqual(
      [[choice], choice, { value: 'fries' }].map((sides) => [{ meal: { sides } }]),
    );
    expect(as).toBe(
      'answers of /inference, 4 answers, 1 with lists of choices of which nothing tells what says them, left out',
    );
  });

  it('are overridden by a correction', async () => {
    const corrected_output = { entities: { order_number: ['90210'], city: ['Ghent'] }, classification: 'delivery' };
    const expected = [
      {
        text,
        entities: [
          ['90210', 'order_number'],
          ['Ghent', 'city'],
        ],
        label: 'delivery',
      },
    ];
    expect((await read(lines({ text, result: { entities: {} }, corrected_output }))).rows).toEqual(expected);
    const record = { id: 'i', model_id: 'm', input: { text, schema: ['city'] }, output: result };
    const judged = { ...record, human_verdict: 'incorrect', human_corrected_output: corrected_output };
    expect((await read(lines(judged, { ...judged, human_corrected_output: null }))).rows).toEqual(expected);
    expect((await read(lines({ text, ...corrected_output }))).rows).toEqual(expected);
  });
});
