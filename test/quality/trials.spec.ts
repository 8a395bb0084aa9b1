import { chosenTrials, TRIALS } from './trials.js';

describe('trials chosen by names', () => {
  const chosen = (...names: string[]) =>
    chosenTrials(names).map(({ set, rows, draw, system }) => [set.name, rows, draw, system.name].join(' '));

  it('are those of any of the sets, numbers of rows and systems that are named', () => {
    expect(chosen('wnut17', '20', 'base', 'spacy')).toEqual(
      ['base', 'spacy'].flatMap((system) => [1, 2, 3].map((draw) => `wnut17 20 ${draw} ${system}`)),
    );
  });

  it('are all without names', () => {
    expect(chosenTrials([])).toEqual(TRIALS);
  });

  it('are refused by an unknown name, which is told with the known ones', () => {
    expect(() => chosen('base', 'wnut')).toThrow(/^unknown: wnut\. Sets: .*wnut17.* Rows: 20, .*all\. Systems: base, /);
  });

  it('do not ask a system for what it does not learn', () => {
    expect(chosen('linear-svc', 'wnut17')).toEqual([]);
  });
});
