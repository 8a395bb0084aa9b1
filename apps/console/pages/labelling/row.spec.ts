import { compared, figuresOf } from './agreement.js';
import { fromRow, schemeOfRows, toRow, type Row } from './row.js';

const ROW: Row = {
  text: '🙂 Anna went from Rome to Rome',
  entities: [
    ['Anna', 'person'],
    ['Rome', 'city'],
    ['Rome', 'city'],
  ],
  label: 'travel',
  json_structures: [{ trip: { who: 'Anna', stops: ['Rome'] } }],
  relations: [{ went_to: { head: 'Anna', tail: 'Rome' } }],
  id: 7,
};

describe('a labelled row', () => {
  it('keeps its labels, adds their offsets, and keeps its other keys', () => {
    const saved = toRow(ROW, fromRow(ROW), schemeOfRows([ROW]));
    expect(saved).toEqual({
      ...ROW,
      entities: [
        { text: 'Anna', label: 'person', start: 2, end: 6 },
        { text: 'Rome', label: 'city', start: 17, end: 21 },
        { text: 'Rome', label: 'city', start: 25, end: 29 },
      ],
    });
    expect(fromRow(saved)).toEqual(fromRow(ROW));
  });

  it('keeps its choices as it has them, and writes another with all of them', () => {
    const order = (route: unknown): Row => ({ text: 'aspirin PO', json_structures: [{ order: { route } }] });
    const choices = ['oral', 'topical'];
    const said = order({ value: 'oral', text: 'PO' });
    const scheme = schemeOfRows([said, order({ value: 'topical', choices })]);
    expect(scheme.structures).toEqual([{ name: 'order', fields: [{ name: 'route', isList: false, choices }] }]);
    const annotation = fromRow(said);
    expect(toRow(said, annotation, scheme)).toEqual(said);
    const other = { ...annotation, records: [{ structure: 'order', fields: { route: [{ text: 'topical' }] } }] };
    expect(toRow(said, other, scheme)).toEqual(order({ value: 'topical', choices }));
  });

  it('has an empty list for a labelled head with no labels, and omits a head that was not labelled', () => {
    const scheme = { ...schemeOfRows([ROW]), tasks: [], structures: [], relations: null };
    expect(toRow({ text: 'x', label: 'kept' }, fromRow({ text: 'x' }), scheme)).toEqual({
      text: 'x',
      label: 'kept',
      entities: [],
    });
  });

  it('has labels by task if the rows have several tasks, and says nothing of one that it did not have', () => {
    const rows: Row[] = [
      { text: 'a', labels: { topic: 'x', tone: ['glad'] } },
      { text: 'b', labels: { topic: 'y' } },
      { text: 'c', labels: { tone: [] } },
    ];
    const scheme = schemeOfRows(rows);
    expect(scheme.tasks).toEqual([
      { name: 'topic', labels: ['x', 'y'], multiple: false },
      { name: 'tone', labels: ['glad'], multiple: true },
    ]);
    for (const row of rows) expect(toRow(row, fromRow(row), scheme)).toEqual(row);
    const annotation = { ...fromRow(rows[1]!), classes: { topic: ['x'], tone: ['glad'] } };
    expect(toRow(rows[1]!, annotation, scheme)).toEqual({ text: 'b', labels: { topic: 'x', tone: ['glad'] } });
    expect(figuresOf(compared(rows, [rows[0]!, { text: 'b', labels: { topic: 'x' } }])).agreed).toBe(1);
  });

  it("has several classes if the dataset's rows have lists of them", () => {
    const [row, other]: Row[] = [
      { text: 'a', labels: ['x'] },
      { text: 'b', labels: ['y', 'x'] },
    ];
    expect(schemeOfRows([row!, other!]).tasks).toEqual([{ name: 'class', labels: ['x', 'y'], multiple: true }]);
    expect(toRow(other!, fromRow(other!), schemeOfRows([row!, other!]))).toEqual(other);
  });
});

describe('two passes over the same texts', () => {
  const row = (text: string, entity: string, label: string): Row => ({ text, entities: [[entity, 'city']], label });
  const first = [row('in Rome', 'Rome', 'a'), row('in Oslo', 'Oslo', 'a'), row('in Lima', 'Lima', 'b')];
  const second = [row('in Lima', 'Lima', 'b'), row('in Rome', 'in', 'a'), row('in Paris', 'Paris', 'a')];

  it('are compared text by text, in the order of the first', () => {
    const pairs = compared(first, second);
    expect(pairs.map(({ row: index, differs }) => [index, differs])).toEqual([
      [0, true],
      [2, false],
    ]);
    expect(figuresOf(pairs)).toEqual({ agreed: 1, f1: 0.5, kappa: 1 });
  });

  it('agree regardless of the order of their labels', () => {
    const reversed = { ...ROW, entities: (ROW['entities'] as unknown[]).toReversed() };
    expect(compared([ROW], [reversed])[0]!.differs).toBe(false);
  });

  it('have no F1 and no kappa if there is nothing to agree on', () => {
    expect(figuresOf(compared([{ text: 'a' }], [{ text: 'a' }]))).toEqual({ agreed: 1, f1: null, kappa: null });
  });
});
