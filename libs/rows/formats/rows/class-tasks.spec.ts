import type { DatasetType } from '#domain/dataset/index.js';
import type { JsonObject } from '#domain/json.js';
import { EXPORT_SHAPES, exampleOf, leftOutOf, writeShape } from '../index.js';
import { processed } from '../reading.fixture.js';

const read = (rows: readonly object[], datasetType: DatasetType = 'classification', columnMapping = {}) =>
  processed(rows.map((row) => JSON.stringify(row)).join('\n'), { datasetType, columnMapping });
const csv = (file: string, columnMapping = {}) =>
  processed(file, { datasetType: 'classification', fileName: 'r.csv', columnMapping });

const ROWS: readonly JsonObject[] = [
  { text: 'soup, lovely', labels: { topic: 'food', tone: ['glad', 'keen'] } },
  { text: 'late train', labels: { topic: 'travel' } },
  { text: 'well', labels: { tone: [] } },
];

describe('rows with labels of several tasks', () => {
  it('are stored as they are, and summed up by task', async () => {
    const { rows, contents } = await read(ROWS);
    expect(rows).toEqual(ROWS);
    expect(contents).toMatchObject({
      heads: ['classification'],
      labels: ['food', 'glad', 'keen', 'travel'],
      classLabels: ['food', 'glad', 'keen', 'travel'],
      classTasks: [
        { name: 'tone', labels: ['glad', 'keen'], multiLabel: true },
        { name: 'topic', labels: ['food', 'travel'], multiLabel: false },
      ],
      multiLabel: false,
    });
    expect(exampleOf(ROWS[0]!)).toEqual({
      text: 'soup, lovely',
      tasks: [
        { task: 'topic', labels: ['food'], multiLabel: false },
        { task: 'tone', labels: ['glad', 'keen'], multiLabel: true },
      ],
    });
  });

  it('say nothing of a task that is null', async () => {
    const { rows } = await read([{ text: 'a', labels: { topic: 'x', tone: null } }]);
    expect(rows).toEqual([{ text: 'a', labels: { topic: 'x' } }]);
    expect((await read([{ text: 'a', labels: { topic: null } }])).reason).toBe(
      'row 1: labels has no label for any task',
    );
  });

  it.each<JsonObject>([
    { labels: {} },
    { labels: { topic: null } },
    { labels: { topic: '', tone: ' ' } },
    { 'labels.topic': null },
  ])('are left out as unlabelled among others if they are %j', async (empty) => {
    for (const datasetType of ['classification', 'ner'] as const) {
      const { rows, reason, conversion } = await read([ROWS[0]!, { text: 'b', ...empty }, ROWS[1]!], datasetType);
      expect(reason).toBeNull();
      expect(rows).toEqual(ROWS.slice(0, 2));
      expect(conversion.verdict).toMatchObject({ leftOut: { rows: 1, unlabelled: 1 } });
    }
  });

  it.each(['Labels.Topic', 'LABELS.Topic', ' labels.Topic '])('may have the column %j', async (name) => {
    const { rows } = await csv(`Text,"${name}",labels.tone\na,x,glad\n`);
    expect(rows).toEqual([{ text: 'a', labels: { Topic: 'x', tone: 'glad' } }]);
  });

  it('say nothing of a task whose label is empty', async () => {
    const { rows } = await read([{ text: 'a', labels: { topic: ' ', tone: 'glad' } }]);
    expect(rows).toEqual([{ text: 'a', labels: { tone: 'glad' } }]);
  });

  it('are refused beside a label or labels', async () => {
    const problem = (field: string, other: string) => ({
      ...{ row: 1, field },
      reason: `stands beside ${other}; a row has one or the other`,
    });
    expect((await csv('text,label,labels.tone\na,x,glad\nb,y,sad\n')).errors).toContainEqual(
      problem('labels.tone', 'label'),
    );
    const listed = `text,label,labels.tone\na,"['x', 'z']",glad\n`;
    expect((await csv(listed)).errors).toEqual([problem('labels.tone', 'label')]);
    const mapped = await read([{ text: 'a', topic: 'x', tone: 'glad' }], 'classification', {
      'labels.topic': 'topic',
      label: 'tone',
    });
    expect(mapped.errors).toEqual([problem('labels.topic', 'label')]);
    const both = await read([{ text: 'a', labels: ['x'], 'labels.tone': 'glad' }]);
    expect(both.errors).toEqual([problem('labels.tone', 'labels')]);
    const unsaid = await read([{ text: 'a', label: 'x', 'labels.tone': null }]);
    expect(unsaid.rows).toEqual([{ text: 'a', label: 'x' }]);
  });

  it('that are numbers get their names from label_names, in columns or not', async () => {
    const named = (labels: JsonObject) =>
      processed(JSON.stringify({ text: 'a', labels }), {
        datasetType: 'classification',
        labelNames: { 'labels.topic': ['food', 'travel'], 'labels.tone': ['glad', 'keen', 'sad'] },
      });
    expect((await named({ topic: 0, tone: [2, 0] })).rows).toEqual([
      { text: 'a', labels: { topic: 'food', tone: ['sad', 'glad'] } },
    ]);
    expect((await named({ topic: -1, tone: [1, 0, 1] })).rows).toEqual([
      { text: 'a', labels: { tone: ['glad', 'sad'] } },
    ]);
    expect((await named({ topic: 2 })).errors).toEqual([
      { row: 1, field: 'labels.topic', reason: '2 has no name; label_names has names for 0 to 1' },
    ]);
  });

  it.each<[JsonObject, string]>([
    [{ topic: 3 }, 'labels.topic: must be a string, is a number; label_names says which names numbers stand for'],
    [
      { spam: 1, ham: 0 },
      'labels: has 0 or 1 for each name: write the names that the row has, as in {"labels": ["spam"]}; ',
    ],
    [
      { spam: true, ham: true },
      'labels: has 0 or 1 for each name: write the names that the row has, as in {"labels": ["spam","ham"]}',
    ],
    [{ spam: 1 }, 'labels.spam: must be a string, is a number; label_names says'],
    [{ topic: [' '] }, 'labels.topic[0]: is empty'],
    [{ topic: { label: 'x' } }, 'labels.topic: must be a label, or a list of labels, is an object'],
    [{ topic: ['x', 'x'] }, 'labels.topic[1]: "x" is there twice'],
    [{ ' ': 'x' }, 'labels: has a task without a name'],
    [{ entities: 'x' }, 'labels.entities: has a name that answers have for something else; call the task otherwise'],
    [{ classification: 'x' }, 'labels.classification: has a name that answers have for something else; call the task'],
    [{ ['t'.repeat(201)]: 'x' }, ': the task "ttt'],
    [Object.fromEntries(Array.from({ length: 33 }, (_, at) => [`t${at}`, 'x'])), 'labels: has more than 32 tasks'],
  ])('are refused: %j', async (labels, problem) => {
    const { errors } = await read([{ text: 'a', labels }]);
    expect(errors.map(({ field, reason }) => `${field}: ${reason}`.slice(0, problem.length))).toEqual([problem]);
  });

  it('are refused beside rows of another kind, or of another kind for a task', async () => {
    const one = { text: 'a', labels: { topic: 'x' } };
    expect((await read([one, { text: 'b', label: 'y' }])).reason).toBe(
      'row 2: label row 1 has labels by task; the rows of a dataset all have labels by task, or none',
    );
    expect((await read([{ text: 'b', labels: ['y'] }, one])).reason).toBe(
      'row 2: labels row 1 has labels; the rows of a dataset all have labels by task, or none',
    );
    expect((await read([one, one, { text: 'b', labels: { topic: ['x'] } }])).errors).toEqual([
      {
        row: 3,
        field: 'labels.topic',
        reason: 'row 1 has one label for this task; the rows of a dataset all have one label for a task, or all a list',
      },
    ]);
  });

  it('have at most 32 tasks together, none with the name of a structure', async () => {
    const many = Array.from({ length: 33 }, (_, at) => ({ text: 'a', labels: { [`t${at}`]: 'x' } }));
    await expect(read(many)).rejects.toThrow(/labels for more than 32 tasks/);
    const both = [
      { text: 'a', labels: { trip: 'x' } },
      { text: 'Rome', json_structures: [{ trip: { to: 'Rome' } }] },
    ];
    await expect(read(both, 'custom')).rejects.toThrow(/"trip" is a task of labels and a structure/);
  });

  it('are read from columns of their own in CSV', async () => {
    const file = 'text,labels.topic,labels.tone\nsoup,food,"[""glad""]"\ntrain,travel,\n';
    const rows = [
      { text: 'soup', labels: { topic: 'food', tone: ['glad'] } },
      { text: 'train', labels: { topic: 'travel' } },
    ];
    expect((await csv(file)).rows).toEqual(rows);
    const named = file.replace('labels.topic', 'subject');
    expect((await csv(named, { 'labels.topic': 'subject' })).rows).toEqual(rows);
    const numbers = 'text,labels.topic,labels.tone\na,0,x\nb,1,y\n';
    await expect(csv(numbers)).rejects.toThrow('as in {"labels.topic":["negative","positive"]}');
    const names = await processed(numbers, {
      datasetType: 'classification',
      fileName: 'r.csv',
      labelNames: { 'labels.topic': ['food', 'travel'] },
    });
    expect(names.rows).toMatchObject([{ labels: { topic: 'food', tone: 'x' } }, { labels: { topic: 'travel' } }]);
  });

  it('are read from answers of /inference, and from rows of GLiNER2', async () => {
    const answers = [
      {
        text: 'soup',
        result: { topic: { label: 'food', confidence: 0.9 }, tone: [{ label: 'glad', confidence: 0.8 }] },
      },
      { text: 'train', result: { topic: 'travel', tone: [] } },
    ];
    const rows = [
      { text: 'soup', labels: { topic: 'food', tone: ['glad'] } },
      { text: 'train', labels: { topic: 'travel', tone: [] } },
    ];
    expect((await read(answers)).rows).toEqual(rows);
    const one = [{ text: 'soup', result: { topic: 'food' } }];
    expect((await read(one)).rows).toEqual([{ text: 'soup', label: 'food' }]);
    const class_tasks = [
      { name: 'topic', multi_label: false },
      { name: 'tone', multi_label: true },
    ];
    const toned = { text: 'train', result: { tone: [] } };
    const { rows: alone, conversion } = await read([...one, toned].map((row) => ({ ...row, class_tasks })));
    expect(alone).toEqual([
      { text: 'soup', labels: { topic: 'food' } },
      { text: 'train', labels: { tone: [] } },
    ]);
    expect(conversion.verdict).toMatchObject({ contents: { reading: { notes: [] } } });
    const gliner2 = [
      {
        input: 'soup',
        output: {
          classifications: [
            { task: 'topic', labels: ['food', 'travel'], true_label: ['food'] },
            { task: 'tone', labels: ['glad'], true_label: ['glad'], multi_label: true },
          ],
        },
      },
      { input: 'train', output: { classifications: [{ task: 'topic', labels: ['food'], true_label: 'travel' }] } },
    ];
    expect((await read(gliner2)).rows).toEqual([rows[0], { text: 'train', labels: { topic: 'travel' } }]);
  });

  describe('exports', () => {
    const exported = async (shape: keyof typeof EXPORT_SHAPES) => {
      const { contents } = await read(ROWS);
      async function* each() {
        yield* ROWS;
      }
      const file = Buffer.concat(await Array.fromAsync(writeShape(each(), EXPORT_SHAPES[shape], contents!))).toString();
      return { file, leftOut: await leftOutOf(each(), EXPORT_SHAPES[shape], contents!) };
    };

    it('in gliner2 are read back as the same rows', async () => {
      const { file, leftOut } = await exported('gliner2');
      expect((await processed(file, { datasetType: 'classification' })).rows).toEqual(ROWS);
      expect(leftOut).toEqual([]);
    });

    it('in label-studio have choices by the names of the tasks', async () => {
      const { file, leftOut } = await exported('label-studio');
      expect((await processed(file, { datasetType: 'classification' })).rows).toEqual(ROWS.slice(0, 2));
      expect(leftOut).toEqual(['1 classification tasks that a row has no label of']);
    });

    it('in spacy name the task in each category', async () => {
      const rows = JSON.parse((await exported('spacy')).file) as [string, JsonObject][];
      expect(rows.map(([, { cats }]) => cats)).toEqual([
        { 'topic/food': 1, 'topic/travel': 0, 'tone/glad': 1, 'tone/keen': 1 },
        { 'topic/food': 0, 'topic/travel': 1 },
        { 'tone/glad': 0, 'tone/keen': 0 },
      ]);
    });

    it('in openai-chat answer each task', async () => {
      const [line] = (await exported('openai-chat')).file.split('\n');
      const { messages } = JSON.parse(line!) as { messages: { content: string }[] };
      expect(messages[0]!.content).toContain('- "topic": one of "food", "travel"');
      expect(JSON.parse(messages[2]!.content)).toEqual(ROWS[0]!['labels']);
    });
  });
});
