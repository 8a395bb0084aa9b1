import type { Example } from '#gpu-runner/engines/engine.js';
import { calibrationError, figureOf, type Prediction } from './scoring.js';

const entities = (...spans: [start: number, end: number, label: string][]) => ({
  entities: spans.map(([start, end, label]) => ({ start, end, label })),
});
const classes = (labels: string): Example[] => [...labels].map((label) => ({ text: label, labels: [label] }));

describe('figures of a trial', () => {
  it('are micro-F1 for entities with exact places and labels', () => {
    const gold: Example[] = [
      { text: 'Ada met Bob in Rome', ...entities([0, 3, 'person'], [8, 11, 'person'], [15, 19, 'city']) },
      { text: 'nothing', entities: [] },
    ];
    // Predicted are one right, one with another label, one at another place, one surplus: 2 * 1 / (4 + 3).
    const predictions = [entities([0, 3, 'person'], [8, 11, 'city'], [12, 19, 'city']), entities([0, 7, 'city'])];
    expect(figureOf('entities', gold, predictions)).toBeCloseTo(2 / 7);
    expect(figureOf('entities', gold, gold)).toBe(1);
  });

  it('are accuracy for classes', () => {
    expect(figureOf('labels', classes('aabb'), classes('abbb'))).toBe(0.75);
  });

  it('count a row without an answer as wrong', () => {
    expect(figureOf('labels', classes('ab'), [{ labels: ['a'] }, {}])).toBe(0.5);
  });
});

describe('calibration error', () => {
  const predicted = (labels: string, confidences: number[]): Prediction[] =>
    [...labels].map((label, row) => ({ labels: [label], confidences: [confidences[row]!] }));

  it('is 0 if accuracy equals confidence in every bin', () => {
    expect(calibrationError('labels', classes('aaaa'), predicted('aaab', [0.75, 0.75, 0.75, 0.75]))).toBe(0);
  });

  it('is the difference of confidence and accuracy, weighted by bin sizes', () => {
    // Three answers at 0.9, of which one is right: |2.7 - 1|; one at 0.4 that is right: |0.4 - 1|; of 4.
    const error = calibrationError('labels', classes('aaaa'), predicted('abba', [0.9, 0.9, 0.9, 0.4]));
    expect(error).toBeCloseTo((1.7 + 0.6) / 4);
  });

  it('does not let mistakes in one bin compensate those in another', () => {
    // Mean confidence and accuracy are both one half.
    expect(calibrationError('labels', classes('aa'), predicted('ba', [1, 0]))).toBe(1);
  });

  it('counts each predicted entity, and no missed one', () => {
    const gold: Example[] = [{ text: 'Ada met Bob', ...entities([0, 3, 'person'], [8, 11, 'person']) }];
    const found = { ...entities([0, 3, 'person'], [4, 7, 'person']), confidences: [1, 0.6] };
    expect(calibrationError('entities', gold, [found])).toBeCloseTo(0.3);
  });

  it('is null without confidences', () => {
    expect(calibrationError('labels', classes('a'), [{ labels: ['a'] }])).toBeNull();
  });
});
