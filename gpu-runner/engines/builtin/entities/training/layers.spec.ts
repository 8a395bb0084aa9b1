import type { Example, Span } from '../../../engine.js';
import { layersOf } from './layers.js';

const TEXT = 'University of New York City';
const span = (start: number, end: number, label = 'x'): Span => ({ start, end, label });
const [whole, newYork, york, city] = [span(0, 27, 'school'), span(14, 22, 'place'), span(18, 22, 'name'), span(18, 27)];
const rowsOf = (spans: readonly Span[], count = 3): Example[] =>
  Array.from({ length: count }, () => ({ text: TEXT, entities: spans }));
const spansIn = (rows: readonly Example[], count?: number) =>
  layersOf(rows, count).layers.map(([row]) => row!.entities!.map(({ start, end }) => TEXT.slice(start, end)));

describe('layers of nested spans', () => {
  it('are one if no spans overlap, or only duplicates', () => {
    expect(spansIn(rowsOf([newYork, span(0, 10)]))).toEqual([['University', 'New York']]);
    expect(spansIn(rowsOf([whole, whole]))).toEqual([[TEXT]]);
  });

  it('put the longest of overlapping spans first, and each takes the others beside it', () => {
    expect(spansIn(rowsOf([newYork, span(0, 10), york]))).toEqual([
      ['University', 'New York'],
      ['York', 'University'],
    ]);
    expect(layersOf(rowsOf([newYork, york]))).toMatchObject({ nested: 3, leftOut: 0 });
  });

  it('keep two labels of one span', () => {
    const { layers } = layersOf(rowsOf([newYork, { ...newYork, label: 'city' }]));
    expect(layers.map(([row]) => row!.entities!.map(({ label }) => label))).toEqual([['place'], ['city']]);
  });

  it('are three at most, and the remaining spans are counted', () => {
    const { layers, nested, leftOut } = layersOf(rowsOf([whole, newYork, york, span(18, 20)]));
    expect([layers.length, nested, leftOut]).toEqual([3, 6, 3]);
  });

  it('are not made for one or two spans', () => {
    expect(layersOf(rowsOf([newYork, york], 2))).toMatchObject({ layers: [expect.anything()], leftOut: 2 });
  });

  it('can be filled up to a given number', () => {
    expect(spansIn(rowsOf([newYork, city], 1), 2)).toEqual([['York City'], ['New York']]);
    expect(spansIn(rowsOf([newYork]), 3)).toEqual([['New York'], ['New York'], ['New York']]);
  });

  it('leave a row without entities unchanged', () => {
    expect(layersOf([{ text: TEXT, labels: ['a'] }]).layers[0]![0]).not.toHaveProperty('entities');
  });
});
