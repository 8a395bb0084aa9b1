import { eventFigures } from './figures.js';

const figures = { f1: 2 / 3, precision: 0.5, recall: 1 };

describe('figures in events', () => {
  it('have six decimals', () => {
    const told = eventFigures({ ...figures, macroF1: 1 / 3, accuracy: 0, perLabel: {}, heads: { entities: figures } });
    expect(told).toMatchObject({ f1: 0.666667, macroF1: 0.333333, heads: { entities: { f1: 0.666667 } } });
  });

  it('of ten thousand labels fit an event by keeping the most frequent ones', () => {
    const perLabel = Object.fromEntries(
      Array.from({ length: 10_000 }, (_, index) => [`label ${index}`, { ...figures, support: index }]),
    );
    const told = eventFigures({ ...figures, macroF1: 1, accuracy: 1, perLabel, heads: {} });
    expect(Object.keys(told.perLabel)).toHaveLength(5_000);
    expect(told.perLabel['label 5000']).toBeDefined();
    expect(told.perLabel['label 4999']).toBeUndefined();
    expect(Buffer.byteLength(JSON.stringify(told))).toBeLessThan(512 * 1024);
  });
});
