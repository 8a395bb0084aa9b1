import { processed } from '../../reading.fixture.js';
import { readAs } from '../reading.js';

const chats = { datasetType: 'decoder' } as const;
const read = async (rows: unknown, options: Parameters<typeof processed>[1] = chats) => {
  const file = typeof rows === 'string' ? rows : (rows as unknown[]).map((row) => JSON.stringify(row)).join('\n');
  const done = await processed(file, options);
  expect([done.reason, done.errors]).toEqual([null, []]);
  return { rows: done.rows, as: done.contents && readAs(done.contents) };
};
const chat = (question: string, answer: string) => [
  { role: 'user', content: question },
  { role: 'assistant', content: answer },
];
const csv = (...lines: readonly string[]): string => lines.join('\n');

describe('OpenAI Evals', () => {
  it('asks the field of an item that is not its expected answer, and keeps what is about it', async () => {
    const { rows, as } = await read([
      { item: { ticket_text: 'My monitor is dark', correct_label: 'Hardware', id: 7 } },
      { item: { ticket_text: 'No mail', correct_label: 'Software', id: 8 }, sample: { output_text: 'Software' } },
    ]);
    expect(rows).toEqual([
      { messages: chat('My monitor is dark', 'Hardware'), origin: { id: 7 } },
      { messages: chat('No mail', 'Software'), origin: { id: 8 } },
    ]);
    expect(as).toContain('OpenAI Evals, 2 items, 2 with the expected answer under "correct_label"');
    expect(as).toContain('1 with the answer of a model left out');
  });

  it('reads items as classes in a dataset of labels, and refuses longer answers there', async () => {
    const classes = { datasetType: 'classification' } as const;
    const { rows } = await read([{ item: { ticket_text: 'Dark', correct_label: 'Hardware' } }], classes);
    expect(rows).toEqual([{ text: 'Dark', label: 'Hardware' }]);
    const { errors } = await processed(JSON.stringify({ item: { q: 'Why?', answer: 'a'.repeat(101) } }), classes);
    expect(errors).toMatchObject([{ field: 'item.answer', reason: expect.stringContaining('dataset_type "decoder"') }]);
  });

  it('reads output items of a run with the messages that were sent, without the grades', async () => {
    const sent = [
      { role: 'developer', content: 'Be short.' },
      { role: 'user', content: 'Where is it?' },
    ];
    const { rows, as } = await read([
      {
        ...{ object: 'eval.run.output_item', id: 'out_1', datasource_item: { place: 'x', expected: 'Ghent' } },
        ...{ results: [{ name: 'eq', passed: true }], sample: { input: sent, output: [] }, status: 'pass' },
      },
    ]);
    expect(rows).toEqual([
      {
        messages: [{ ...sent[0], role: 'system' }, sent[1], { role: 'assistant', content: 'Ghent' }],
        origin: { id: 'out_1', place: 'x' },
      },
    ]);
    expect(as).toContain('1 with results of graders left out');
  });

  it('reads samples of the open source framework, with the first ideal answer', async () => {
    const { rows, as } = await read([
      { input: [{ role: 'system', content: 'Sums.' }, ...chat('1+1', '').slice(0, 1)], ideal: ['2', 'two'] },
    ]);
    expect(rows).toMatchObject([{ messages: [{ role: 'system' }, ...chat('1+1', '2')] }]);
    expect(as).toContain('1 with further ideal answers left out');
  });
});

describe('tests of Promptfoo', () => {
  it('take the answer of the most exact assertion, and name the others as left out', async () => {
    const { rows, as } = await read(
      csv(
        '__expected,__expected2,__prefix,__description,question',
        'Paris,,Q: ,capital,Capital of France?',
        'equals: 4,icontains: four,,,2+2?',
        'similar(0.8): It rained,llm-rubric: is polite,,,Weather?',
        'contains: x,,,,What?',
        'note: all,,,,Say it',
      ),
      { ...chats, fileName: 'tests.csv' },
    );
    expect(rows).toMatchObject([
      { messages: chat('Q: Capital of France?', 'Paris'), origin: { __description: 'capital' } },
      { messages: chat('2+2?', '4') },
      { messages: chat('Weather?', 'It rained') },
      { messages: chat('Say it', 'note: all') },
    ]);
    for (const said of [
      ...[
        'tests of Promptfoo, 5 tests',
        '3 with equals, which is exact_match of an evaluation',
        '1 with icontains left out',
      ],
      ...[
        '1 with the answer of similar, whose score is left out',
        '1 with llm-rubric left out',
        '1 with contains left out',
      ],
      '1 without an expected answer left out',
    ])
      expect(as).toContain(said);
  });

  it('are read from test cases of JSON, with several variables as lines', async () => {
    const { rows, as } = await read([
      { vars: { language: 'French', text: 'Hello' }, assert: [{ type: 'equals', value: 'Bonjour' }, { type: 'mine' }] },
    ]);
    expect(rows).toEqual([{ messages: chat('language: French\ntext: Hello', 'Bonjour') }]);
    expect(as).toContain('1 with several fields as lines of the question');
    expect(as).toContain('1 with other assertions left out');
  });
});

