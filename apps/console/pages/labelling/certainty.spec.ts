import { BLANK } from '../../components/editor/annotation.js';
import { leastConfidence, uncertainFirst, type Answered } from './certainty.js';

describe('answers of a model that labels first', () => {
  it('are as certain as the least certain thing in them, of any head', () => {
    const output = {
      entities: {
        city: [
          { text: 'Ghent', confidence: 0.9 },
          { text: 'Lyon', confidence: 0.4 },
        ],
        person: [],
      },
      topic: { label: 'travel', confidence: 0.7 },
    };
    expect(leastConfidence(output)).toBe(0.4);
    expect(leastConfidence({ entities: {}, topic: { label: 'travel', confidence: 0.7 } })).toBe(0.7);
    expect(leastConfidence({ entities: { city: [] } })).toBeNull();
    expect(leastConfidence(undefined)).toBeNull();
  });

  it('put rows first in which nothing was found, then the least certain ones, and last those not asked about', () => {
    const answer = (confidence: number | null): Answered => ({ annotation: BLANK, confidence });
    const answered = new Map([
      [0, answer(0.9)],
      [1, answer(null)],
      [2, answer(0.3)],
    ]);
    expect(uncertainFirst([0, 1, 2, 3], answered)).toEqual([1, 2, 0, 3]);
  });
});
