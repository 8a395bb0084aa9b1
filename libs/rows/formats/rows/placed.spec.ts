import { placeRecords, placeRelations } from './placed.js';

const shown = (text: string, { start, end }: { readonly start: number; readonly end: number }) =>
  `${text.slice(start, end)}@${start}`;

describe('values of structures', () => {
  const placed = (text: string, instances: readonly object[]) =>
    placeRecords(text, instances as never).map(({ name, fields }) => ({
      [name]: Object.fromEntries(fields.map((field) => [field.name, field.values.map((value) => shown(text, value))])),
    }));

  it('are placed at their occurrences, each occurrence once', () => {
    const text = 'Rome to Oslo, Rome to Lima';
    expect(placed(text, [{ trip: { from: 'Rome', to: 'Oslo' } }, { trip: { from: 'Rome', to: 'Lima' } }])).toEqual([
      { trip: { from: ['Rome@0'], to: ['Oslo@8'] } },
      { trip: { from: ['Rome@14'], to: ['Lima@22'] } },
    ]);
  });

  it('are placed near the other values of their record, in any order of records', () => {
    const text = 'Rome to Oslo, Rome to Lima';
    expect(placed(text, [{ trip: { from: 'Rome', to: 'Lima' } }])).toEqual([
      { trip: { from: ['Rome@14'], to: ['Lima@22'] } },
    ]);
  });

  it('are shared by records if they occur once', () => {
    const text = 'from Rome to Oslo or Lima';
    expect(placed(text, [{ trip: { from: 'Rome', to: 'Oslo' } }, { trip: { from: 'Rome', to: 'Lima' } }])).toEqual([
      { trip: { from: ['Rome@5'], to: ['Oslo@13'] } },
      { trip: { from: ['Rome@5'], to: ['Lima@21'] } },
    ]);
  });

  it('are placed at whole words if possible, or else at any part of the text', () => {
    expect(placed('12 boxes of 2', [{ order: { count: '2' } }])).toEqual([{ order: { count: ['2@12'] } }]);
    expect(placed('12 boxes', [{ order: { count: '2' } }])).toEqual([{ order: { count: ['2@1'] } }]);
    expect(placed('我从东京去大阪', [{ 旅行: { 到: '大阪' } }])).toEqual([{ 旅行: { 到: ['大阪@5'] } }]);
  });

  it('of a list are placed separately, even if they are equal', () => {
    expect(placed('a tea and a tea', [{ order: { drinks: ['tea', 'tea'], extras: [] } }])).toEqual([
      { order: { drinks: ['tea@2', 'tea@12'], extras: [] } },
    ]);
  });

  it('that are choices have the place of what says them, if the row or the text tells it', () => {
    const fieldsOf = (route: object, text = 'aspirin PO, unpaid') =>
      placeRecords(text, [{ order: { route } }] as never)[0]!.fields.map(({ values, choices }) => ({
        values,
        choices,
      }));
    const said = [{ values: [{ start: 8, end: 10, choice: 'oral' }] }];
    expect(fieldsOf({ value: 'oral', text: 'PO' })).toEqual(said);
    expect(fieldsOf([{ value: 'oral', text: 'PO' }])).toEqual(said);
    expect(fieldsOf({ value: 'PO' })).toEqual([{ values: [{ start: 8, end: 10, choice: 'PO' }] }]);
    expect(fieldsOf({ value: 'oral' })).toEqual([{ values: [], choices: ['oral'] }]);
    expect(fieldsOf({ value: 'paid' })).toEqual([{ values: [], choices: ['paid'] }]);
  });

  it('are found in a long text that is full of them', () => {
    const text = 'ab '.repeat(100_000);
    expect(placed(text, [{ s: { f: 'ab', g: 'ab' } }])).toEqual([{ s: { f: ['ab@0'], g: ['ab@3'] } }]);
  });
});

describe('ends of relations', () => {
  const placed = (text: string, relation: object, entities: readonly [string, number][] = []) => {
    const spans = entities.map(([of, start]) => ({ start, end: start + of.length, label: 'x' }));
    const [found] = placeRelations(text, [{ r: relation }] as never, spans);
    return [shown(text, found!.head), shown(text, found!.tail)];
  };

  it('are the two nearest occurrences', () => {
    const text = 'Ann called. Bob works for Acme, and Ann works for Acme';
    expect(placed(text, { head: 'Ann', tail: 'Acme' })).toEqual(['Ann@36', 'Acme@50']);
    expect(placed(text, { head: 'Acme', tail: 'Bob' })).toEqual(['Acme@26', 'Bob@12']);
  });

  it('are entities of the row before other occurrences', () => {
    expect(placed('Ann saw Ann and Bob', { head: 'Ann', tail: 'Bob' }, [['Ann', 0]])).toEqual(['Ann@0', 'Bob@16']);
  });

  it('may be the same occurrence if there is no other', () => {
    expect(placed('Ann likes herself', { head: 'Ann', tail: 'Ann' })).toEqual(['Ann@0', 'Ann@0']);
    expect(placed('Ann likes Ann', { head: 'Ann', tail: 'Ann' })).toEqual(['Ann@0', 'Ann@10']);
  });
});
