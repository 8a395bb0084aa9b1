import { createElement } from 'react';
import { canSort, nextSort, sorted, valueOf } from './sorting.js';

interface Run {
  readonly name: string;
  readonly f1: number | null;
}

const RUNS: readonly Run[] = [
  { name: 'tickets 10', f1: 0.5 },
  { name: 'Tickets 9', f1: null },
  { name: 'mails', f1: 0.9 },
];
const COLUMNS = [
  { head: 'Name', cell: ({ name }: Run) => createElement('a', null, name) },
  { head: 'F1', number: true, cell: ({ f1 }: Run) => (f1 === null ? '–' : `${f1 * 100}%`), by: ({ f1 }: Run) => f1 },
];
const namesBy = (head: string, descending: boolean): readonly string[] =>
  sorted(RUNS, COLUMNS, { head, descending }).map(({ name }) => name);

describe('the order of a table', () => {
  it('is that of the words of a cell, where numbers in them count as numbers', () => {
    expect(namesBy('Name', false)).toEqual(['mails', 'Tickets 9', 'tickets 10']);
    expect(namesBy('Name', true)).toEqual(['tickets 10', 'Tickets 9', 'mails']);
  });

  it('is that of the given values, with rows that have none last', () => {
    expect(namesBy('F1', false)).toEqual(['tickets 10', 'mails', 'Tickets 9']);
    expect(namesBy('F1', true)).toEqual(['mails', 'tickets 10', 'Tickets 9']);
  });

  it('stays as it is without a column, or with one that the table no longer has', () => {
    expect(sorted(RUNS, COLUMNS, null)).toBe(RUNS);
    expect(sorted(RUNS, COLUMNS, { head: 'Cost', descending: false })).toBe(RUNS);
  });

  it('is not offered by digits that are written for people', () => {
    expect(canSort({ head: 'Cost', cell: () => '$1.00', number: true })).toBe(false);
    expect(COLUMNS.map(canSort)).toEqual([true, true]);
  });

  it('is that of the moment or the state that an element is given', () => {
    expect(valueOf(createElement('time', { at: '2026-01-02' } as object))).toBe('2026-01-02');
    expect(valueOf(createElement('span', { status: 'failed' } as object))).toBe('failed');
    expect(valueOf(createElement('span', null, 'version ', 2))).toBe('version  2');
    expect(valueOf('–')).toBeNull();
  });

  it('goes up, down, and back', () => {
    const up = nextSort(null, 'Name');
    const down = nextSort(up, 'Name');
    expect([up, down, nextSort(down, 'Name')]).toEqual([
      { head: 'Name', descending: false },
      { head: 'Name', descending: true },
      null,
    ]);
    expect(nextSort(down, 'F1')).toEqual({ head: 'F1', descending: false });
  });
});
