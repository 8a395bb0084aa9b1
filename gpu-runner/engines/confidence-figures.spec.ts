import { confidenceFigures, type Candidate } from './confidence-figures.js';

const candidates = (confidence: number, right: number, wrong: number): Candidate[] =>
  Array.from({ length: right + wrong }, (_, k) => ({ confidence, isRight: k < right }));

describe('figures of confidences', () => {
  it('tell answers from candidates', () => {
    const figures = confidenceFigures(20, [...candidates(0.92, 9, 1), ...candidates(0.08, 0, 10)], 12, 0.3);
    expect(figures.threshold).toBe(0.3);
    expect(figures.answerError).toBeCloseTo(0.02);
    expect(figures.candidateError).toBeCloseTo((0.02 + 0.08) / 2);
  });

  it('have precision and recall from each threshold on, finer near 1', () => {
    const { curve } = confidenceFigures(8, [...candidates(0.97, 4, 0), ...candidates(0.5, 2, 2)], 8, 0.4);
    const at = (threshold: number) => curve.find((point) => point.threshold === threshold);
    expect(at(0.5)).toEqual({ threshold: 0.5, answers: 8, precision: 0.75, recall: 0.75 });
    expect(at(0.55)).toEqual({ threshold: 0.55, answers: 4, precision: 1, recall: 0.5 });
    expect(at(0.97)?.answers).toBe(4);
    expect(at(0.98)).toEqual({ threshold: 0.98, answers: 0, precision: null, recall: 0 });
    expect(curve.map(({ threshold }) => threshold)).toEqual(curve.map(({ threshold }) => threshold).toSorted());
  });

  it('count every best answer where one is chosen whatever its confidence, and are null without any', () => {
    expect(confidenceFigures(10, candidates(0.3, 3, 7), 10, null).answerError).toBeCloseTo(0);
    const none = confidenceFigures(1, [], 0, 0.5);
    expect([none.answerError, none.candidateError, none.curve[0]!.recall]).toEqual([null, null, null]);
    expect(confidenceFigures(0, [], 0, 0.5).curve).toEqual([]);
  });
});
