import { normalised } from './normalised.js';
import { TextComparison } from './text-comparison.js';
import { TextTable } from './text-table.js';

describe('the texts of a report', () => {
  it('are distinguished in any number, each with its first row', () => {
    const table = new TextTable();
    const rows = Array.from({ length: 20_000 }, (_, index) => index + 1);
    const firstRows = (before: number) => rows.map((row) => table.rowAt(table.add(`text ${row}`, before + row)));
    expect(firstRows(0)).toEqual(rows);
    expect(firstRows(rows.length)).toEqual(rows);
    expect(table.find('text 0')).toBeNull();
  });

  it('are compared up to a reported number of rows', () => {
    const texts = new TextComparison(2);
    for (const row of [1, 2, 3]) texts.addHeldOut(row, `held ${row}`);
    ['a', 'a', 'a', 'held 3'].forEach((text, index) => texts.add(index + 1, text, []));
    expect(texts.comparedRows).toBe(2);
    expect(texts.exactDuplicates.list().total).toBe(1);
    expect(texts.leaks()).toMatchObject({ comparedRows: 2, leaks: { total: 0 } });
  });

  it.each([
    [' Where\tis\n it?! ', 'where is it'],
    ['“ＡＢＣ”', 'abc'],
    ['C++', 'c++'],
    ['a-b', 'a-b'],
    ['...', '...'],
  ])('%j is normalised to %j', (text, expected) => {
    expect(normalised(text)).toBe(expected);
  });
});
