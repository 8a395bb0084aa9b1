import { describe, expect, it } from '@jest/globals';
import { fitChoices, type MadeChoice } from './choices.js';

describe('choices', () => {
  it('of two alternatives, one without features, are those of logistic regression', () => {
    // Three of four: the log odds are ln 3.
    const choices = [0, 0, 0, 1].map((right): MadeChoice => ({ alternatives: [[1], []], right }));
    expect(fitChoices(choices, 1)[0]).toBeCloseTo(Math.log(3), 6);
  });

  it('find the feature that decides, and not the one that does not', () => {
    const choices = [1, 2, 3, 4, 5, 6].map((value, at): MadeChoice => {
      const alternatives = [
        [value, at % 2],
        [value + 1, (at + 1) % 2],
        [value - 1, at % 3],
      ];
      return { alternatives, right: 1 };
    });
    const [decides, other] = fitChoices(choices, 0.1);
    expect(decides).toBeGreaterThan(0.5);
    expect(Math.abs(other!)).toBeLessThan(decides!);
  });

  it('are drawn to zero by the penalty', () => {
    const choices: MadeChoice[] = [
      { alternatives: [[1], [0]], right: 0 },
      { alternatives: [[2], [0]], right: 0 },
    ];
    const [free, held] = [0.01, 100].map((penalty) => fitChoices(choices, penalty)[0]!);
    expect(held).toBeLessThan(free! / 10);
  });
});
