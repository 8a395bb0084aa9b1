import { drain } from '../../steps.js';
import { Choices } from './choices.js';
import { fieldsOf, labelOf, shapesOf, taggedRows } from './fields.js';
import { groupRecords } from './grouping.js';
import { tripRow } from './trips.fixture.js';

describe('records of a structure', () => {
  const FIELDS = [
    { name: 'title', isList: false },
    { name: 'price', isList: false },
    { name: 'author', isList: true },
  ];
  const grouped = (fields: readonly string[]) =>
    groupRecords(
      fields.map((field, start) => ({ field, start })),
      FIELDS,
    ).map((record) => record.map(({ field }) => field).join(' '));

  it.each([
    ['a scalar field that comes again begins the next record', ['title', 'price', 'title'], ['title price', 'title']],
    ['a list takes all its values', ['title', 'author', 'author'], ['title author author']],
    ['a field that a record lacks splits nothing', ['title', 'title', 'price'], ['title', 'title price']],
    ['the first field may be any', ['price', 'title', 'price', 'title'], ['price title', 'price title']],
    ['no values make no record', [], []],
  ])('%s', (_what, fields, records) => {
    expect(grouped(fields)).toEqual(records);
  });

  it('are in text order, whatever the order of their values', () => {
    const values = [
      { field: 'price', start: 9 },
      { field: 'title', start: 0 },
      { field: 'title', start: 5 },
    ];
    expect(groupRecords(values, FIELDS).map((record) => record.map(({ start }) => start))).toEqual([[0], [5, 9]]);
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
    const earlier = [
      { name: 'trip', fields: [{ name: 'to', isList: true }] },
      { name: 'hotel', fields: [{ name: 'city', isList: false }] },
    ];
    expect(shapesOf(rows, earlier)).toEqual([
      { name: 'hotel', fields: [{ name: 'city', isList: false }] },
      {
        name: 'trip',
        fields: [
          { name: 'from', isList: false },
          { name: 'to', isList: true },
          { name: 'with', isList: true },
        ],
      },
    ]);
  });
});

describe('choices', () => {
  const nearestChoice = (value: string, choices: readonly string[]) => drain(new Choices(choices).nearest(value));

  it.each([
    ['Business', 'business', 1],
    ['in business', 'business class', 0.5],
    ['buisness', 'business', 0.5],
  ])('match %s to %s', (value, choice, likeness) => {
    const nearest = nearestChoice(
      value,
      ['economy', 'business class', 'business'].filter((each) => each !== 'business' || choice === 'business'),
    );
    expect(nearest?.choice).toBe(choice);
    expect(nearest!.likeness).toBeGreaterThanOrEqual(likeness);
  });

  it.each(['C#', ' c# '])('are distinguished by symbols if one is spelled like the value: %j', (value) => {
    expect(nearestChoice(value, ['C', 'C++', 'C#'])).toEqual({ choice: 'C#', likeness: 1 });
  });

  it('do not match a value of other symbols alone', () => {
    expect(nearestChoice('++', ['--', '##'])).toBeNull();
  });

  it('are compared in steps of fifty, and once for each value', () => {
    const choices = new Choices(Array.from({ length: 1_000 }, (_, index) => `choice ${index}`));
    const stepsFor = (value: string) => [...choices.nearest(value)].length;
    expect([stepsFor('chosen'), stepsFor('Chosen'), stepsFor('other')]).toEqual([20, 0, 20]);
  });

  it('do not match without a shared word or run of characters', () => {
    expect(nearestChoice('xyz', ['economy'])).toBeNull();
  });
});
