import { Choices } from './choices.js';
import { shapesOf, taggedRows } from './fields.js';
import { groupRecords } from './grouping.js';
import { layoutOf, NO_LAYOUT, type Layout } from './layout.js';
import { fieldsOf, labelOf } from './names.js';
import { tripRow } from './trips.fixture.js';

describe('records of a structure', () => {
  const FIELDS = [
    { name: 'title', isList: false },
    { name: 'price', isList: false },
    { name: 'author', isList: true },
  ];
  const shape = (layout: Layout = NO_LAYOUT) => ({ name: 'book', fields: FIELDS, layout });
  const valueAt = (field: string, start: number) => ({ field, start, hit: { end: start + 1 } });
  const grouped = (text: string, values: readonly ReturnType<typeof valueAt>[], layout?: Layout) =>
    groupRecords(text, values, shape(layout)).map((record) => record.map(({ field }) => field).join(' '));

  it.each([
    ['a scalar field that comes again begins the next record', ['title', 'price', 'title'], ['title price', 'title']],
    ['a list takes all its values', ['title', 'author', 'author'], ['title author author']],
    ['a field that a record lacks splits nothing', ['title', 'title', 'price'], ['title', 'title price']],
    ['the first field may be any', ['price', 'title', 'price', 'title'], ['price title', 'price title']],
    ['no values make no record', [], []],
  ])('%s', (_what, fields, records) => {
    expect(grouped('', fields.map(valueAt))).toEqual(records);
  });

  it('are in text order, whatever the order of their values', () => {
    const values = [valueAt('price', 9), valueAt('title', 0), valueAt('title', 5)];
    const records = groupRecords('', values, shape());
    expect(records.map((record) => record.map(({ start }) => start))).toEqual([[0], [5, 9]]);
  });

  describe('where the rows showed a layout', () => {
    const LETTERS = new Map([
      ['T', 'title'],
      ['P', 'price'],
      ['A', 'author'],
    ]);
    /** @param text has a letter for each value */
    const groupedBy = (layout: Partial<Layout>, text: string) => {
      const values = [...text].flatMap((letter, at) => {
        const field = LETTERS.get(letter);
        return field === undefined ? [] : [valueAt(field, at)];
      });
      return grouped(text, values, { ...NO_LAYOUT, ...layout });
    };

    it('a field that is missing shifts none that follow', () => {
      const order = [['title', 'price']] as const;
      expect(groupedBy({ order }, 'soup P, T P')).toEqual(['price', 'title price']);
      expect(groupedBy({ order }, 'T P A, T P')).toEqual(['title price author', 'title price']);
      expect(groupedBy({}, 'soup P, T P')).toEqual(['price title', 'price']);
    });

    it('a record ends with its line', () => {
      expect(groupedBy({ endsWithLine: true }, 'T 1\n2 P\nT P')).toEqual(['title', 'price', 'title price']);
    });

    it('a record ends before a value that is far away', () => {
      expect(groupedBy({ farApart: 9 }, 'T P and also, T but it costs P')).toEqual(['title price', 'title', 'price']);
    });
  });
});

describe('the layout of records', () => {
  const TRIPS = [
    { from: 'Oslo', to: 'Rome' },
    { from: 'Lima', to: 'Kyiv' },
  ];
  const layout = (rows: number, write: Parameters<typeof tripRow>[1]) =>
    layoutOf(
      Array.from({ length: rows }, () => tripRow(TRIPS, write)),
      'trip',
    );

  it('tells the order of fields, the distance between records, and whether records are lines', () => {
    const { order, ...cues } = layout(8, (trip) =>
      [0, 1].map((each) => `${trip(each, 'from')} to ${trip(each, 'to')}`).join(' \nthen '),
    );
    expect(order).toEqual([['from', 'to']]);
    expect(cues).toEqual({ endsWithLine: true, farApart: ' \nthen '.length });
  });

  it('tells nothing if rows are few or disagree', () => {
    const inLine = (trip: Parameters<Parameters<typeof tripRow>[1]>[0]) =>
      `${trip(0, 'from')} to ${trip(0, 'to')}, to ${trip(1, 'to')} from ${trip(1, 'from')}`;
    expect(layout(3, inLine)).toEqual(NO_LAYOUT);
    expect(layout(20, inLine)).toEqual({ order: [], endsWithLine: false, farApart: null });
  });
});

