import { chosenTrials, TRIALS } from './trials.js';

describe('trials chosen by names', () => {
  const chosen = (...names: string[]) =>
    chosenTrials(names).map(({ set, rows, draw, system }) => [set.name, rows, draw, system.name].join(' '));

  it('are those of any named data set, number of rows and system', () => {
    expect(chosen('wnut17', '20', 'base', 'spacy')).toEqual(
      ['base', 'spacy'].flatMap((system) => [1, 2, 3].map((draw) => `wnut17 20 ${draw} ${system}`)),
    );
  });

  it('are all without names', () => {
    expect(chosenTrials([])).toEqual(TRIALS);
  });

  it('are refused for an unknown name, with the known ones', () => {
    expect(() => chosen('base', 'wnut')).toThrow(/^unknown: wnut\. Sets: .*wnut17.* Rows: 20, .*all\. Systems: base, /);
  });

  it('leave out heads that a system does not learn', () => {
    expect(chosen('linear-svc', 'wnut17')).toEqual([]);
  });
});
