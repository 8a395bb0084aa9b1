import { labellersOf, passOf, peopleIn, rowsFor, shareOf, teamOf } from './share.js';

describe('a team that labels a dataset', () => {
  it('is read from addresses with weights, and written as it is read', () => {
    const team = teamOf('Ada@x.org:2, bo@x.org\ncy@x.org:0 bo@x.org :3', '10');
    expect(team).toEqual({
      people: [
        { email: 'ada@x.org', weight: 2 },
        { email: 'bo@x.org', weight: 1 },
      ],
      twice: 0.1,
    });
    expect(teamOf(peopleIn(team), '10')).toEqual(team);
    expect(team.people.map((person) => shareOf(person, team))).toEqual(['67%', '33%']);
    expect([teamOf('', ''), teamOf('a', '101').twice]).toEqual([{ people: [], twice: 0 }, 0]);
  });

  it('gives every row to one person, by their weights, and a share of the rows to a second one', () => {
    const team = teamOf('ada@x.org:2,bo@x.org,cy@x.org', '20');
    const rows = 400;
    const by = labellersOf(rows, team);
    expect(by.every(({ length }) => length === 1 || length === 2)).toBe(true);
    expect(by.every(([one, other]) => one !== other)).toBe(true);
    expect(team.people.map((person) => by.filter(([one]) => one === person).length)).toEqual([200, 100, 100]);
    expect(Math.abs(by.filter(({ length }) => length === 2).length - 80)).toBeLessThan(5);
  });

  it('leaves to each person the rows of their address, whatever its case, and all rows where there is no team', () => {
    const team = teamOf('ada@x.org,bo@x.org', '');
    const [ada, bo] = [rowsFor('ADA@x.org', 9, team), rowsFor('bo@x.org', 9, team)];
    expect([ada.length, bo.length]).toEqual([5, 4]);
    expect([...ada, ...bo].sort((a, b) => a - b)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8]);
    expect(rowsFor('di@x.org', 9, team)).toEqual([]);
    expect(rowsFor('di@x.org', 2, teamOf('', ''))).toEqual([0, 1]);
  });

  it('saves what each person labels apart', () => {
    expect(passOf('tickets', 'Ada Lovelace@x.org')).toBe('tickets-ada-lovelace');
  });
});
