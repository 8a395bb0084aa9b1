import type { Example, Prediction } from '#gpu-runner/engines/engine.js';
import { calibrationOf } from './calibration.js';

const classRow = (gold: string, told: string, confidence: number): [Example, Prediction] => [
  { text: 't', labels: [gold] },
  { text: 't', labels: [told], labelConfidences: [confidence] },
];
const calibration = (...rows: readonly [Example, Prediction][]) =>
  calibrationOf(
    rows.map(([gold]) => gold),
    rows.map(([, told]) => told),
  );

describe('calibration', () => {
  it('compares mean confidence with accuracy, in ten equal bins', () => {
    const { classification } = calibration(
      classRow('a', 'a', 0.92),
      classRow('a', 'b', 0.98),
      classRow('a', 'a', 1),
      classRow('b', 'a', 0.3),
    );
    expect(classification!.bins).toHaveLength(10);
    expect(classification!.bins[9]).toEqual({ count: 3, meanConfidence: 0.966667, accuracy: 0.666667 });
    expect(classification!.bins[3]).toEqual({ count: 1, meanConfidence: 0.3, accuracy: 0 });
    expect(classification!.bins[0]).toEqual({ count: 0, meanConfidence: null, accuracy: null });
    // |2.9 - 2| of three answers and |.3 - 0| of one, of four.
    expect(classification!.expectedError).toBeCloseTo(0.3);
  });

  it('counts an entity as right if its place and label are right', () => {
    const [here, there] = [
      { start: 0, end: 1, label: 'a' },
      { start: 2, end: 3, label: 'a' },
    ];
    const { entities } = calibration([
      { text: 't u', entities: [here, { ...there, label: 'b' }] },
      { text: 't u', entities: [here, there], entityConfidences: [0.75, 0.75] },
    ]);
    expect(entities!.bins[7]).toEqual({ count: 2, meanConfidence: 0.75, accuracy: 0.5 });
  });

  it('omits heads without labelled rows, without answers, or without confidences', () => {
    expect(
      calibration(
        [
          { text: 't', entities: [], labels: ['a'] },
          { text: 't', labels: ['a'] },
        ],
        [{ text: 't' }, { text: 't', labels: ['a'], labelConfidences: [1] }],
      ),
    ).toEqual({});
  });
});
