import type { Example } from '#gpu-runner/engines/engine.js';
import { evaluationFigures } from '#gpu-runner/engines/evaluation-figures.js';
import { intervalsOf } from './intervals.js';

const working = () => undefined;
const row = (text: string, label: string): Example => ({ text, labels: [label] });
const predictions = (gold: readonly Example[], right: (at: number) => boolean): readonly Example[] =>
  gold.map((each, at) => (right(at) ? each : row(each.text, 'other')));

describe('intervals of the figures of labels', () => {
  const gold = Array.from({ length: 200 }, (_, at) => row(`text ${at}`, at % 2 === 0 ? 'even' : 'odd'));
  const predicted = predictions(gold, (at) => at % 5 !== 0);

  it('contain the figures, and are as wide as the binomial distribution implies', () => {
    const figures = evaluationFigures(gold, predicted);
    const { accuracy, f1, perLabel, heads } = intervalsOf(gold, predicted, working);
    expect(figures.accuracy).toBe(0.8);
    // 1.96 * sqrt(0.8 * 0.2 / 200) = 0.055
    expect(accuracy.low).toBeGreaterThan(0.72);
    expect(accuracy.low).toBeLessThan(0.765);
    expect(accuracy.high).toBeGreaterThan(0.835);
    expect(accuracy.high).toBeLessThan(0.88);
    expect(f1).toEqual(accuracy);
    expect(heads['classification']).toMatchObject({ f1, accuracy });
    for (const label of ['even', 'odd']) {
      expect(perLabel[label]!.f1.low).toBeLessThan(figures.perLabel[label]!.f1);
      expect(perLabel[label]!.f1.high).toBeGreaterThan(figures.perLabel[label]!.f1);
    }
  });

  it('are reproducible', () => {
    expect(intervalsOf(gold, predicted, working)).toEqual(intervalsOf(gold, predicted, working));
  });

  it('have no width if every row is right', () => {
    expect(intervalsOf(gold, gold, working)).toMatchObject({
      f1: { low: 1, high: 1 },
      perLabel: { odd: { f1: { low: 1, high: 1 } } },
    });
  });

  it('are wider for a label with few rows', () => {
    const few = [...gold, row('one more', 'rare'), row('and another', 'rare')];
    const { perLabel } = intervalsOf(
      few,
      predictions(few, (at) => at !== 200),
      working,
    );
    expect(perLabel['rare']!.recall.high - perLabel['rare']!.recall.low).toBe(1);
  });

  it('omit labels beyond the 500 with the most facts', () => {
    const many = Array.from({ length: 1_000 }, (_, at) => row(`text ${at}`, `label ${at % 600}`));
    const labels = Object.keys(intervalsOf(many, many, working).perLabel);
    expect(labels).toHaveLength(500);
    expect(labels).toContain('label 399');
    expect(labels).not.toContain('label 599');
  });
});
