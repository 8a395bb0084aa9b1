import { processed } from '../../reading.fixture.js';
import { readAs } from '../reading.js';

const text = 'Ada met Bob in Rome';
const read = async (file: string) => {
  const { rows, reason, contents, conversion } = await processed(file);
  const leftOut = 'leftOut' in conversion.verdict ? conversion.verdict.leftOut : null;
  return { rows, reason, as: contents && readAs(contents, leftOut ?? undefined) };
};
const jsonl = (...rows: readonly unknown[]) => rows.map((row) => JSON.stringify(row)).join('\n');
const csv = (...cells: readonly string[]) =>
  ['text,entities', ...cells.map((cell) => `${text},"${cell.replaceAll('"', '""')}"`)].join('\n');

describe('texts by their label', () => {
  it.each<[string, object | null, readonly unknown[]]>([
    ['lists', { PER: ['Ada', 'Bob'], LOC: ['Rome'] }, ['Ada', 'Bob', 'Rome']],
    ['null for a label without any', { PER: ['Ada'], LOC: null }, ['Ada']],
    ['null for each label', { PER: null, LOC: null }, []],
    ['one text', { PER: 'Ada', LOC: null }, ['Ada']],
    ['no label', {}, []],
  ])('may have %s', async (_name, entities, texts) => {
    for (const file of [
      jsonl({ text, entities }, { text, entities: { PER: ['Bob'] } }),
      csv(JSON.stringify(entities), '{"PER": ["Bob"]}'),
      csv(JSON.stringify(entities).replaceAll('"', "'").replaceAll('null', 'None'), "{'PER': ['Bob']}"),
    ]) {
      const { rows, reason } = await read(file);
      expect(reason).toBeNull();
      expect((rows[0] as { entities: [string, string][] }).entities.map(([each]) => each)).toEqual(texts);
    }
  });

  it.each([
    [
      [0, 3],
      [8, 11],
    ],
    [
      { start: 0, end: 3 },
      { start: 8, end: 11 },
    ],
  ])('may be offsets: %j, %j', async (first, second) => {
    const { rows } = await read(jsonl({ text, entities: { PER: [first, second], LOC: [] } }));
    expect(rows).toEqual([
      {
        text,
        entities: [
          { text: 'Ada', label: 'PER', start: 0 },
          { text: 'Bob', label: 'PER', start: 8 },
        ],
      },
    ]);
  });

  it('may have null in rows of GLiNER2', async () => {
    const { rows } = await read(jsonl({ input: text, output: { entities: { PER: ['Ada'], LOC: null } } }));
    expect(rows).toEqual([{ text, entities: [['Ada', 'PER']] }]);
  });

  it('are left out as unlabelled where a row has none, and may stand among pairs', async () => {
    const pairs = { text, entities: [['Ada', 'PER']] };
    expect(await read(jsonl({ text, entities: { PER: ['Ada'] } }, { text, entities: null }, pairs))).toMatchObject({
      rows: [pairs, pairs],
      as: expect.stringContaining('1 without an answer; 1 of 3 rows left out, without a label'),
    });
  });

  it('are refused with the text of a cell that is neither JSON nor of Python', async () => {
    expect((await read(csv("{'PER': ['Ada']}", "[Entity('Bob')]"))).reason).toBe(
      `row 2: entities must be an object with a list of texts for each label, is the text "[Entity('Bob')]"`,
    );
  });

  it('are no entity as an object', async () => {
    expect((await read(jsonl({ text, entities: { text: 'Ada', label: 'PER' } }))).reason).toBe(
      'row 1: entities must be a list, is an object',
    );
  });
});
