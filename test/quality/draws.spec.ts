import type { Example } from '#gpu-runner/engines/engine.js';
import { drawOf, inputOf } from './draws.js';
import type { DataSet } from './sets.js';

const rows = Array.from({ length: 200 }, (_, row): Example => ({ text: `row ${row}`, labels: [`class ${row % 4}`] }));
const textsOf = ({ train, validation }: ReturnType<typeof drawOf>) =>
  [...train, ...validation].map(({ text }) => text).toSorted();

describe('draws of training rows', () => {
  it('are reproducible, and differ by number', () => {
    expect(drawOf(rows, 50, 1)).toEqual(drawOf(rows, 50, 1));
    expect(textsOf(drawOf(rows, 50, 1))).not.toEqual(textsOf(drawOf(rows, 50, 2)));
  });

  it('hold out a tenth of the rows for choosing, and no row twice', () => {
    const draw = drawOf(rows, 50, 1);
    expect([draw.train.length, draw.validation.length]).toEqual([45, 5]);
    expect(new Set(textsOf(draw)).size).toBe(50);
  });

  it('contain the smaller draws of the same number', () => {
    expect(textsOf(drawOf(rows, 100, 3))).toEqual(expect.arrayContaining(textsOf(drawOf(rows, 20, 3))));
    expect(textsOf(drawOf(rows, 'all', 3))).toEqual(rows.map(({ text }) => text).toSorted());
  });

  it('come with the texts of the test rows, but without their labels', () => {
    const test: Example[] = [{ text: 'asked', labels: ['secret'] }];
    const lines = inputOf({ train: () => rows, test: () => test } as unknown as DataSet, 20, 1)
      .trimEnd()
      .split('\n');
    expect(lines).toHaveLength(21);
    expect(JSON.parse(lines.at(-1)!)).toEqual({ part: 'test', text: 'asked' });
  });
});