describe('labels of values', () => {
  it('name every field of a span, whatever characters the names contain', () => {
    const fields = [
      { structure: 'trip.x', field: 'to "where"' },
      { structure: 'trip', field: 'x.to' },
      { structure: '旅行', field: '行き先' },
    ];
    expect(fieldsOf(labelOf(fields))).toEqual(expect.arrayContaining(fields));
    expect(labelOf([...fields, ...fields].reverse())).toBe(labelOf(fields));
  });

  it('are one for a span shared by two records or two structures', () => {
    const text = 'Ann goes';
    const field = (name: string) => ({ name, isList: false, values: [{ start: 0, end: 3 }] });
    const [row] = taggedRows([
      {
        text,
        structures: [
          { name: 'trip', fields: [field('who')] },
          { name: 'stay', fields: [field('guest')] },
          { name: 'trip', fields: [field('who')] },
        ],
      },
    ]);
    expect(row!.entities).toEqual([
      {
        start: 0,
        end: 3,
        label: labelOf([
          { structure: 'trip', field: 'who' },
          { structure: 'stay', field: 'guest' },
        ]),
      },
    ]);
  });

  it('omit rows without structures', () => {
    expect(taggedRows([{ text: 'a' }, { text: 'b', structures: [] }])).toEqual([{ text: 'b', entities: [] }]);
  });
});

describe('shapes of structures', () => {
  it('have each field of any row, lists where any row has a list, and the fields of an earlier model', () => {
    const rows = [
      tripRow([{ from: 'A', to: 'B' }], (trip) => `${trip(0, 'from')} ${trip(0, 'to')}`),
      tripRow(
        [{ from: 'A', to: 'B', with: ['C'] }],
        (trip) => `${trip(0, 'from')} ${trip(0, 'to')} ${trip(0, 'with')}`,
      ),
    ];
    const layout = { ...NO_LAYOUT, endsWithLine: true };
    const earlier = [
      { name: 'trip', fields: [{ name: 'to', isList: true }], layout },
      { name: 'hotel', fields: [{ name: 'city', isList: false }], layout },
    ];
    expect(shapesOf(rows, rows, earlier)).toEqual([
      { name: 'hotel', fields: [{ name: 'city', isList: false }], layout },
      {
        name: 'trip',
        fields: [
          { name: 'from', isList: false },
          { name: 'to', isList: true },
          { name: 'with', isList: true },
        ],
        layout: NO_LAYOUT,
      },
    ]);
  });
});

describe('choices', () => {
  const found = (value: string, choices: readonly string[]) => new Choices(choices).find(value);

  it.each([
    ['Business', ['economy', 'business'], 'business'],
    [' non-stop.', ['direct', 'Non stop'], 'Non stop'],
    ['C#', ['C', 'C++', 'C#'], 'C#'],
    ['c', ['C', 'C++', 'C#'], 'C'],
  ])('are found whatever the case and punctuation: %j in %j', (value, choices, choice) => {
    expect(found(value, choices)).toBe(choice);
  });

  it.each([
    ['paid', ['unpaid', 'open']],
    ['male', ['female']],
    ['business', ['business class']],
    ['Buisness', ['business']],
    ['c.', ['C++', 'C#']],
    ['++', ['--', '##']],
  ])('are not guessed by likeness of letters: %j in %j', (value, choices) => {
    expect(found(value, choices)).toBeNull();
  });
});
