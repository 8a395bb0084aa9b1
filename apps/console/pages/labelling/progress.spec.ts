import { examplesOf } from './examples.js';
import { progressOf } from './progress.js';
import { teamOf } from './share.js';

const row = (text: string, label: string) => ({ text, label });

describe('the progress of a team', () => {
  it('counts what each person saved of their own rows, and compares what two of them labelled', () => {
    const rows = ['a', 'b', 'c'].map((text) => ({ text }));
    const team = teamOf('ada@x.org,bo@x.org', '100');
    const [ada, bo] = team.people;
    const lines = progressOf(rows, team, [
      { person: ada!, rows: [row('a', 'x'), row('b', 'y'), row('other', 'y')] },
      { person: bo!, rows: [row('a', 'x'), row('b', 'x')] },
    ]);
    expect(lines).toMatchObject([
      { assigned: 3, saved: 2, twice: 2, alike: 1, kappa: 0 },
      { assigned: 3, saved: 2, twice: 2, alike: 1, kappa: 0 },
    ]);
    expect(progressOf(rows, team, [{ person: ada!, rows: [] }])).toMatchObject([{ saved: 0, twice: 0, kappa: null }]);
  });
});

describe('examples of labels', () => {
  it('are the first short rows that have them, without the row on the screen', () => {
    const rows = [row('one', 'x'), row('long '.repeat(100), 'y'), row('two', 'x'), row('three', 'y')];
    expect(examplesOf(rows, 0)).toEqual([
      { label: 'x', row: rows[2] },
      { label: 'y', row: rows[3] },
    ]);
  });
});
