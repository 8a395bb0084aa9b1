import { comparedAnswers, comparedF1, comparedRows, exactMcNemar, type ComparedFigure } from './comparison.js';
import { countsOf, WIDTH } from './row-counts.js';
import type { RowFacts } from './row-facts.js';

const signal = new AbortController().signal;
const counted = (expected: readonly string[], said: readonly string[]): Float64Array => {
  const counts = new Float64Array(expected.length * WIDTH);
  expected.forEach((each, row) => counts.set(countsOf({ expected: each, said: said[row]! }), row * WIDTH));
  return counts;
};
const compare = async (expected: readonly string[], one: readonly string[], two: readonly string[]) =>
  (await comparedAnswers(counted(expected, one), counted(expected, two), signal)) as Record<string, ComparedFigure>;

describe('a comparison of two evaluations', () => {
  // Sums of binomial coefficients, in whole numbers (Python).
  it.each([
    [9, 1, 0.021484375],
    [1, 9, 0.021484375],
    [5, 5, 1],
    [0, 0, 1],
    [550, 450, 0.0017305360849763176],
    [5_200, 4_800, 6.593515598672442e-5],
  ])('has the p-value of the exact McNemar test for %d wins and %d losses', (wins, losses, expected) => {
    expect(exactMcNemar(wins, losses) / expected).toBeCloseTo(1, 9);
  });

  it('has a p-value above 0 for very many rows', () => {
    expect(exactMcNemar(510_000, 490_000)).toBeGreaterThan(0);
    expect(exactMcNemar(510_000, 490_000)).toBeLessThan(1e-80);
    expect(exactMcNemar(500_000, 500_001)).toBeCloseTo(1, 6);
  });

  it('counts rows that are right in both, or wrong in both, as ties', () => {
    expect(comparedRows({ wins: 3, losses: 1, right: 4, rows: 10 })).toMatchObject({
      ...{ value: 0.7, other: 0.5, wins: 3, losses: 1, ties: 6, test: 'exact_mcnemar' },
      difference: { low: null, high: null },
    });
  });

  it('of the same answers is all ties, with a p-value of 1', async () => {
    const expected = ['Lima is in Peru', '{"a":1}', 'yes'];
    const said = ['Lima', '{"a":2}', 'yes'];
    for (const figure of Object.values(await compare(expected, said, said)))
      expect(figure).toMatchObject({ wins: 0, losses: 0, pValue: 1, difference: { value: 0, low: 0, high: 0 } });
  });

  it('reports the share of exchanges with at least that difference, from all exchanges if rows are few', async () => {
    const expected = Array.from({ length: 6 }, (_, row) => `the answer to question ${row}`);
    const one = expected;
    const two = expected.map((text) => text.split(' ').slice(0, 3).join(' '));
    const { rougeL } = await compare(expected, one, two);
    // Every row is better: of the 64 exchanges, the two that exchange all or nothing give as much.
    expect(rougeL).toMatchObject({ wins: 6, losses: 0, ties: 0, test: 'approximate_randomization' });
    expect(rougeL!.pValue).toBeGreaterThan(0.015);
    expect(rougeL!.pValue).toBeLessThan(0.05);
    expect(rougeL!.difference.low).toBeGreaterThan(0);
  });

  it('is reproducible, and changes sign when the sides are exchanged', async () => {
    const expected = Array.from({ length: 40 }, (_, row) => `parcel ${row} is in Lima`);
    const one = expected.map((text, row) => (row % 3 === 0 ? text : 'parcel in Rome'));
    const two = expected.map((text, row) => (row % 2 === 0 ? text : 'no idea'));
    const [first, again, turned] = [
      await compare(expected, one, two),
      await compare(expected, one, two),
      await compare(expected, two, one),
    ];
    expect(again).toEqual(first);
    for (const name of ['exactMatch', 'rougeL', 'bleu']) {
      expect(turned[name]!.difference.value).toBeCloseTo(-first[name]!.difference.value, 12);
      expect([turned[name]!.wins, turned[name]!.losses]).toEqual([first[name]!.losses, first[name]!.wins]);
      expect(turned[name]!.pValue).toBeCloseTo(first[name]!.pValue, 1);
    }
  });

  it('compares JSON figures over the rows that expect JSON, and has none without such rows', async () => {
    const expected = ['{"a":1,"b":2}', '{"a":3,"b":4}', 'words'];
    const one = ['{"a":1,"b":2}', '{"a":3,"b":0}', 'words'];
    const two = ['{"a":1,"b":2}', 'none', 'words'];
    const { fieldF1, validity } = await compare(expected, one, two);
    expect(validity).toMatchObject({ value: 1, other: 0.5, wins: 1, losses: 0, ties: 1, pValue: 1 });
    expect(fieldF1).toMatchObject({ value: 0.75, wins: 1, losses: 0, ties: 1 });
    expect(Object.keys(await compare(['words'], ['words'], ['word']))).not.toContain('fieldF1');
  });
});

describe("a comparison of two models' facts on the same rows", () => {
  const right: RowFacts = { city: [1, 1, 1] };
  const missed: RowFacts = { city: [0, 0, 1] };
  const wrong: RowFacts = { city: [0, 1, 0] };
  const nothing: RowFacts = {};
  const rows = (count: number, facts: RowFacts): readonly RowFacts[] => Array.from({ length: count }, () => facts);

  it('has the difference of their F1 with an interval, and the rows on which each did better', async () => {
    const compared = await comparedF1(
      [...rows(30, right), ...rows(10, missed)],
      [...rows(20, right), ...rows(20, missed)],
      signal,
    );
    expect(compared).toMatchObject({ wins: 10, losses: 0, ties: 30, test: 'approximate_randomization' });
    expect(compared.value).toBeCloseTo(60 / 70, 9);
    expect(compared.other).toBeCloseTo(40 / 60, 9);
    expect(compared.difference.low).toBeGreaterThan(0);
    expect(compared.pValue).toBeLessThan(0.01);
  });

  it('counts an empty row as lost by the model that predicted something', async () => {
    const compared = await comparedF1([...rows(5, nothing), right], [...rows(5, wrong), right], signal);
    expect(compared).toMatchObject({ wins: 5, losses: 0, ties: 1, value: 1 });
  });

  it('of the same facts is all ties, with a p-value of 1', async () => {
    const facts = [...rows(7, right), ...rows(5, missed)];
    expect(await comparedF1(facts, facts, signal)).toMatchObject({
      ...{ wins: 0, losses: 0, ties: 12, pValue: 1 },
      difference: { value: 0, low: 0, high: 0 },
    });
  });
});
