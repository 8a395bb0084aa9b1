import { processed } from '../../reading.fixture.js';
import { readAs } from '../reading.js';

const text = 'Ada met Bob in Paris';
const ada = { text: 'Ada', label: 'person', start: 0 };
const paris = { text: 'Paris', label: 'city', start: 15 };
const lines = (...rows: readonly unknown[]) => rows.map((row) => JSON.stringify(row)).join('\n');
const read = async (...rows: readonly unknown[]) => {
  const { rows: made, reason, contents } = await processed(lines(...rows));
  expect(reason).toBeNull();
  return { rows: made, as: contents && readAs(contents) };
};

describe('texts with spans', () => {
  it.each<[string, object]>([
    [
      '[start, end, label]',
      {
        entities: [
          [0, 3, 'person'],
          [15, 20, 'city'],
        ],
      },
    ],
    [
      'start and end',
      {
        entities: [
          { start: 0, end: 3, label: 'person' },
          { start: 15, end: 20, label: 'city' },
        ],
      },
    ],
    ['a list for each key', { entities: { start: [0, 15], end: [3, 20], label: ['person', 'city'], id: [1, 2] } }],
    [
      'offset and length of Azure',
      {
        entities: [
          { offset: 0, length: 3, category: 'person', text: 'Ada' },
          { offset: 15, length: 5, category: 'city' },
        ],
      },
    ],
    [
      'the keys of Comprehend',
      {
        Entities: [
          { BeginOffset: 0, EndOffset: 3, Score: 0.9, Text: 'Ada', Type: 'person' },
          { BeginOffset: 15, EndOffset: 20, Score: 0.8, Text: 'Paris', Type: 'city' },
        ],
      },
    ],
    [
      'offsets as text',
      {
        entities: [['0', '3', 'person'], { start: '15', end: '20', label: 'city' }],
      },
    ],
    [
      'entity beside type',
      {
        spans: [
          { start: 0, end: 3, entity: 'Ada', type: 'person' },
          { startOffset: 15, endOffset: 20, entity: 'city' },
        ],
      },
    ],
    ['start_offset and end_offset', { label: [{ start_offset: 0, end_offset: 3, label: 'person' }, [15, 20, 'city']] }],
    [
      'the positions of Presidio',
      {
        spans: [
          { entity_type: 'person', entity_value: 'Ada', start_position: 0, end_position: 3 },
          { entity_type: 'city', entity_value: 'Paris', start_position: 15, end_position: 20 },
        ],
      },
    ],
    ['labels in a list', { spans: [{ start: 0, end: 3, text: 'Ada', labels: ['person'] }, [15, 20, 'city']] }],
    [
      'entity_group and word',
      { entities: [{ start: 0, end: 3, word: 'Ada', entity_group: 'person', score: 0.9 }, [15, 20, 'city']] },
    ],
  ])('are taken from %s', async (_name, spans) => {
    const { rows, as } = await read({ text, ...spans, id: 7 });
    expect(rows).toEqual([{ text, entities: [ada, paris], id: 7 }]);
    const score = /"score"/i.exec(JSON.stringify(spans))?.[0];
    expect(as).toBe(`texts with spans, 1 rows${score === undefined ? '' : `, 1 column not used: ${score}`}`);
  });

  it.each<[string, object]>([
    ['entity and type', { entities: [{ entity: 'Ada', type: 'person' }] }],
    ['name and type', { entities: [{ name: 'Ada', type: 'person', id: 4 }] }],
    ['word and entity_group', { ner: [{ word: 'Ada', entity_group: 'person' }] }],
    ['value and entity', { annotations: [{ value: 'Ada', entity: 'person' }] }],
    ['several labels', { entities: [{ span: 'Ada', labels: ['person'] }] }],
    ['a list for each key', { entities: { text: ['Ada'], type: ['person'] } }],
  ])('may have no offsets: %s', async (_name, given) => {
    const { rows, as } = await read({ text, ...given });
    expect(rows).toEqual([{ text, entities: [['Ada', 'person']] }]);
    expect(as).toBe('texts with spans, 1 rows');
  });

  it('are told from answers by their label', async () => {
    const { rows } = await read({ text, entities: { text: ['Ada'], type: ['Bob'] } });
    expect(rows).toEqual([
      {
        text,
        entities: [
          ['Ada', 'text'],
          ['Bob', 'type'],
        ],
      },
    ]);
  });

  it('have the offsets that their entries give beside a text', async () => {
    const twice = 'Ada, Ada';
    const { rows } = await read({ text: twice, entities: [{ text: 'Ada', label: 'person', offset: 5, length: 3 }] });
    expect(rows).toEqual([{ text: twice, entities: [{ text: 'Ada', label: 'person', start: 5 }] }]);
  });

  it("may be mixed with rows without any, and with Anneal's own rows", async () => {
    const own = { text: 'Eve', entities: [['Eve', 'person']] };
    const { rows } = await read({ text, entities: [] }, own, { text, entities: [[0, 3, 'person']] });
    expect(rows).toEqual([{ text, entities: [] }, own, { text, entities: [ada] }]);
  });

  it('are none if their list is empty, whatever its name', async () => {
    const file = [
      { text, spans: [[0, 3, 'person']] },
      { text, spans: [] },
    ];
    expect((await read(...file)).rows).toEqual([
      { text, entities: [ada] },
      { text, entities: [] },
    ]);
  });

  it('that teach nothing are reported', async () => {
    const { rows, as } = await read({
      text,
      entities: [
        [0, 3, 'person'],
        [4, 4, 'city'],
        [4, 7, []],
      ],
    });
    expect(rows).toEqual([{ text, entities: [ada] }]);
    expect(as).toBe('texts with spans, 1 rows, 1 empty spans left out, 1 spans without a label left out');
  });

  it.each([
    [[[0, 3, 4]], 'entities[0] has the label 4: a number of a class, whose name is not in the file'],
    [[[0, 3]], 'entities[0] must have a label that is a string, not null'],
    [[[3, 0, 'x']], 'entities[0] must have a start and an end, whole numbers from 0'],
    [[[0, 30, 'x']], 'entities[0] 0 to 30 lies outside text, which has 20 characters'],
  ])('are refused as %j', async (entities, reason) => {
    expect((await processed(lines({ text, entities }))).reason).toBe(`row 1: ${reason}`);
  });

  describe('with a text of their own', () => {
    const selected = [
      ['a line break', 'Ship to:\nAnna Maria\n12 High Street', 9, 34, 'Anna Maria\\n12 High Street'],
      ['a tab', 'Name:\tAnna\tKyiv', 6, 15, 'Anna Kyiv'],
      ['two blanks', 'Berlin,  Germany', 0, 16, 'Berlin, Germany'],
      ['a blank that does not break', 'a\u00a010\u00a0km', 2, 7, '10 km'],
      ['CRLF', 'Anna\r\nKyiv', 0, 10, 'Anna\nKyiv'],
      ['blocks', 'Anna\n\nKyiv', 0, 10, 'AnnaKyiv'],
      ['a word and its blank', 'in Kyiv now', 3, 7, 'Kyiv '],
    ] as const;

    it.each(selected)(
      'are where their offsets say, when browsers give %s otherwise',
      async (_what, text, start, end, given) => {
        for (const span of [
          { value: given, tag: 'x' },
          { text: given, label: 'x' },
        ]) {
          const { rows } = await processed(lines({ text, spans: [{ start, end, ...span }] }));
          expect(rows).toEqual([{ text, entities: [{ text: text.slice(start, end), label: 'x', start }] }]);
        }
        const own = await processed(lines({ text, entities: [{ text: given, label: 'x', start, end }] }));
        expect(own.rows).toEqual([{ text, entities: [{ text: text.slice(start, end), label: 'x', start, end }] }]);
      },
    );

    const wrong = { start: 1, end: 4, value: 'Ada', label: 'x' };

    it('are left out and counted when another text stands there', async () => {
      const right = { start: 15, end: 20, value: 'Paris', label: 'city' };
      const { rows, as } = await read({ text, entities: [right, wrong] });
      expect(rows).toEqual([{ text, entities: [paris] }]);
      expect(as).toBe('texts with spans, 1 rows, 1 spans left out whose text does not stand at their offsets');
    });

    it('are refused when another text stands at most of their offsets', async () => {
      await expect(processed(lines({ text, entities: [wrong] }))).rejects.toThrow(
        'row 1: entities[0] "Ada" does not stand at 1 to 4, where text has "da "',
      );
    });

    it('count line breaks as one character where only that gives their texts', async () => {
      const text = 'To:\r\nAnna\r\nKyiv';
      const entities = [
        { start: 4, end: 8, value: 'Anna', label: 'x' },
        { start: 9, end: 13, value: 'Kyiv', label: 'y' },
      ];
      const { rows } = await processed(lines({ text, entities }));
      expect(rows).toEqual([
        {
          text,
          entities: [
            { text: 'Anna', label: 'x', start: 5 },
            { text: 'Kyiv', label: 'y', start: 11 },
          ],
        },
      ]);
    });
  });

  describe('behind an emoji', () => {
    const happy = '😀 Ada met 😀 Bob';
    const found = [{ text: 'Bob', label: 'person', start: 12 }];

    it('are read as code points or UTF-16, whichever matches the words', async () => {
      expect((await read({ text: happy, entities: [{ start: 12, end: 15, label: 'person' }] })).rows).toEqual([
        { text: happy, entities: [{ text: 'Bob', label: 'person', start: 12 }] },
      ]);
    });

    it.each([
      ['code points', 12],
      ['UTF-16', 14],
    ])('are read as %s if only those match words', async (_unit, start) => {
      const { rows } = await read({ text: `${happy} in`, entities: [[start, start + 3, 'person']] });
      expect(rows).toEqual([{ text: `${happy} in`, entities: found }]);
    });

    it('are read by their own text, even inside words', async () => {
      const inWord = '😀 xAdax';
      const { rows } = await read({ text: inWord, entities: [{ start: 4, end: 7, text: 'Ada', label: 'person' }] });
      expect(rows).toEqual([{ text: inWord, entities: [{ text: 'Ada', label: 'person', start: 3 }] }]);
    });

    it('are read as other rows prove, if both units fit', async () => {
      const both = '😀 a b c';
      const proof = { text: '😀 Ada met', entities: [{ start: 3, end: 6, label: 'person' }] };
      const { rows } = await read({ text: both, entities: [[5, 6, 'letter']] }, proof);
      expect(rows[0]).toEqual({ text: both, entities: [{ text: 'b', label: 'letter', start: 4 }] });
    });

    it('are reported if nothing proves their unit', async () => {
      const { as } = await read({ text, entities: [[0, 3, 'x']] }, { text: '😀 ( ( (', entities: [[4, 5, 'x']] });
      expect(as).toMatch(/1 where offsets may also be UTF-16$/);
    });

    it('are refused if rows contradict each other', async () => {
      const row = (start: number) => ({ text: '😀 Ada met', entities: [[start, start + 3, 'person']] });
      await expect(processed(lines(row(2), row(3)))).rejects.toThrow(
        'the offsets of row 1 count code points, and those of row 2 UTF-16 code units',
      );
    });

    it('are refused if a later row disproves the unit assumed for an earlier one', async () => {
      const early = { text: '😀 a b c', entities: [[5, 6, 'letter']] };
      const late = { text: '😀 Ada met', entities: [{ start: 3, end: 6, label: 'person' }] };
      const plain = Array.from({ length: 200 }, () => ({ text, entities: [[0, 3, 'person']] }));
      await expect(processed(lines(early, ...plain, late))).rejects.toThrow(
        'the offsets of row 202 count UTF-16 code units, which was not known when row 1 was read, where both fit',
      );
    });
  });

  it('with ends that are the last character are read so if that matches the words, and only so', async () => {
    const entities = [
      [0, 2, 'person'],
      [15, 18, 'city'],
    ];
    for (const count of [1, 5]) {
      const { rows, as } = await read(
        ...Array.from({ length: count }, () => ({ text: 'Ada met Bob in Rome x', entities })),
      );
      expect(rows[0]).toMatchObject({ entities: [{ text: 'Ada' }, { text: 'Rome' }] });
      expect(as).toBe(`texts with spans, ${count} rows, ${2 * count} spans whose end is their last character`);
    }
    const letter = {
      text: 'x is Ada',
      entities: [
        [0, 0, 'letter'],
        [5, 7, 'person'],
      ],
    };
    const doccano = { id: 1, text: 'x is Ada', label: letter.entities };
    for (const row of [letter, doccano])
      expect((await read(row, row)).rows[0]).toMatchObject({ entities: [{ text: 'x' }, { text: 'Ada' }] });
    const quoted = { text, entities: [{ start: 0, end: 2, label: 'x', value: 'Ad' }] };
    expect((await read(quoted)).rows).toMatchObject([{ entities: [{ text: 'Ad' }] }]);
    const proven = { text, entities: [{ start: 0, end: 2, label: 'x', value: 'Ada' }] };
    expect((await read(proven)).rows).toMatchObject([{ entities: [{ text: 'Ada' }] }]);
    const chinese = Array.from({ length: 5 }, () => ({ text: '我在北京工作', entities: [[2, 4, 'city']] }));
    expect((await read(...chinese)).rows).toHaveLength(5);
  });

  it('in bytes of UTF-8 are read so if that matches the words', async () => {
    const bytes = (row: string, word: string) => Buffer.byteLength(row.slice(0, row.indexOf(word)));
    const rowOf = (row: string, ...words: readonly string[]) => ({
      text: row,
      entities: words.map((word) => [bytes(row, word), bytes(row, word) + Buffer.byteLength(word), 'x']),
    });
    const { rows, as } = await read(
      rowOf('Zoë flew to Malmö', 'Zoë', 'Malmö'),
      rowOf('Ada met Bob', 'Bob'),
      rowOf('Ünal 🛫 Göteborg now', 'Ünal', 'Göteborg'),
    );
    const words = rows.map((row) => (row as { entities: { text: string }[] }).entities.map((each) => each.text));
    expect(words).toEqual([['Zoë', 'Malmö'], ['Bob'], ['Ünal', 'Göteborg']]);
    expect(as).toBe('texts with spans, 3 rows, 5 spans with offsets in bytes of UTF-8');
  });

  describe('beside their text, as native entities', () => {
    const native = (row: string, word: string, by: 'usual' | 'bytes' | 'inclusive') => {
      const count = (part: string) => (by === 'bytes' ? Buffer.byteLength(part) : [...part].length);
      const start = count(row.slice(0, row.indexOf(word)));
      const end = start + count(word) - (by === 'inclusive' ? 1 : 0);
      return { text: row, entities: [{ text: word, label: 'x', start, end }] };
    };
    const said = [
      ['Zoë met Bob', 'Bob'],
      ['Ada met Bob', 'Bob'],
      ['Ünal 🛫 Göteborg now', 'Göteborg'],
      ['café noir', 'café'],
    ] as const;

    it.each([
      ['bytes', '3 spans with offsets in bytes of UTF-8'],
      ['inclusive', '4 spans whose end is their last character'],
    ] as const)('are converted where they count %s', async (by, note) => {
      const { rows, as } = await read(...said.map(([row, word]) => native(row, word, by)));
      expect(rows.map((row) => (row as { entities: { text: string }[] }).entities.map((each) => each.text))).toEqual(
        said.map(([, word]) => [word]),
      );
      expect(as).toBe(`texts with spans, 4 rows, ${note}`);
    });

    it.each([
      ['bytes', 'entities[0].start "Göteborg" does not stand at character 11'],
      ['inclusive', 'entities[0].end must be start + 8, the length of "Göteborg"'],
    ] as const)('are wrong where a few count %s', async (by, reason) => {
      const rows = said.map(([row, word], at) => native(row, word, at === 2 ? by : 'usual'));
      expect((await processed(lines(...rows))).reason).toBe(`row 3: ${reason}`);
    });

    it('are as they are where nothing is wrong', async () => {
      const rows = said.map(([row, word]) => native(row, word, 'usual'));
      expect(await read(...rows)).toEqual({ rows, as: null });
    });
  });

  it('are spans where most rows have none', async () => {
    for (const span of [[0, 3, 'person'], { start: 0, end: 3, label: 'person' }]) {
      const none = ['It rained', 'Nobody came', 'Later'].map((each) => ({ text: each, label: [] }));
      const { rows } = await read(...none, { text, label: [span] });
      expect(rows).toEqual([...none.map((row) => ({ text: row.text, entities: [] })), { text, entities: [ada] }]);
    }
  });

  it('are refused if most cut words however they are counted', async () => {
    const none = Array.from({ length: 5 }, () => ({ text, entities: [[1, 2, 'person']] }));
    await expect(processed(lines(...none))).rejects.toThrow(
      '5 of 5 spans begin or end inside a word, first in row 1, where 1 to 2 is "d", and with the character at 2 "da"',
    );
  });

  it("are not converted if `format` declares Anneal's own rows", async () => {
    const { reason } = await processed(lines({ text, entities: [[0, 3, 'person']] }), { layout: 'rows' });
    expect(reason).toMatch('entities[0] must be [span, label]');
  });

  it('have their columns renamed by column_mapping first', async () => {
    const { rows } = await processed(lines({ body: text, marks: [[0, 3, 'person']] }), {
      columnMapping: { text: 'body', entities: 'marks' },
    });
    expect(rows).toEqual([{ text, entities: [ada] }]);
  });
});
