import { predictionLine } from './predictions.js';

describe('a row of an evaluation', () => {
  const text = '😀 Anna met Bo';
  const anna = { start: 3, end: 7, label: 'person' };
  const bo = { start: 12, end: 14, label: 'person' };

  it('is right when every labelled head is, in any order', () => {
    const expected = { text, entities: [anna, bo], labels: ['b', 'a'] };
    expect(predictionLine(expected, { text, entities: [bo, anna], labels: ['a', 'b'] })).toMatchObject({
      correct: true,
    });
    expect(predictionLine(expected, { text, entities: [anna], labels: ['a', 'b'] })).toMatchObject({ correct: false });
    expect(predictionLine(expected, { text, entities: [anna, bo], labels: ['a'] })).toMatchObject({ correct: false });
  });

  it('counts offsets in code points', () => {
    const { expected } = predictionLine({ text, entities: [anna] }, { text, entities: [] });
    expect(expected).toEqual({ entities: [{ text: 'Anna', label: 'person', start: 2, end: 6 }] });
  });

  it('is not judged on a head that it has no labels for', () => {
    const line = predictionLine({ text, labels: ['a'] }, { text, entities: [anna], labels: ['a'] });
    expect(line).toEqual({ text, expected: { labels: ['a'] }, predicted: { labels: ['a'] }, correct: true });
  });
});

describe('a row of an evaluation with structures and relations', () => {
  const text = 'Ann has 2 teas';
  const at = (value: string) => ({ start: text.indexOf(value), end: text.indexOf(value) + value.length });
  const structures = [
    {
      name: 'order',
      fields: [
        { name: 'who', isList: false, values: [at('Ann')] },
        { name: 'what', isList: true, values: [at('teas')] },
      ],
    },
  ];
  const relations = [{ name: 'has', head: at('Ann'), tail: at('teas') }];

  it('shows them in the format of rows, and is right when both are', () => {
    const shown = {
      json_structures: [{ order: { who: 'Ann', what: ['teas'] } }],
      relations: [{ has: { head: 'Ann', tail: 'teas' } }],
    };
    const row = { text, structures, relations };
    expect(predictionLine(row, row)).toEqual({ text, expected: shown, predicted: shown, correct: true });
    expect(predictionLine(row, { text, structures, relations: [] })).toMatchObject({
      predicted: { ...shown, relations: [] },
      correct: false,
    });
  });
});
