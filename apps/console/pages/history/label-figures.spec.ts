import { labelFigures } from './label-figures.js';

const pair = (answered: string | null, corrected: string | null, count: number) => ({ answered, corrected, count });

describe('the figures of a label', () => {
  const pairs = [
    pair('city', 'city', 9),
    pair('number', 'number', 6),
    pair('city', 'person', 2),
    pair(null, 'number', 1),
    pair('number', null, 1),
  ];

  it('are those of the label, not of the calls that have it', () => {
    expect(labelFigures('number', pairs)).toEqual({ judged: 7, right: 6, confused: pair(null, 'number', 1) });
    expect(labelFigures('city', pairs)).toEqual({ judged: 11, right: 9, confused: pair('city', 'person', 2) });
  });

  it('name no confusion of a label with itself', () => {
    expect(labelFigures('number', [pair('city', 'person', 2), pair('number', 'number', 1)])).toEqual({
      judged: 1,
      right: 1,
      confused: null,
    });
  });
});
