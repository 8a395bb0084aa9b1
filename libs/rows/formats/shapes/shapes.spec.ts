import type { DatasetType } from '#domain/dataset/index.js';
import type { JsonObject } from '#domain/json.js';
import { EXPORT_SHAPES, leftOutOf, writeShape, type ExportShape } from '../index.js';
import { processed } from '../reading.fixture.js';

const text = 'Zoë 🛫 flew from Malmö to New York, York';
const label = 'travel';
const entities = [
  { text: 'Zoë', label: 'person', start: 0 },
  { text: 'Malmö', label: 'city', start: 16 },
  { text: 'New York', label: 'city', start: 25 },
];
const pairs = [
  ['Zoë', 'person'],
  ['Malmö', 'city'],
];
const relations = [{ flew_from: { head: 'Zoë', tail: 'Malmö' } }];
const json_structures = [{ trip: { who: 'Zoë', to: ['New York', 'York'] } }];

async function exported(shape: ExportShape, rows: readonly JsonObject[], datasetType: DatasetType = 'ner') {
  const source = rows.map((row) => JSON.stringify(row)).join('\n');
  const { rows: stored, contents, reason } = await processed(source, { datasetType });
  expect(reason).toBeNull();
  async function* each() {
    yield* stored as readonly JsonObject[];
  }
  const file = Buffer.concat(await Array.fromAsync(writeShape(each(), shape, contents!))).toString();
  return { file, leftOut: await leftOutOf(each(), shape, contents!) };
}

describe('exports in the layouts of other tools', () => {
  it.each<[keyof typeof EXPORT_SHAPES, readonly JsonObject[]]>([
    [
      'spacy',
      [
        { text, entities, label },
        { text: 'b', entities: [], label: 'other' },
      ],
    ],
    [
      'label-studio',
      [
        { text, entities, label, relations },
        { text: 'b', label: 'other' },
      ],
    ],
    [
      'gliner2',
      [
        { text, entities: pairs, label, json_structures, relations },
        { text: 'b', label: 'other' },
      ],
    ],
  ])('in %s are read back as the same rows, and leave out nothing', async (name, rows) => {
    const { file, leftOut } = await exported(EXPORT_SHAPES[name], rows);
    const read = await processed(file);
    expect(read.reason).toBeNull();
    expect(read.rows).toEqual(rows);
    expect(read.contents?.reading?.layout).toBe(name);
    expect(leftOut).toEqual([]);
  });

  it('in openai-chat are read back as chats, also those of labelled texts and of pairs of answers', async () => {
    const messages = [
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: 'Hello' },
    ];
    const chats = await exported(EXPORT_SHAPES['openai-chat'], [{ messages }], 'decoder');
    expect(JSON.parse(chats.file)).toEqual({ messages });
    const preferences = [{ prompt: messages.slice(0, 1), chosen: 'Hello', rejected: 'No' }];
    const compared = await exported(EXPORT_SHAPES['openai-chat'], preferences, 'decoder');
    expect(JSON.parse(compared.file)).toEqual({
      input: { messages: messages.slice(0, 1) },
      preferred_output: [{ role: 'assistant', content: 'Hello' }],
      non_preferred_output: [{ role: 'assistant', content: 'No' }],
    });
    const tool = { type: 'function', function: { name: 'greet' } };
    const row = {
      messages: [messages[0], { ...messages[1], weight: 0 }, ...messages],
      tools: [tool],
      parallel_tool_calls: true,
    };
    const withTools = await exported(EXPORT_SHAPES['openai-chat'], [row] as unknown as JsonObject[], 'decoder');
    expect([JSON.parse(withTools.file), withTools.leftOut]).toEqual([row, []]);
    const task = await exported(EXPORT_SHAPES['openai-chat'], [{ text, entities, label, json_structures, relations }]);
    const { rows, reason } = await processed(task.file, { datasetType: 'decoder' });
    expect(reason).toBeNull();
    const [system, user, assistant] = rows[0]!.messages as { role: string; content: string }[];
    expect([system!.role, user!.content]).toEqual(['system', text]);
    expect(system!.content).toContain('"city", "person"');
    expect(JSON.parse(assistant!.content)).toEqual({
      entities: { person: ['Zoë'], city: ['Malmö', 'New York'] },
      classification: label,
      structures: { trip: [json_structures[0]!.trip] },
      relation_extraction: { flew_from: [relations[0]!.flew_from] },
    });
  });

  it('in conll have a tag for each token, even if an entity ends inside a word', async () => {
    const rows = [
      {
        text: 'Ada-Lovelace met\nBob.',
        entities: [
          ['Ada', 'first name'],
          ['Bob', 'person'],
        ],
      },
      { text: 'nobody', entities: [] },
    ] as readonly JsonObject[];
    const { file, leftOut } = await exported(EXPORT_SHAPES.conll, rows);
    expect(file).toBe('Ada B-first_name\n- O\nLovelace O\nmet O\nBob B-person\n. O\n\nnobody O\n\n');
    expect(leftOut).toEqual(['white space between tokens']);
  });

  it('report the parts that they omit', async () => {
    const rows = [
      { text, entities: [['New York', 'city'], { text: 'York', label: 'name', start: 29 }], note: 'ü' },
      { text: 'b', label: 'other', relations: [{ met: { head: 'b', tail: 'b' } }] },
    ] as readonly JsonObject[];
    const leftOut = async (name: keyof typeof EXPORT_SHAPES) => (await exported(EXPORT_SHAPES[name], rows)).leftOut;
    expect(await leftOut('conll')).toEqual([
      ...['classification', 'relations', 'columns "note"', 'white space between tokens'],
      ...['1 entities that overlap longer ones', '1 rows without entities'],
    ]);
    expect(await leftOut('spacy')).toEqual(['relations', 'columns "note"', '1 entities that overlap longer ones']);
    expect(await leftOut('label-studio')).toEqual(['columns "note"', '1 relations of texts that are no entities']);
    expect(await leftOut('gliner2')).toEqual(['columns "note"', '1 places of entities']);
  });
});