describe('datasets of Langfuse', () => {
  it('are items as its SDK for Python has them, and not chats with an input', async () => {
    const { rows } = await read([{ id: 'i', input: { question: 'Where?' }, expected_output: 'Ghent' }]);
    expect(rows).toEqual([{ messages: chat('Where?', 'Ghent'), origin: { id: 'i' } }]);
    const taught = { instruction: 'Translate', input: 'gig', output: 'Auftritt', expected_output: 'x' };
    expect((await read([taught])).rows).toMatchObject([{ messages: chat('Translate\n\ngig', 'Auftritt') }]);
  });

  it('are items with input and expectedOutput, without archived ones', async () => {
    const item = { id: 'i', datasetId: 'd', status: 'ACTIVE', metadata: { a: 1 }, sourceTraceId: null };
    const { rows, as } = await read([
      { ...item, input: { question: 'Where?' }, expectedOutput: { answer: 'Ghent' } },
      { ...item, input: chat('Hi', '').slice(0, 1), expectedOutput: { role: 'assistant', content: 'Hello' } },
      { ...item, input: 'x', expectedOutput: 'y', status: 'ARCHIVED' },
      { ...item, input: 'x', expectedOutput: null },
    ]);
    expect(rows).toMatchObject([
      { messages: chat('Where?', '{"answer":"Ghent"}'), origin: { id: 'i', metadata: { a: 1 } } },
      { messages: chat('Hi', 'Hello') },
    ]);
    expect(as).toContain('1 archived ones left out, 1 without an expected answer left out');
  });

  it('are read from their tables', async () => {
    const { rows } = await read(
      csv('id,datasetId,status,input,expectedOutput', 'i,d,ACTIVE,"{""question"":""Where?""}",Ghent'),
      { ...chats, fileName: 'items.csv' },
    );
    expect(rows).toMatchObject([{ messages: chat('Where?', 'Ghent') }]);
  });
});

describe('evaluation datasets of MLflow', () => {
  it('have the expected response among their expectations, and judges for the others', async () => {
    const { rows, as } = await read([
      {
        inputs: { question: 'Capital?' },
        expectations: { expected_response: 'Paris', expected_facts: ['Paris'], guidelines: ['Be short'] },
        tags: { topic: 'geography' },
      },
      { inputs: { messages: chat('Hi', '').slice(0, 1) }, expectations: { expected_facts: ['Hello'] } },
    ]);
    expect(rows).toEqual([{ messages: chat('Capital?', 'Paris'), origin: { tags: { topic: 'geography' } } }]);
    expect(as).toContain('an evaluation dataset of MLflow, 2 records');
    expect(as).toContain('2 with expected_facts, which a judge grades, left out');
    expect(as).toContain('1 without an expected answer left out');
  });

  it('are read where their objects are texts of JSON', async () => {
    const text = { inputs: '{"question":"Capital?"}', expectations: '{"expected_response":"Paris"}' };
    const { rows, as } = await read([text, text]);
    expect(rows).toEqual([{ messages: chat('Capital?', 'Paris') }, { messages: chat('Capital?', 'Paris') }]);
    expect(as).toContain('an evaluation dataset of MLflow, 2 records');
  });
});

describe('records of Argilla', () => {
  const record = {
    id: 'r',
    fields: { text: 'Ada left Lyon' },
    metadata: {},
    suggestions: { topic: { value: 'food' } },
  };
  const responses = {
    topic: [
      { value: 'travel', user_id: 'u1' },
      { value: 'work', user_id: 'u2' },
    ],
    span: [{ value: [{ start: 0, end: 3, label: 'person' }], user_id: 'u1' }],
    stars: [{ value: 4, user_id: 'u1' }],
  };

  it('have the first responses of people as labels, a task for each question', async () => {
    const { rows, as } = await read(
      [
        { ...record, responses },
        { ...record, responses: {} },
      ],
      { datasetType: 'ner' },
    );
    expect(rows).toEqual([
      {
        ...{ text: 'Ada left Lyon', id: 'r', labels: { topic: 'travel', stars: '4' } },
        entities: [{ text: 'Ada', label: 'person', start: 0 }],
      },
      { text: 'Ada left Lyon', id: 'r', labels: { topic: 'food' } },
    ]);
    for (const said of ['1 with several answers that differ', '1 with a suggestion that nobody has answered'])
      expect(as).toContain(said);
  });

  it('are chats in a dataset of chats', async () => {
    const { rows } = await read([
      { fields: { instruction: 'Where?' }, responses: { answer: [{ value: 'In Ghent.' }] } },
    ]);
    expect(rows).toEqual([{ messages: chat('Where?', 'In Ghent.') }]);
  });
});

describe('chats of other tools', () => {
  it('are no evaluation sets', async () => {
    const { rows, as } = await read([{ instruction: 'Say hello', input: '', output: 'Hello' }]);
    expect([rows.length, as]).toEqual([1, null]);
  });
});
